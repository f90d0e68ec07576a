import { execFileSync } from 'node:child_process'
import { closeSync, openSync, readFileSync, rmSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { startPostgres } from '../../scripts/local/postgres.ts'
import { prepare } from '../../scripts/local/prepare.ts'
import { temporaryDirectory } from '../../scripts/local/temporary.ts'
import { dataDirectory } from '../support/data-directory.ts'
import { openPipe, startLogging } from '../support/log-output.ts'
import { watchHealth } from './health.ts'
import type { Outcome, Scenario, Setting } from './scenario.ts'

/** Callers who make the service log as fast as it answers. */
const callers = 8
/** Requests of each between two looks at the time. */
const atOnce = 20
/** How much more memory lines that wait may cost, in MiB, with the heaps that grow under load: of one process, of workers. */
const mostMemory = { pglite: 150, postgres: 300 }
/** Longest time for which /health may keep silent, and that a stop may take, in ms. */
const longestSilence = 2_000
const longestStop = 8_000

/** Where a log goes that can't be written. */
interface Output {
  stdout: number
  /** Lets it be written again, and takes what it has. */
  free(): void
  close(): void
}

export const logDiskFull: Scenario = {
  name: 'log disk full',
  description: 'the disk of the log fills up under load, and has room again',
  databases: ['pglite', 'postgres'],
  run: setting => runWith(setting, fullDisk()),
}

export const logBlocked: Scenario = {
  name: 'log blocked',
  description: 'nobody reads the log under load, and then somebody does',
  databases: ['pglite', 'postgres'],
  run: setting => runWith(setting, unreadPipe()),
}

function fullDisk(): Output {
  const disk = temporaryDirectory()
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', disk], { stdio: 'pipe' })
  } catch (error) {
    rmSync(disk, { recursive: true })
    throw new Error('A disk of its own can be made by root on Linux only', { cause: error })
  }
  const file = join(disk, 'log')
  const stdout = openSync(file, 'a')
  return {
    stdout,
    free: () => truncateSync(file),
    close() {
      closeSync(stdout)
      execFileSync('umount', ['-l', disk])
      rmSync(disk, { recursive: true, force: true })
    },
  }
}

function unreadPipe(): Output {
  const directory = temporaryDirectory()
  const pipe = openPipe(directory)
  return {
    stdout: pipe.input,
    free: pipe.read,
    close() {
      pipe.close()
      rmSync(directory, { recursive: true })
    },
  }
}

/** Loads a service, on PostgreSQL one with workers, lets its log be written again, loads it once more, and stops it. */
async function runWith({ short, database, progress }: Setting, output: Output): Promise<Outcome> {
  const seconds = short ? 3 : 20
  const place = await openPlace(database)
  try {
    const server = await startLogging({ ...place.env, LOG_FORMAT: 'json' }, output.stdout)
    try {
      const before = memoryOf(server.pid)
      const watch = watchHealth(server.url)
      const load = async () => {
        const end = performance.now() + seconds * 1_000
        const call = async () => {
          while (performance.now() < end) await server.fillLog(atOnce)
        }
        await Promise.all(Array.from({ length: callers }, call))
      }
      await load()
      const grown = memoryOf(server.pid) - before
      progress('the log could not be written')
      const end = performance.now() + seconds * 1_000
      while (!server.errors().includes('can be written again') && performance.now() < end) {
        output.free()
        await sleep(5)
      }
      const isBack = server.errors().includes('can be written again')
      progress('the log could be written again')
      await load()
      const { silence, foreign } = await watch.end()
      const begun = performance.now()
      const killing = setTimeout(() => void server.stop('SIGKILL'), 3 * longestStop)
      const code = await server.stop()
      clearTimeout(killing)
      const stop = Math.round(performance.now() - begun)
      const faults: string[] = []
      if (grown > mostMemory[database]) faults.push(`lines that wait cost ${grown} MiB`)
      if (!isBack) faults.push(`it was not told that the log can be written again: ${server.errors()}`)
      if (foreign > 0) faults.push(`/health was not answered ${foreign} times`)
      if (silence > longestSilence) faults.push(`/health was silent for ${silence} ms`)
      if (code !== 0 || stop > longestStop) faults.push(`the stop took ${stop} ms, with exit code ${code}`)
      return {
        figures: {
          'memory that it cost, MiB': grown,
          'longest silence of /health, ms': silence,
          'the stop, ms': stop,
        },
        faults,
      }
    } finally {
      await server.stop('SIGKILL')
    }
  } finally {
    await place.close()
    output.close()
  }
}

async function openPlace(database: Setting['database']) {
  const directory = temporaryDirectory()
  const remove = () => rmSync(directory, { recursive: true, force: true })
  if (database === 'pglite')
    return { env: { DATA_DIR: await dataDirectory(directory) }, close: async () => remove() }
  const postgres = await startPostgres(directory)
  await postgres.execute('create database petstore')
  const url = `${postgres.url}/petstore`
  await prepare(url)
  return {
    env: { DATABASE_URL: url, WORKERS: '2', REDIS_URL: 'redis://127.0.0.1:1' }, // each counts in memory
    async close() {
      await postgres.stop()
      remove()
    },
  }
}

/** The memory that a process and its workers hold, in MiB; 0 where the system does not tell. */
function memoryOf(pid: number | undefined): number {
  try {
    const workers = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
      .trim()
      .split(' ')
      .filter(Boolean)
    const kilobytes = [String(pid), ...workers].map(id =>
      Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${id}/status`, 'utf8'))?.[1] ?? 0),
    )
    return Math.round(kilobytes.reduce((sum, each) => sum + each, 0) / 1_024)
  } catch {
    return 0
  }
}
