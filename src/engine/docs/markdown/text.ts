import { stringify } from 'yaml'

/** A text on one line. */
export function line(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}

/** A table; what would break out of its cells is escaped. */
function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const row = (cells: readonly string[]) =>
    `| ${cells.map(cell => line(cell).replaceAll('|', '\\|')).join(' | ')} |`
  return [row(head), `|${' --- |'.repeat(head.length)}`, ...rows.map(row)].join('\n')
}

/** A table below a heading; nothing where it has no rows. */
export function section(
  heading: string,
  head: readonly string[],
  rows: readonly (readonly string[])[],
): string[] {
  return rows.length > 0 ? [heading, table(head, rows)] : []
}

/** A value as JSON, in a block. */
export function json(value: unknown): string {
  return fenced('json', JSON.stringify(value, null, 2))
}

/** A value as YAML, in a block. */
export function yaml(value: unknown): string {
  return fenced('yaml', stringify(value, { lineWidth: 0, aliasDuplicateObjects: false }).trimEnd())
}

/** The fence is longer than any in the text. */
function fenced(language: string, text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length))
  const fence = '`'.repeat(longest + 1)
  return `${fence}${language}\n${text}\n${fence}`
}
