/** The part of a version that changes because of a change of the interface (semver.org, 2.0.0). */
export type Bump = 'major' | 'minor' | 'patch'

const form = /^((?:0|[1-9]\d*)\.(?:0|[1-9]\d*)\.(?:0|[1-9]\d*))(?:-([0-9A-Za-z.-]+))?(?:\+[0-9A-Za-z.-]+)?$/

/** The numbers of a version, and the text after the `-` of a pre-release. Other texts have no numbers. */
function partsOf(text: string): { numbers: string; early: string | undefined } {
  const [, numbers = '', early] = form.exec(text) ?? []
  return { numbers, early }
}

/** Whether a text is a version of semver.org. */
export function isVersion(text: string): boolean {
  return form.test(text)
}

/** Orders versions, oldest first; a version before its release comes before that. What is no version comes first. */
export function compareVersions(first: string, second: string): number {
  const [a, b] = [partsOf(first), partsOf(second)]
  const order = (text = '', than = '') => text.localeCompare(than, 'en', { numeric: true })
  if (a.numbers !== b.numbers) return order(a.numbers, b.numbers)
  const isReleased = [a, b].map(({ early }) => Number(early === undefined))
  return isReleased[0] === isReleased[1] ? order(a.early, b.early) : (isReleased[0] ?? 0) * 2 - 1
}

/**
 * The smallest version that may follow. Before 1.0.0 nothing is promised: there a breaking change is a minor one, an
 * addition a patch. After a version before its release, that release may follow whatever changed.
 */
export function versionAfter(base: string, bump: Bump): string {
  const { numbers, early } = partsOf(base)
  const [major = 0, minor = 0, patch = 0] = numbers.split('.').map(Number)
  if (early !== undefined || numbers === '') return numbers || base
  const due = major > 0 ? bump : bump === 'major' ? 'minor' : 'patch'
  if (due === 'major') return `${major + 1}.0.0`
  return due === 'minor' ? `${major}.${minor + 1}.0` : `${major}.${minor}.${patch + 1}`
}

/** Whether a version is at least as new as another, its own early ones included (2.0.0-rc.1 counts as 2.0.0). */
export function reaches(version: string, due: string): boolean {
  return compareVersions(partsOf(version).numbers, due) >= 0
}
