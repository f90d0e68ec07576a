/** The part of a version that changes because of a change of the interface (semver.org, 2.0.0). */
export type Bump = 'major' | 'minor' | 'patch'

const form = /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-([0-9A-Za-z.-]+))?(?:\+[0-9A-Za-z.-]+)?$/

interface Version {
  numbers: [major: number, minor: number, patch: number]
  /** what follows the `-` of a version before its release */
  early: string | undefined
}

function versionOf(text: string): Version | undefined {
  const found = form.exec(text)
  return found
    ? { numbers: [Number(found[1]), Number(found[2]), Number(found[3])], early: found[4] }
    : undefined
}

/** Whether a text is a version of semver.org. */
export function isVersion(text: string): boolean {
  return form.test(text)
}

/** Orders versions, oldest first; a version before its release comes before that. What is no version comes first. */
export function compareVersions(one: string, other: string): number {
  const [a, b] = [versionOf(one), versionOf(other)]
  if (!a || !b) return Number(a !== undefined) - Number(b !== undefined)
  for (const [index, number] of a.numbers.entries()) {
    const difference = number - (b.numbers[index] ?? 0)
    if (difference !== 0) return difference
  }
  if (a.early === b.early) return 0
  if (a.early === undefined || b.early === undefined) return a.early === undefined ? 1 : -1
  return a.early.localeCompare(b.early, 'en', { numeric: true })
}

/**
 * The smallest version that may follow. Before 1.0.0 nothing is promised: there a breaking change is a minor one, an
 * addition a patch. After a version before its release, that release may follow whatever changed.
 */
export function versionAfter(base: string, bump: Bump): string {
  const version = versionOf(base)
  if (!version) return base
  const [major, minor, patch] = version.numbers
  if (version.early !== undefined) return `${major}.${minor}.${patch}`
  const due = major > 0 ? bump : bump === 'major' ? 'minor' : 'patch'
  if (due === 'major') return `${major + 1}.0.0`
  return due === 'minor' ? `${major}.${minor + 1}.0` : `${major}.${minor}.${patch + 1}`
}

/** Whether a version is at least as new as another, its own early ones included (2.0.0-rc.1 counts as 2.0.0). */
export function reaches(version: string, due: string): boolean {
  const numbers = versionOf(version)?.numbers.join('.')
  return numbers !== undefined && compareVersions(numbers, due) >= 0
}
