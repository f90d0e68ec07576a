/** Decodes a text, or returns it unchanged if it is not encoded: cookies are opaque (RFC 6265, section 4.1.1). */
export function decodeOr(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** A piece of a template's segment: decoded text, or the name of a parameter. */
type Piece = { text: string } | { name: string }

/** The pieces of each segment of a path template (OpenAPI 3.0.3, 4.7.8.1). */
export function segmentsOf(template: string): Piece[][] {
  return template
    .slice(1)
    .split('/')
    .map(segment =>
      segment.split(/(\{[^{}]+\})/).flatMap((piece): Piece[] => {
        if (piece === '') return []
        return piece.startsWith('{') ? [{ name: piece.slice(1, -1) }] : [{ text: decodeOr(piece) }]
      }),
    )
}

const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')

/** The pattern of a parameter that shares its segment. It matches up to the next text in one way, and is never slow. */
function patternOf(pieces: readonly Piece[], index: number): string {
  const isLast = !pieces.slice(index + 1).some(piece => 'name' in piece)
  const next = pieces[index + 1]
  const text = next && 'text' in next ? next.text : ''
  return isLast ? '([^]+)' : `([^](?:(?!${escaped(text)})[^])*)`
}

/** A template whose parameters stand alone in their segments, under names that the router takes. */
const plainTemplate = /^(?:\/(?:[\w.~-]+|\{(?!__proto__\})[A-Za-z_]\w*\}))+$/

/** Whether the router's own values of a path's parameters serve, decoded and by the names in the template. */
export const isPlain = (template: string): boolean => plainTemplate.test(template)

/** Returns a path template in the router's syntax. If it is not plain, parameters are named by their order. */
export function routeOf(template: string): string {
  return isPlain(template) ? template.replace(/\{(\w+)\}/g, ':$1') : numberedRouteOf(template)
}

export function numberedRouteOf(template: string): string {
  let count = 0
  const parameter = (pattern: string) => `:p${count++}${pattern}`
  const segments = segmentsOf(template).map(pieces => {
    if (pieces.length === 1 && pieces[0] && 'name' in pieces[0]) return parameter('')
    const parts = pieces.map((piece, i) =>
      'name' in piece ? parameter(patternOf(pieces, i)) : literal(piece.text, parameter),
    )
    return parts.join('')
  })
  return `/${segments.join('/')}`
}

/** Characters that are special to the router, or that it does not decode, become patterns of one character. */
function literal(text: string, parameter: (pattern: string) => string): string {
  return text.replaceAll(':', '::').replace(/[*%/?#]/g, character => parameter(`(\\${character})`))
}

/** Returns a reader for a path's parameters, by their names in the template, still percent-encoded. */
export function pathReader(template: string): (url: string) => Map<string, string> {
  const readers = segmentsOf(template).flatMap((pieces, index) => {
    const names = pieces.flatMap(piece => ('name' in piece ? piece.name : []))
    if (names.length === 0) return []
    // A parameter that is alone in its segment takes all of it.
    const parts = pieces.map((piece, i) => ('name' in piece ? patternOf(pieces, i) : escaped(piece.text)))
    return { names, pattern: pieces.length > 1 ? new RegExp(`^${parts.join('')}$`) : /^(.+)$/s, index }
  })
  return url => {
    const segments = beforeQuery(url).slice(1).split('/')
    const values = readers.flatMap(({ names, pattern, index }) => {
      const raw = segments[index] ?? ''
      // Text around parameters may be escaped without need. Then the parameters are read from the decoded path.
      const [, ...found] = pattern.exec(raw) ?? pattern.exec(decodeOr(raw))?.map(encodeURIComponent) ?? []
      return found.map((value, i) => [names[i] ?? '', value] as const)
    })
    return new Map(values)
  }
}

/** Returns a text as a URI, also for header fields. Characters that no URI has are percent-encoded (RFC 3986, 2). */
export const uriOf = (text: string) =>
  text.toWellFormed().replace(/[^!#-;=?-Z[\]_a-z~]/gu, character => encodeURIComponent(character))

export const beforeQuery = (url: string) => url.split('?', 1)[0] ?? ''
