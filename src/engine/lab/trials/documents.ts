import { readFile, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { type Given, Misuse } from 'spec-served/internal/command/arguments'
import { table, withBlock } from 'spec-served-cli/internal/texts/escapes'
import { type Entry, entriesOf, inProcess } from './listing.ts'
import type { Report } from './trial.ts'

const readme = 'src/engine/lab/trials/README.md'
const trial = fileURLToPath(new URL('trial.ts', import.meta.url))
const limits = { seconds: 180, megabytes: 1_500 }

/** Tries one document. */
async function tryOne(entry: Entry): Promise<Report> {
  const begun = performance.now()
  const report = await inProcess<Report>(trial, entry, limits)
  if (typeof report !== 'string') return report
  const seconds = (performance.now() - begun) / 1_000
  return { kind: 'failed', step: 'any', message: report, seconds, megabytes: 0 }
}

function outcomeOf(report: Report, most: number): string {
  const cut = (text: string) => {
    const line = text.replace(/\s+/g, ' ').trim()
    return line.length > most ? `${line.slice(0, most)}…` : line
  }
  switch (report.kind) {
    case 'served':
      return 'served'
    case 'refused':
      return `refused at ${report.at}: ${cut(report.message)}`
    case 'failed':
      return `FAILED, ${report.step}: ${cut(report.message)}`
  }
}

function rowOf({ name, version }: Entry, report: Report): string[] {
  const operations = report.kind === 'refused' ? '' : String(report.operations ?? '')
  const outcome = outcomeOf(report, 120).replace(/[\\<>`]/g, '\\$&')
  return [name, version, operations, outcome, report.seconds.toFixed(1), report.megabytes.toFixed(0)]
}

function summaryOf(entries: readonly Entry[], reports: readonly Report[]): string {
  const versions = Map.groupBy(entries, ({ version }) => version)
  const byVersion = [...versions].sort().map(([version, { length }]) => `${length} of ${version}`)
  const count = (kind: Report['kind']) => reports.filter(report => report.kind === kind).length
  const served = reports.filter(report => report.kind === 'served')
  const sum = (key: 'operations' | 'valid' | 'invalid') =>
    served.reduce((total, report) => total + report[key], 0)
  return (
    `Of ${reports.length} documents (${byVersion.join(', ')}) ${count('served')} are served, ${count('refused')} refused, and ${count('failed')} failed. ` +
    `Those served have ${sum('operations')} operations; ${sum('valid')} valid calls reached their handlers, and ` +
    `${sum('invalid')} invalid ones were refused.`
  )
}

export async function run(
  values: Given<'list'> & Record<'table' | 'verbose', boolean>,
  [directory]: string[],
): Promise<number> {
  if (directory === undefined) throw new Misuse('Which directory holds the documents?')
  const rows: string[][] = []
  const reports: Report[] = []
  const entries = await entriesOf(directory, values.list)
  for (const entry of entries) {
    const report = await tryOne(entry)
    reports.push(report)
    rows.push(rowOf(entry, report))
    console.log(
      `${report.seconds.toFixed(1)} s ${entry.name}: ${outcomeOf(report, values.verbose ? 5_000 : 200)}`,
    )
  }
  const summary = summaryOf(entries, reports)
  console.log(summary)
  if (values.table) {
    const head = ['Document', 'OpenAPI', 'Operations', 'Outcome', 'Seconds', 'MB']
    const kept = `${summary}\n\n${table(head, rows, column => ![0, 1, 3].includes(column))}`
    await writeFile(readme, withBlock(await readFile(readme, 'utf8'), 'documents', kept))
  }
  return reports.some(({ kind }) => kind === 'failed') ? 1 : 0
}
