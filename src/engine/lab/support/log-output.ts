import { execFileSync, spawn } from 'node:child_process'
import { closeSync, constants, openSync, readSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { temporaryDirectory } from 'spec-served/internal/testing/temporary'
import { freePort } from 'spec-served-cli/internal/local/postgres'

/** A server whose log goes where a test says. */
export interface LoggingServer {
  url: string
  pid: number | undefined
  /** its standard error so far */
  errors(): string
  /** Makes it log: many requests for a path that is not there, each with some KiB of text. @returns what they were answered */
  fillLog(requests: number): Promise<Set<number>>
  /** Ends it; resolves with its exit code, null when a signal ended it. */
  stop(signal?: NodeJS.Signals): Promise<number | null>
}

/** Characters in the path of a request that makes a server log. */
const longPath = 8_000

/** Starts `src/main.js` with a file descriptor as its standard output, and waits until it serves. */
export async function startLogging(
  env: Readonly<Record<string, string>>,
  stdout: number,
): Promise<LoggingServer> {
  const port = await freePort()
  const child = spawn('node', ['src/main.js'], {
    env: {
      PATH: process.env.PATH ?? '',
      NODE_OPTIONS: process.env.NODE_OPTIONS ?? '',
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? '',
      PORT: String(port),
      ...env,
    },
    stdio: ['ignore', stdout, 'pipe'],
  })
  let errors = ''
  child.stderr?.on('data', data => (errors += data))
  const ended = new Promise<number | null>(resolve => child.on('close', resolve))
  const url = `http://127.0.0.1:${port}`
  while (!(await isServing(url))) {
    if (child.exitCode !== null) throw new Error(`It does not start:\n${errors}`)
    await sleep(50)
  }
  return {
    url,
    pid: child.pid,
    errors: () => errors,
    async fillLog(requests) {
      const statuses = new Set<number>()
      for (let i = 0; i < requests; i++) {
        const reply = await fetch(`${url}/${'x'.repeat(longPath)}`)
        await reply.arrayBuffer()
        statuses.add(reply.status)
      }
      return statuses
    },
    stop(signal = 'SIGTERM') {
      child.kill(signal)
      return ended
    },
  }
}

const isServing = (url: string) =>
  fetch(`${url}/health`).then(
    ({ ok }) => ok,
    () => false,
  )

/** A pipe that is read only when a test says so. */
export interface UnreadPipe {
  /** a file descriptor to be written to */
  input: number
  /** Reads its present content. */
  read(): string
  /** Ends its reader. */
  end(): void
  close(): void
}

/** Makes a pipe in a directory of its own, which the caller removes. */
export function openPipe(directory = temporaryDirectory()): UnreadPipe {
  const path = join(directory, 'pipe')
  execFileSync('mkfifo', [path])
  const output = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  const input = openSync(path, constants.O_WRONLY)
  let isRead = true
  return {
    input,
    read() {
      let text = ''
      const buffer = Buffer.alloc(65_536)
      try {
        for (let size = 1; size > 0; ) {
          size = readSync(output, buffer)
          text += buffer.toString('utf8', 0, size)
        }
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error // readSync throws no other kind
      }
      return text
    },
    end() {
      if (isRead) closeSync(output)
      isRead = false
    },
    close() {
      this.end()
      closeSync(input)
    },
  }
}
