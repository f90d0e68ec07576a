/** Words that no name in TypeScript may be. */
export const reservedWords: ReadonlySet<string> = new Set(
  (
    'arguments await break case catch class const continue debugger default delete do else enum eval export extends ' +
    'false finally for function if implements import in instanceof interface let new null package private protected ' +
    'public return static super switch this throw true try typeof undefined var void while with yield'
  ).split(' '),
)

/** A text as a string in code, in single quotes, on one line. */
export function stringLiteral(text: string): string {
  const [, inside = ''] = /^"(.*)"$/s.exec(JSON.stringify(text)) ?? []
  return `'${visibleBreaks(inside.replaceAll('\\"', '"').replaceAll("'", "\\'"))}'`
}

/** A text as it stands in a template in code: nothing of it is run. */
export const templateText = (text: string): string =>
  visibleBreaks(text.replace(/[\\`]|\$(?=\{)/g, '\\$&').replaceAll('\r', '\\r'))

/** A text on one line of a comment, which it does not end. */
export const commentText = (text: string): string => text.replace(/\s+/g, ' ').replaceAll('*/', '*\\/').trim()

/** Line breaks of Unicode end a line for some readers of code. */
const visibleBreaks = (text: string) => text.replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029')

/** The name of a property in code. A plain `__proto__` would set the prototype; a computed one is a property. */
export function propertyName(name: string): string {
  if (name === '__proto__') return `['__proto__']`
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : visibleBreaks(JSON.stringify(name))
}

/** A value of JSON as code. A whole number may be a bigint. */
export function valueLiteral(value: unknown): string {
  if (typeof value === 'bigint') return `${value}n`
  if (Array.isArray(value)) return `[${value.map(valueLiteral).join(', ')}]`
  if (typeof value !== 'object' || value === null) return visibleBreaks(JSON.stringify(value))
  const entries = Object.entries(value).map(
    ([name, child]) => `${propertyName(name)}: ${valueLiteral(child)}`,
  )
  return entries.length > 0 ? `{ ${entries.join(', ')} }` : '{}'
}
