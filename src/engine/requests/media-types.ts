import { MIMEType } from 'node:util'

/** Longest media type that is read, in characters: Node's parser takes a time that grows with the square of its length. */
const longest = 256

/** @returns undefined for what is no media type (RFC 9110, section 8.3.1), or a longer one than anybody sends */
export function parseMediaType(text: string): MIMEType | undefined {
  if (text.length > longest) return undefined
  try {
    return new MIMEType(text)
  } catch {
    return undefined
  }
}

/** JSON, or a format that is written in it (RFC 6839, section 3.1). */
export function isJson({ essence }: MIMEType): boolean {
  return essence.endsWith('/json') || essence.endsWith('+json')
}

/**
 * The declared media type or range that one sent falls under: the most specific (OpenAPI 3.0.3, 4.7.13.1).
 * @param declared as they stand in the document
 */
export function matchMediaType(declared: readonly string[], sent: MIMEType): string | undefined {
  const ranked = declared.map(name => ({ name, rank: rankOf(name, sent) })).filter(({ rank }) => rank > 0)
  return ranked.sort((a, b) => b.rank - a.rank)[0]?.name
}

function rankOf(name: string, sent: MIMEType): number {
  // A list of them, which is none, begins with the one that is meant.
  const own = parseMediaType(name) ?? parseMediaType(name.split(/[,;]/, 1)[0] ?? '')
  if (!own) return 0
  if (own.essence === '*/*') return 1
  if (own.subtype === '*') return own.type === sent.type ? 2 : 0
  if (own.essence !== sent.essence) return 0
  // Of two that differ in parameters only, such as a version, the one that has those sent is meant.
  const parameters = [...own.params]
  return parameters.length > 0 && parameters.every(([key, value]) => sent.params.get(key) === value) ? 4 : 3
}
