/** A table in Markdown. Columns of numbers stand to the right, with two decimals. */
export function table(
  head: readonly string[],
  rows: readonly (readonly (string | number)[])[],
  isRight = (_column: number) => false,
): string {
  const text = (cell: string | number) =>
    typeof cell === 'number' ? cell.toFixed(2) : cell.replaceAll('|', '\\|')
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
