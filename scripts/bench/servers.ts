import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { freePort } from '../local/postgres.ts'

/** How a server is started. */
export interface Program {
  name: string
  command: string
  args: readonly string[]
  env: Readonly<Record<string, string>>
}

/** A server in a process of its own. */
export interface Served {
  name: string
  pid: number
  url: string
  /** the file with its output */
  log: string
  stop(): Promise<void>
}

/**
 * This service, as `npm start` runs it, but that it refuses nothing for being late: others make their callers wait too.
 */
export function ours(databaseUrl: string): Program {
  const { scripts } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
  const [, ...words] = String(scripts.start).split(' ') // `node`, its options, the program
  return {
    name: 'petstore',
    command: process.execPath,
    args: [...words.slice(0, -1), fileURLToPath(new URL('../../src/main.js', import.meta.url))],
    env: { DATABASE_URL: databaseUrl, LOG_LEVEL: 'warn', MAX_WAIT_MS: '10000' },
  }
}

/** The end of what a server has written. */
export const lastWords = (log: string) => readFileSync(log, 'utf8').slice(-1_000)

/** Longest wait for a server to listen, and to end when it is told to, in ms. */
const startWithin = 60_000
const stopWithin = 5_000

/**
 * Starts a server on a free port and waits until it takes connections. What it writes goes into a file, as writing costs
 * whoever reads too.
 * @param directory for its output; no `.env` there
 */
export async function startServer({ name, command, args, env }: Program, directory: string): Promise<Served> {
  const port = await freePort()
  const log = join(directory, `${name}-${port}.log`)
  const output = openSync(log, 'w')
  const child = spawn(command, args, {
    cwd: directory,
    env: { PATH: process.env.PATH, NODE_ENV: 'production', PORT: String(port), ...env },
    stdio: ['ignore', output, output],
  })
  closeSync(output)
  const kill = () => void child.kill('SIGKILL')
  process.once('exit', kill) // also where a signal ends the comparison
  const ended = once(child, 'exit').finally(() => process.off('exit', kill))
  ended.catch(() => {}) // the first wait tells it
  const failed = ended.then(() => {
    throw new Error(`${name} has ended: ${lastWords(log)}`)
  })
  failed.catch(() => {}) // afterwards it may end
  await Promise.race([failed, listening(port, AbortSignal.timeout(startWithin))])
  return {
    name,
    pid: child.pid ?? 0,
    url: `http://127.0.0.1:${port}`,
    log,
    async stop() {
      child.kill('SIGTERM')
      const late = globalThis.setTimeout(kill, stopWithin)
      await ended
      clearTimeout(late)
    },
  }
}

async function listening(port: number, signal: AbortSignal): Promise<void> {
  for (;;) {
    const socket = connect(port, '127.0.0.1')
    try {
      return void (await once(socket, 'connect', { signal }))
    } catch {
      signal.throwIfAborted()
      await setTimeout(20)
    } finally {
      socket.destroy()
    }
  }
}
