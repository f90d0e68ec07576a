import { fork } from 'node:child_process'
import { statSync } from 'node:fs'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { Misuse } from 'spec-served/internal/command/arguments'

/** A public document, as a directory holds it. */
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
    const checkout = join(directory, written.replaceAll('/', '__'))
    const [owner, repository, ...rest] = written.split('/')
    const path = rest.join('/')
    const name = `${owner}/${repository} ${path}`
    // The main file of a document: its place in the directory is the longest end of the document's path.
    const steps = path.split('/')
    const file = [checkout, ...steps.map((_, i) => join(checkout, ...steps.slice(i)))].find(candidate =>
      statSync(candidate, { throwIfNoEntry: false })?.isFile(),
    )
    if (file === undefined) throw new Misuse(`${checkout} holds no ${basename(path)}`)
    const [, version = ''] =
      /^[\s{]*["']?openapi["']?\s*:\s*["']?(\d+\.\d+)/m.exec(await readFile(file, 'utf8')) ?? []
    return { name, file, folder: file === checkout ? dirname(checkout) : checkout, version }
  })
  return Promise.all(entries)
}

/** The limits of a document's trial: seconds, and megabytes of values. */
export interface TrialLimits {
  seconds: number
  megabytes: number
}

/**
 * Runs a trial in a process group of its own, which is ended when it takes too long.
 * @param args what the trial gets, with a directory for its files between file and folder
 * @returns what it sends, or why it sends nothing
 */
export async function inProcess<Report>(
  trial: string,
  { file, folder }: Entry,
  { seconds, megabytes }: TrialLimits,
  args: readonly string[] = [],
): Promise<Report | string> {
  const directory = await mkdtemp(join(tmpdir(), 'document-'))
  const child = fork(trial, [file, directory, folder, ...args], {
    detached: true,
    execArgv: [`--max-old-space-size=${megabytes}`],
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  })
  let report: Report | string | undefined
  const timer = setTimeout(() => {
    report = `it takes more than ${seconds} s`
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
  }, seconds * 1_000)
  child.on('message', message => {
    report = message as Report // what the trial sends
  })
  const end = await new Promise(resolve => child.on('close', (code, signal) => resolve(signal ?? code)))
  clearTimeout(timer)
  await rm(directory, { recursive: true, force: true })
  return report ?? `the process ended with ${end}`
}
