import type { Model } from 'spec-served-document/model'
import { isObject, lookUp, type Path } from 'spec-served-document/pointer'
import { pointerTo } from 'spec-served-document/reading/nodes'
import { likest } from 'spec-served-document/spelling'
import type { OpenApi } from 'spec-served-document/types'
import { inLine, render } from './written.ts'

/** A change of the document: the new value at a place, from its root. Without a value, the place is left out. */
export interface Mend {
  place: Path
  value?: unknown
}

/** The remedy of a violation: the changes that mend it or, if only people know what is meant, their decision. */
export type Remedy = { mend: readonly Mend[] } | { decide: string }

/** A violation of a rule. */
export type Violation = {
  /** where, as the names on the way from the root */
  place: Path
  message: string
} & Remedy

/** One of the rules that documents of this project keep, and others need not. */
export type ProjectRule = (model: Model) => Iterable<Violation>

/** Returns the remedy of writing entries into the object at a place. */
export const write = (place: Path, entries: Readonly<Record<string, unknown>>): Remedy => ({
  mend: Object.entries(entries).map(([name, value]) => ({ place: [...place, name], value })),
})

/** Returns the remedy of leaving out a place: the whole of it, or some of its fields. */
export const leaveOut = (place: Path, ...names: string[]): Remedy => ({
  mend: names.length === 0 ? [{ place }] : names.map(name => ({ place: [...place, name] })),
})

/** A violation by something without effect. It is to be left out. */
export const superfluous = (place: Path, message: string): Violation => ({
  place,
  message,
  ...leaveOut(place),
})

/** Returns the remedy for an unknown name: the known name that is spelt most like it, or a choice. */
export function oneOf(place: Path, name: unknown, choices: Iterable<string>, otherwise: string): Remedy {
  const names = [...choices]
  const meant = likest(String(name), names)
  if (meant !== undefined) return { mend: [{ place, value: meant }] }
  return { decide: `${names.length > 0 ? `one of ${names.join(', ')}; else ` : ''}${otherwise}` }
}

/** The most characters to write that a message shows; of more it shows the names. */
const mostShown = 300

/** Returns the message of a violation in one line, with what is to be written. */
export function textOf({ place, message, ...remedy }: Violation): string {
  if ('decide' in remedy) return `${message} Decide: ${remedy.decide}`
  const places = Map.groupBy(remedy.mend, mend =>
    isBelow(mend.place, place) ? '' : pointerTo(mend.place.slice(0, -1)),
  )
  const steps = [...places].flatMap(([pointer, mends]) => {
    const from = pointer === '' ? place : (mends[0]?.place.slice(0, -1) ?? [])
    const where = pointer === '' ? '' : ` at ${pointer}`
    const gone = mends.filter(({ value }) => value === undefined).map(mend => nameOf(mend.place, from))
    const lines = linesOf(
      from,
      mends.filter(({ value }) => value !== undefined),
    )
    return [
      ...(gone.length > 0 ? [`Leave out${where}: ${gone.join(', ')}.`] : []),
      ...(lines.length === 0 ? [] : [`Write${where}: ${shownFrom(lines) ?? inNames(lines, mends, from)}`]),
    ]
  })
  return [message, ...steps].join(' ')
}

/** Entries as YAML in one line; undefined where that is too long to read. */
function shownFrom(lines: readonly string[]): string | undefined {
  const text = lines.length === 1 ? lines.join() : inLine(lines.join('\n'))
  return lines.length === 1 || text.length <= mostShown ? text : undefined
}

const inNames = (lines: readonly string[], mends: readonly Mend[], from: Path) =>
  `${mends.map(mend => nameOf(mend.place, from)).join(', ')} (\`--fix\` writes ${lines.length} lines).`

const isBelow = (path: Path, above: Path) => above.every((name, index) => path[index] === name)

const nameOf = (path: Path, from: Path) => path.slice(Math.min(from.length, path.length - 1)).join('.')

/** Whether a place is an item of a list; statuses are numbers too. */
const isItem = (place: Path) => /^\d+$/.test(place.at(-1) ?? '') && place.at(-2) !== 'responses'

/** YAML as it is to stand in the object at a place. */
function linesOf(from: Path, mends: readonly Mend[]): string[] {
  const entries: Record<string, unknown> = {}
  for (const { place, value } of mends) {
    // A value at the place itself is shown by its own name.
    const names = place.slice(Math.min(from.length, place.length - 1))
    const shown = isItem(place) ? [value] : value
    if (isItem(place)) names.pop()
    const last = names.pop()
    if (last === undefined)
      return render('', shown)
        .trimEnd()
        .split('\n')
        .slice(1)
        .map(line => line.slice(2))
    let within = entries
    for (const name of names) {
      within[name] ??= {}
      within = within[name] as Record<string, unknown> // made here
    }
    within[last] = shown
  }
  return Object.entries(entries).flatMap(([name, value]) => render(name, value).trimEnd().split('\n'))
}

/**
 * Carries a change out in a document in memory.
 * @throws Error where a reference, or nothing, is in its way
 */
export function mended(document: OpenApi, { place, value }: Mend): void {
  const last = place.at(-1) ?? ''
  let holder: unknown = document
  for (const [index, name] of place.slice(0, -1).entries()) {
    if (isObject(holder)) holder[name] ??= {}
    holder = lookUp(document, place.slice(0, index + 1))
    if (isObject(holder) && '$ref' in holder)
      throw new Error(`${place.join('/')} is written beside a reference`)
  }
  if (Array.isArray(holder)) holder.splice(Number(last), 1, ...(value === undefined ? [] : [value]))
  else if (!isObject(holder)) throw new Error(`${place.join('/')} is no place`)
  else if (value === undefined) delete holder[last]
  else holder[last] = value
}
