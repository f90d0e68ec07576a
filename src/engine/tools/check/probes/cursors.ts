/** Numbers in place of another: a negative one, a fraction, and one that no database holds. */
const others = ['-1', '0.5', '99999999999999999999999999']
/** The most cursors that are made of one. */
const mostSpoilt = 24

/** The same cursor with another number in it, for each number; nothing for one that holds none that can be read. */
export function spoiltCursors(cursor: string): string[] {
  const isReadable = (candidate: string) => /^[\x20-\x7e]*\d[\x20-\x7e]*$/.test(candidate)
  const coding = (['base64url', 'base64'] as const).find(candidate => {
    const bytes = Buffer.from(cursor, candidate)
    return bytes.toString(candidate) === cursor && isReadable(bytes.toString('latin1'))
  })
  const text = coding ? Buffer.from(cursor, coding).toString('latin1') : cursor
  if (!coding && !/^-?\d+$/.test(cursor)) return []
  const spoilt = [...text.matchAll(/-?\d+(\.\d+)?/g)].flatMap(({ 0: found, index }) =>
    others.map(other => text.slice(0, index) + other + text.slice(index + found.length)),
  )
  return spoilt
    .slice(0, mostSpoilt)
    .map(item => (coding ? Buffer.from(item, 'latin1').toString(coding) : item))
}

/** The URLs of a next page with such cursors in place of its own. @param from the URL of the page that leads to it */
export function spoiltIn(from: string, to: string): string[] {
  const [path, query] = to.split('?')
  const before = new URLSearchParams(from.split('?')[1])
  return [...new URLSearchParams(query)].flatMap(([name, value]) => {
    if (before.get(name) === value) return []
    return spoiltCursors(value).map(spoilt => {
      const search = new URLSearchParams(query)
      search.set(name, spoilt)
      return `${path}?${search}`
    })
  })
}
