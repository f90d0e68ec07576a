/** A text on one line. */
export const line = (text: string): string => text.replace(/\s+/g, ' ').trim()

/** A text of Markdown in a cell of a table, out of which it does not break. */
export const cell = (text: string): string => line(text).replaceAll('|', '\\|')

/** A text as code on one line; its ticks are more than any in the text. */
export function code(text: string): string {
  const most = Math.max(0, ...[...text.matchAll(/`+/g)].map(([run]) => run.length))
  const ticks = '`'.repeat(most + 1)
  const space = most > 0 ? ' ' : ''
  return `${ticks}${space}${line(text)}${space}${ticks}`
}

/** A link with a text of Markdown, which ends at none of its brackets. */
export const link = (text: string, to: string): string => `[${line(text).replace(/[\\[\]]/g, '\\$&')}](${to})`

/** A text that is no Markdown, on one line: it is shown as it is. */
export const plain = (text: string): string => line(text).replace(/[\\`*_[\]<>#|~]/g, '\\$&')

/** A table in Markdown. Columns of numbers stand to the right, with two decimals. */
export function table(
  head: readonly string[],
  rows: readonly (readonly (string | number)[])[],
  isRight = (_column: number) => false,
): string {
  const text = (value: string | number) => (typeof value === 'number' ? value.toFixed(2) : cell(value))
  const rule = head.map((_, column) => (isRight(column) ? '---:' : '---'))
  return [head, rule, ...rows].map(cells => `| ${cells.map(text).join(' | ')} |`).join('\n')
}

/**
 * A text with what is due between `<!-- name -->` and `<!-- /name -->`.
 * @throws Error when that place is missing
 */
export function withBlock(text: string, name: string, due: string): string {
  const place = new RegExp(`(?<=<!-- ${name} -->\n).*?(?=<!-- /${name} -->)`, 's')
  if (!place.test(text)) throw new Error(`There is no place <!-- ${name} --> … <!-- /${name} -->`)
  return text.replace(place, () => `${due}\n`)
}
