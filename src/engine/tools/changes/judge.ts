import { pointerTo } from 'spec-served-document/reading/nodes'
import type { ReadDocument } from 'spec-served-document/reading/read'
import type { OpenApi } from 'spec-served-document/types'
import { type Change, found, severities } from './change.ts'
import { canonical } from './located.ts'
import { compareOperations } from './operations/compare.ts'
import { compareBounds, compareLifetimes, compareLimits } from './rate-limits.ts'
import { inJsonSchema } from './schemas/terms.ts'
import { basesOf, compareServers } from './servers.ts'
import { type Bump, compareVersions, isVersion, reaches, versionAfter } from './version.ts'

/** A change, where it is written, and every place where clients meet it: many operations share a schema. */
export interface Finding extends Omit<Change, 'part' | 'place' | 'side'> {
  file: string
  /** counts from 1 */
  line: number
  /** in that file, as a JSON Pointer (RFC 6901) in a URI fragment */
  pointer: string
  places: string[]
}

/**
 * Judges what the differences between two OpenAPI documents mean for clients, gravest first. Texts, examples and
 * the order of things are no findings, but need a new version.
 * @param day today, YYYY-MM-DD in UTC: what was announced to be over by then may go
 */
export function judge(base: ReadDocument, next: ReadDocument, day: string): Finding[] {
  const [before, after] = [base.document, next.document]
  const [old, now] = [inJsonSchema(base), inJsonSchema(next)]
  const [from, to] = basesOf(old, now)
  const changes = [
    ...compareOperations(old, now, day, [from.prefix, to.prefix]),
    ...compareServers(from.servers, to.servers),
    ...compareLimits(before, after),
    ...compareLifetimes(before, after),
    ...compareBounds(before, after),
  ]
  const faults = versionFaults(before, after, dueBump(before, after, changes))
  return gather([...changes, ...faults], base, next).sort(
    (a, b) =>
      severities.indexOf(a.severity) - severities.indexOf(b.severity) ||
      a.file.localeCompare(b.file) ||
      a.line - b.line,
  )
}

/** One finding for a change that is written once, wherever it is met. */
function gather(changes: Iterable<Change>, base: ReadDocument, next: ReadDocument): Finding[] {
  const findings = new Map<string, Finding>()
  for (const { part, place, side, ...change } of changes) {
    const { faultAt } = side === 'new' ? next : base
    const { file, line, pointer } = faultAt(place, change.rule, change.what)
    const key = [change.rule, change.severity, side, change.what, change.why, file, pointer].join('\0')
    const finding = findings.get(key) ?? { ...change, file, line, pointer, places: [] }
    findings.set(key, finding)
    if (part && !finding.places.includes(part)) finding.places.push(part)
  }
  return [...findings.values()]
}

/** How much the version must rise; not at all when nothing changed but the version itself. */
function dueBump(base: OpenApi, next: OpenApi, changes: readonly Change[]): Bump | undefined {
  if (changes.some(({ severity }) => severity === 'breaking')) return 'major'
  if (changes.length > 0) return 'minor'
  return firstDifference(unversioned(base), unversioned(next)) ? 'patch' : undefined
}

const unversioned = (document: OpenApi) => ({ ...document, info: { ...document.info, version: '' } })

/** Returns the place of the first difference of two values; undefined if they are equal. */
function firstDifference(before: unknown, after: unknown): string[] | undefined {
  if (canonical(before) === canonical(after)) return undefined
  if (typeof before !== 'object' || typeof after !== 'object' || !before || !after) return []
  const [a, b] = [new Map(Object.entries(before)), new Map(Object.entries(after))]
  for (const name of new Set([...b.keys(), ...a.keys()])) {
    const below = firstDifference(a.get(name), b.get(name))
    if (below) return [name, ...below]
  }
  return []
}

function* versionFaults(base: OpenApi, next: OpenApi, bump: Bump | undefined): Generator<Change> {
  const [before, after] = [base.info.version, next.info.version]
  const where = { place: ['info', 'version'] }
  const [isOrdered, due] = [isVersion(before) && isVersion(after), bump && versionAfter(before, bump)]
  if (isOrdered && compareVersions(after, before) < 0)
    yield found('version-backwards', where, `the version was ${before} and is ${after}`)
  else if (isOrdered && due && !reaches(after, due))
    yield found(
      'version-bump',
      where,
      `the changes since ${before} need ${due} (${bump}), but the version is ${after}${firstOf(base, next, bump)}`,
    )
  else if (bump && after === before) yield found('version-bump', where, `the version is still ${after}`)
}

/** Returns the place of a change that has no finding of its own, for the end of a sentence. */
function firstOf(base: OpenApi, next: OpenApi, bump: Bump | undefined): string {
  const path = bump === 'patch' ? firstDifference(unversioned(base), unversioned(next)) : undefined
  return path ? `; the first of them is at ${pointerTo(path)}` : ''
}
