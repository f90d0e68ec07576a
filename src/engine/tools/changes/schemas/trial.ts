import type { Ajv } from 'ajv'
import { identityOf, schemasWithin } from '../located.ts'
import type { All } from './parts.ts'
import { valuesFor } from './pool.ts'
import { createTrialAjv, type SchemaReading, validatorOf } from './validator.ts'

/** The findings from values drawn of two schemas. */
export interface Trial {
  /** a value of the base that the new schema refuses, if one was found */
  lost: { value: unknown } | undefined
  /** a value of the new schema that the base refuses */
  fresh: { value: unknown } | undefined
  /** one that the base refuses not only because it fits several alternatives of `oneOf` */
  unknown: { value: unknown } | undefined
  /** whether both schemas took values of all their alternatives, so that what was not found is likely not there */
  isTelling: { lost: boolean; fresh: boolean }
  /** whether some alternatives were not tried, as they lie too deep or are too many */
  isCut: boolean
}

/** How much may be tried in one comparison of documents, in parts of schemas compiled and values checked. */
const workLimit = 100_000

/** Tries schemas by their values, each pair once, as far as the work suffices. */
export interface Trials {
  /** @param forExample whether only the example of a known difference is needed: most work is left for doubts */
  try(base: All, next: All, reading: SchemaReading, forExample?: boolean): Trial | undefined
}

export function createTrials(): Trials {
  const done = new Map<string, Trial | undefined>()
  let ajv: Ajv | undefined
  let work = 0
  return {
    try(base, next, reading, forExample = false) {
      const key = [identityOf(base), identityOf(next), reading.reader, reading.isWritten].join(' ')
      if (!done.has(key) && work < (forExample ? workLimit / 4 : workLimit)) {
        ajv ??= createTrialAjv()
        const tried = attempt(ajv, base, next, reading)
        work += tried.work
        done.set(key, tried.trial)
      }
      return done.get(key)
    },
  }
}

function attempt(
  ajv: Ajv,
  base: All,
  next: All,
  reading: SchemaReading,
): { trial: Trial | undefined; work: number } {
  const { reader } = reading
  // Clients are asked to expect new properties, whatever a closed object of before says.
  const names = namesIn(base)
  const expected = [...(reader === 'request' ? [] : namesIn(next))].filter(name => !names.has(name))
  const readingOfBase = { ...reading, expected: new Set(expected) }
  const [before, after] = [validatorOf(ajv, base, readingOfBase), validatorOf(ajv, next, reading)]
  if (!before || !after) return { trial: undefined, work: 1_000 }
  const [old, now] = [valuesFor(base, [next], reader), valuesFor(next, [base], reader, [base])]
  const [takenBefore, takenAfter] = [old.values.filter(before.takes), now.values.filter(after.takes)]
  const fresh = takenAfter.filter(value => !before.takes(value))
  const lax = fresh.length > 0 ? validatorOf(ajv, base, { ...readingOfBase, isLax: true }) : undefined
  return {
    trial: {
      lost: shortest(takenBefore.filter(value => !after.takes(value))),
      fresh: shortest(fresh),
      unknown: shortest(fresh.filter(value => !lax?.takes(value))),
      isTelling: { lost: takenBefore.length > 0 && !old.isCut, fresh: takenAfter.length > 0 && !now.isCut },
      isCut: old.isCut || now.isCut,
    },
    work: 50 + 10 * (before.parts + after.parts) + 2 * (old.values.length + now.values.length),
  }
}

function shortest(values: readonly unknown[]): { value: unknown } | undefined {
  const [first] = values
    .map(value => ({ value, length: JSON.stringify(value).length }))
    .sort((a, b) => a.length - b.length)
  return first && { value: first.value }
}

/** The names of all properties within. */
function namesIn(all: All, seen = new Set<object>(), names = new Set<string>()): Set<string> {
  for (const place of all) {
    if (seen.has(place.node)) continue
    seen.add(place.node)
    for (const { keyword, name, schema } of schemasWithin(place)) {
      if (name !== undefined && keyword === 'properties') names.add(name)
      namesIn([schema], seen, names)
    }
  }
  return names
}
