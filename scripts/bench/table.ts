/** A cell: text, or a number with two decimals; undefined where nothing was measured. */
export type Cell = string | number | undefined

const text = (cell: Cell): string =>
  typeof cell === 'number' ? (Number.isFinite(cell) ? cell.toFixed(2) : '–') : (cell ?? '–')

/** A Markdown table whose columns are aligned in the source too: names to the left, numbers to the right. */
export function markdownTable(head: readonly string[], rows: readonly (readonly Cell[])[]): string {
  const cells = [head, ...rows.map(row => row.map(text))]
  const widths = head.map((_, column) => Math.max(3, ...cells.map(row => [...(row[column] ?? '')].length)))
  const line = (row: readonly string[]) =>
    `| ${widths
      .map((width, column) => {
        const cell = (row[column] ?? '').replaceAll('|', '\\|')
        const padding = ' '.repeat(Math.max(0, width - [...cell].length))
        return column === 0 ? cell + padding : padding + cell
      })
      .join(' | ')} |`
  const rule = widths.map((width, column) => (column === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`))
  const [header = [], ...body] = cells
  return [line(header), line(rule), ...body.map(line)].join('\n')
}
