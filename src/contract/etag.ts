/** The versions that a caller accepts; undefined accepts all. */
export type Versions = readonly number[] | undefined

/** The strong ETag of a record's version (RFC 9110, section 8.8.3). */
export function etagOf(version: number): string {
  return `"${version}"`
}

/**
 * The versions that If-Match names. Weak tags never match (RFC 9110, section 13.1.1), nor do tags that are not ours.
 */
export function versionsIn(ifMatch: string | undefined): Versions {
  if (ifMatch === undefined || ifMatch.trim() === '*') return undefined
  return tagsIn(ifMatch).flatMap(tag => (/^"[1-9]\d{0,9}"$/.test(tag) ? [Number(tag.slice(1, -1))] : []))
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
