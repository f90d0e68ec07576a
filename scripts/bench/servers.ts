import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { startOptions } from '../start/options.ts'
import type { Closing } from './closing.ts'
import { freePort } from './database.ts'

/** How a server is started. */
export interface Program {
  name: string
  command: string
  args: readonly string[]
  env?: Readonly<Record<string, string>>
}

/** A server in a process of its own. */
export interface Served {
  name: string
  pid: number
  port: number
  url: string
  /** from the start of its process to the first connection that it takes, in seconds */
  startedIn: number
  /** where its output goes */
  log: string
  stop(): Promise<void>
}

/**
 * This service, as `npm start` runs it, but that it refuses nothing for being late: others make their callers wait too.
 */
export function ours(name: string, env: Readonly<Record<string, string>> = {}): Program {
  const main = fileURLToPath(new URL('../../src/main.js', import.meta.url))
  return {
    name,
    command: process.execPath,
    args: [...startOptions(), main],
    env: { LOG_LEVEL: 'warn', MAX_WAIT_MS: '10000', ...env },
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
export async function startServer(program: Program, directory: string, closing: Closing): Promise<Served> {
  const port = await freePort()
  const log = join(directory, `${program.name.replaceAll(/\W+/g, '-')}-${port}.log`)
  const output = openSync(log, 'w')
  const began = performance.now()
  const child = spawn(program.command, program.args, {
    cwd: directory,
    env: { PATH: process.env.PATH, NODE_ENV: 'production', PORT: String(port), ...program.env },
    stdio: ['ignore', output, output],
  })
  closeSync(output)
  const stop = () => end(child)
  closing.add(stop)
  const failed = new Promise<never>((_, reject) => {
    child.once('error', reject)
    child.once('exit', () => reject(new Error(`${program.name} has ended: ${lastWords(log)}`)))
  })
  failed.catch(() => {}) // afterwards it may end
  await Promise.race([failed, listening(port, began + startWithin)])
  const startedIn = (performance.now() - began) / 1_000
  return {
    name: program.name,
    pid: child.pid ?? 0,
    port,
    url: `http://127.0.0.1:${port}`,
    startedIn,
    log,
    stop,
  }
}

async function listening(port: number, until: number): Promise<void> {
  while (performance.now() < until) {
    if (await takesConnections(port)) return
    await setTimeout(5)
  }
  throw new Error('It does not listen in time')
}

function takesConnections(port: number): Promise<boolean> {
  return new Promise(resolve => {
    const socket = connect(port, '127.0.0.1')
    const settle = (takes: boolean) => {
      socket.destroy()
      resolve(takes)
    }
    socket.once('connect', () => settle(true)).once('error', () => settle(false))
  })
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return
  const ended = new Promise(resolve => child.once('exit', resolve))
  child.kill('SIGTERM')
  const abort = new AbortController()
  await Promise.race([ended, setTimeout(stopWithin, undefined, { signal: abort.signal }).catch(() => {})])
  abort.abort()
  child.kill('SIGKILL')
  await ended
}
