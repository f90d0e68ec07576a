import { readdir, readFile } from 'node:fs/promises'
import type { Release } from 'spec-served-document/contract/contract'

/** The most releases that the docs offer, the newest ones. */
const mostReleases = 200

/** Returns the released documents of a folder, the newest first; none if there is no such folder. @param folder ends with a slash */
export async function releasesIn(folder: URL): Promise<Release[]> {
  const names = await readdir(folder).catch(() => [])
  const versions = names.flatMap(name => /^(\d+\.\d+\.\d+(?:-[\w.-]+)?)\.yaml$/.exec(name)?.[1] ?? [])
  return versions
    .sort((version, other) => compare(other, version))
    .slice(0, mostReleases)
    .map(version => ({ version, read: () => readFile(new URL(`${version}.yaml`, folder)) }))
}

/** Orders versions. A version before its release comes before that (Semantic Versioning 2.0.0, section 11). */
function compare(version: string, other: string): number {
  const release = (text: string) => text.replace(/-.*/, '')
  const byNumbers = release(version).localeCompare(release(other), 'en', { numeric: true })
  const isBefore = (text: string) => Number(text.includes('-'))
  return (
    byNumbers || isBefore(other) - isBefore(version) || version.localeCompare(other, 'en', { numeric: true })
  )
}
