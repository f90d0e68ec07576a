import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { freePort } from 'spec-served-cli/internal/local/postgres'
import { answering, end, type Program as Launched, launch } from 'spec-served-cli/internal/local/process'
import { startOptions } from '../support/petstore.ts'

/** A server that can be started. */
export interface Program extends Pick<Launched, 'command' | 'args' | 'env'> {
  name: string
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

/** A server with a key that has every scope that the operations need. */
export interface Keyed extends Served {
  key: string
}

/**
 * This service, as `npm start` runs it, but as one process, and it refuses nothing for being late. Others make their callers wait, too.
 */
export const ours: Program = {
  name: 'petstore',
  command: process.execPath,
  args: [...startOptions(), fileURLToPath(new URL('../../../main.js', import.meta.url))],
  env: { WORKERS: '1', LOG_LEVEL: 'warn', MAX_WAIT_MS: '10000' },
}

/** The end of a server's output. */
export const lastWords = (log: string) => readFileSync(log, 'utf8').slice(-1_000)

/**
 * Starts a server on a free port and waits until it answers.
 * @param directory for its output; no `.env` there
 */
export async function startServer({ name, ...program }: Program, directory: string): Promise<Served> {
  const port = await freePort()
  const log = join(directory, `${name}-${port}.log`)
  const env = { NODE_ENV: 'production', PORT: String(port), ...program.env }
  const child = launch({ ...program, cwd: directory, env, log })
  const url = `http://127.0.0.1:${port}`
  await answering(url, child, log, () => true)
  return { name, pid: child.pid ?? 0, url, log, stop: async () => void (await end(child, 'SIGKILL')) }
}
