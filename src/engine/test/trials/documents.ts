import { fork } from 'node:child_process'
import { statSync } from 'node:fs'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Given, Misuse } from '../../tools/command/arguments.ts'
import { table, withBlock } from '../../tools/texts/escapes.ts'
import type { Report } from './trial.ts'

const readme = 'src/engine/tools/lint/README.md'
const trial = fileURLToPath(new URL('trial.ts', import.meta.url))
/** The limits of a document: seconds, and megabytes of values. */
const limits = { seconds: 180, megabytes: 1_500 }

/** A public document in a directory. */
export interface Entry {
  name: string
  file: string
  /** holds all files of the document */
  folder: string
  /** of OpenAPI, as the document says */
  version: string
}

/** The documents of a list, or all in a directory. */
export async function entriesOf(directory: string, list: string | undefined): Promise<Entry[]> {
  const lines =
    list === undefined
      ? (await readdir(directory)).filter(name => name.includes('__')).sort()
      : (await readFile(list, 'utf8')).split('\n').filter(line => line.trim() !== '')
  const entries = lines.map(async line => {
    const written = line.replaceAll(/\t|__/g, '/')
    const at = join(directory, written.replaceAll('/', '__'))
    const [owner, repository, ...rest] = written.split('/')
    const path = rest.join('/')
    const name = `${owner}/${repository} ${path}`
    // The main file of a document: its place in the directory is the longest end of the document's path.
    const steps = path.split('/')
    const file = [at, ...steps.map((_, i) => join(at, ...steps.slice(i)))].find(one =>
      statSync(one, { throwIfNoEntry: false })?.isFile(),
    )
    if (file === undefined) throw new Misuse(`${at} holds no ${basename(path)}`)
    const [, version = ''] =
      /^[\s{]*["']?openapi["']?\s*:\s*["']?(\d+\.\d+)/m.exec(await readFile(file, 'utf8')) ?? []
    return { name, file, folder: file === at ? dirname(at) : at, version }
  })
  return Promise.all(entries)
}

/** Tries one document in a process group of its own, which is ended when it takes too long. */
async function tryOne({ file, folder }: Entry): Promise<Report> {
  const directory = await mkdtemp(join(tmpdir(), 'document-'))
  const child = fork(trial, [file, directory, folder], {
    detached: true,
    execArgv: [`--max-old-space-size=${limits.megabytes}`],
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  })
  const begun = performance.now()
  const failed = (message: string): Report => ({
    kind: 'failed',
    step: 'any',
    message,
    seconds: (performance.now() - begun) / 1_000,
    megabytes: 0,
  })
  let report: Report | undefined
  const timer = setTimeout(() => {
    report = failed(`it takes more than ${limits.seconds} s`)
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
  }, limits.seconds * 1_000)
  child.on('message', message => {
    report = message as Report // what the trial sends
  })
  const code = await new Promise(resolve => child.on('close', resolve))
  clearTimeout(timer)
  await rm(directory, { recursive: true, force: true })
  return report ?? failed(`the process ended with ${code}`)
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
