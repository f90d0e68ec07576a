/** The versions that a caller accepts; undefined accepts all. */
export type Versions = readonly number[] | undefined

/** The content codings that replies come in (RFC 9110, section 8.4.1), those first that are rather sent. */
export const codings = ['br', 'zstd', 'gzip'] as const
export type Coding = (typeof codings)[number]

const versionTag = new RegExp(`^"([1-9]\\d{0,9})(?:-(?:${codings.join('|')}))?"$`)

/** The strong ETag of a record's version (RFC 9110, section 8.8.3). */
export function etagOf(version: number): string {
  return `"${version}"`
}

/** The ETag of the same content in a coding. A strong one stands for bytes, so it is another (RFC 9110, 8.8.3.3). */
export function codedTag(tag: string, coding: Coding | null): string {
  return coding === null || tag.startsWith('W/') ? tag : `${tag.slice(0, -1)}-${coding}"`
}

/**
 * The versions that If-Match names, in whatever coding they were read. Weak tags never match (RFC 9110, section 13.1.1),
 * nor do tags that are not ours.
 */
export function versionsIn(ifMatch: string | undefined): Versions {
  if (ifMatch === undefined || ifMatch.trim() === '*') return undefined
  return tagsIn(ifMatch).flatMap(tag => {
    const version = versionTag.exec(tag)?.[1]
    return version === undefined ? [] : [Number(version)]
  })
}

/** Whether If-None-Match names the tag, by weak comparison (RFC 9110, section 13.1.2). */
export function isNamedIn(ifNoneMatch: string, tag: string): boolean {
  if (ifNoneMatch.trim() === '*') return true
  const opaque = (text: string) => text.replace(/^W\//, '')
  return tagsIn(ifNoneMatch).some(named => opaque(named) === opaque(tag))
}

function tagsIn(list: string): string[] {
  return list.match(/(?:W\/)?"[^"]*"/g) ?? []
}
