import { readFile, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { type Given, Misuse, wholeNumber } from 'spec-served/internal/command/arguments'
import { table, withBlock } from 'spec-served-cli/internal/texts/escapes'
import { type Entry, entriesOf, inProcess } from './listing.ts'
import type { MockReport } from './mock-trial.ts'

const readme = 'src/engine/lab/trials/README.md'
const trial = fileURLToPath(new URL('mock-trial.ts', import.meta.url))

/** A document, and what became of its mock: a text where it could not be checked. */
interface Row {
  entry: Entry
  report: MockReport | string
}

const silentIn = ({ silent }: MockReport) => Object.values(silent).flat()
/** Whether the check has found no fault, and has reached something. */
const isPassed = (report: MockReport) =>
  report.faults.length === 0 && silentIn(report).length < report.operations
const cut = (text: string, most = 160) => {
  const line = text.replace(/\s+/g, ' ').trim()
  return line.length > most ? `${line.slice(0, most)}…` : line
}

/** Tells why operations never answered 2xx, and what the document itself contradicts. */
function whyOf({ silent, contradictions }: MockReport): string {
  const reasons = Object.entries(silent).map(([reason, all]) => `${all.length}: ${reason}`)
  const messages = contradictions.map(({ message }) => `the document contradicts itself: ${message}`)
  return [...reasons, ...messages].join('; ')
}

function lineOf({ entry, report }: Row): string {
  if (typeof report === 'string') return `${entry.name}: ${cut(report, 300)}`
  const { operations, requests, faults, seconds } = report
  const why = whyOf(report)
  return `${entry.name}: ${faults.length} faults, ${requests} requests to ${operations} operations in ${seconds.toFixed(0)} s, ${silentIn(report).length} never answered 2xx${why && ` (${why})`}`
}

/** The faults of a mock, and with all details the requests that show them, and what was not looked at. */
function detailsOf({ report }: Row, isVerbose: boolean): string[] {
  if (typeof report === 'string') return []
  const { faults, silent, left } = report
  return [
    ...faults.map(({ operation, message, evidence }) =>
      [`${operation}: ${message}`, ...(isVerbose ? [evidence] : [])].join('\n    '),
    ),
    ...(isVerbose ? Object.entries(silent).map(([reason, all]) => `${reason}: ${all.join(', ')}`) : []),
    ...(isVerbose ? left.map(item => `left out: ${item}`) : []),
  ]
}

function cellsOf({ entry: { name, version }, report }: Row): string[] {
  const document = name.replaceAll('__', '/')
  const escaped = (text: string) => text.replace(/[\\<>`]/g, '\\$&')
  if (typeof report === 'string') return [document, version, '', '', '', '', escaped(cut(report))]
  const { operations, requests, faults } = report
  const numbers = [operations, requests, faults.length, silentIn(report).length].map(String)
  return [document, version, ...numbers, escaped(cut(whyOf(report)))]
}

function summaryOf(rows: readonly Row[]): string {
  const reports = rows.flatMap(({ report }) => (typeof report === 'string' ? [] : [report]))
  const passed = reports.filter(isPassed)
  const sum = (numberOf: (report: MockReport) => number) =>
    passed.reduce((total, report) => total + numberOf(report), 0)
  const faulty = reports.filter(({ faults }) => faults.length > 0).length
  return (
    `Of ${rows.length} documents the mocks of ${passed.length} pass, ${faulty} have faults, and ${rows.length - passed.length - faulty} can’t be served or asked. ` +
    `Those that pass have ${sum(({ operations }) => operations)} operations, got ${sum(({ requests }) => requests)} requests, and ` +
    `answered 2xx in ${sum(report => report.operations - silentIn(report).length)} of their operations.`
  )
}

/** Holds the mocks of documents to their documents. @returns the exit code */
export async function run(
  values: Given<'list'> &
    Record<'seconds' | 'requests' | 'at-once', string> &
    Record<'table' | 'verbose', boolean>,
  [directory]: string[],
): Promise<number> {
  if (directory === undefined) throw new Misuse('Which directory holds the documents?')
  const seconds = wholeNumber('--seconds', values.seconds, 1)
  const most = wholeNumber('--requests', values.requests, 1)
  const limits = { seconds: 3 * seconds + 60, megabytes: 1_500 }
  const rows: Row[] = []
  const entries = await entriesOf(directory, values.list)
  const due = entries.values()
  const work = async () => {
    for (const entry of due) {
      const report = await inProcess<MockReport>(trial, entry, limits, [String(seconds), String(most)])
      const row = { entry, report }
      rows.push(row)
      console.log([lineOf(row), ...detailsOf(row, values.verbose)].join('\n    '))
    }
  }
  await Promise.all(Array.from({ length: wholeNumber('--at-once', values['at-once'], 1) }, work))
  rows.sort((left, right) => entries.indexOf(left.entry) - entries.indexOf(right.entry))
  const head = ['Document', 'OpenAPI', 'Operations', 'Requests', 'Faults', 'Never 2xx', 'Why']
  const summary = `${summaryOf(rows)}\n\n${table(head, rows.map(cellsOf), column => column > 1 && column < 6)}`
  console.log(summary)
  if (values.table) await writeFile(readme, withBlock(await readFile(readme, 'utf8'), 'mocks', summary))
  return rows.every(({ report }) => typeof report !== 'string' && isPassed(report)) ? 0 : 1
}
