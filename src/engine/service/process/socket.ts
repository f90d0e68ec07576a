import { once } from 'node:events'
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { failureText } from 'spec-served-document/visible-text'
import { type CommandTools, Misuse, Refused } from '../runtime/command.ts'
import { createServer } from '../runtime/node-http.ts'

/** Longest time for a command to arrive, and for its answer to be taken, in ms. */
const [arrivesWithin, takenWithin] = [2_000, 5_000]
/** Longest input of a command, in bytes. */
const longestInput = 65_536
/** Longest path of a socket in bytes, on macOS; Linux takes four more. */
const longestPath = 103

/** A request to a running server: `POST /COMMAND` with the input as JSON. */
export interface Request {
  command: string
  input: unknown
}

export type Answer =
  | { done: unknown }
  | { refused: Refused['body'] }
  | { misuse: string }
  | { failed: string }

/** A command that was asked for, the number of the key that it was about, and the end that it came to. */
export interface Carried {
  command: string
  key?: number
  outcome: 'done' | 'refused' | 'failed'
  /** of the refusal */
  code?: string
}

type Report = (carried: Carried) => void

export type CommandSocket = Awaited<ReturnType<typeof listenForCommands>>

/**
 * Takes operators' commands over HTTP at a socket in the embedded database's directory, for its owner alone. The caller
 * holds the directory's lock, so an existing socket was left by a server that was killed.
 */
export async function listenForCommands(dataDir: string, tools: CommandTools, report: Report) {
  const file = join(resolve(dataDir), 'socket')
  rmSync(file, { force: true })
  /** connections whose commands have not arrived */
  const waiting = new Set<Socket>()
  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const answer = await buffer(request)
      .finally(() => waiting.delete(request.socket))
      .then(bytes => {
        if (bytes.length > longestInput) throw new Error(`The input is longer than ${longestInput} bytes`)
        const input: unknown = JSON.parse(bytes.toString())
        return answerTo({ command: request.url?.slice(1) ?? '', input }, tools, report) // without a time limit
      })
      .catch((error: unknown) => ({ failed: failureText(error) }))
    response.setTimeout(takenWithin)
    response.setHeader('Connection', 'close').end(JSON.stringify(answer))
  }
  const limits = { headersTimeout: arrivesWithin, requestTimeout: arrivesWithin }
  const server = createServer({ ...limits, connectionsCheckingInterval: arrivesWithin / 4 }, serve)
  server.on('connection', socket => waiting.add(socket.once('close', () => waiting.delete(socket))))
  await atSocket(dataDir, async path => {
    const mask = process.umask(0o177) // for the owner alone, from the first moment on
    const listening = once(server.listen(path), 'listening')
    process.umask(mask)
    await listening
  })
  return {
    /** Takes no more commands, and waits for those under way. */
    async close(): Promise<void> {
      const closed = new Promise(done => server.close(done))
      for (const socket of waiting) socket.destroy()
      await closed
      rmSync(file, { force: true }) // Node removes it only if it was bound by its own path
    },
  }
}

async function answerTo({ command, input }: Request, tools: CommandTools, report: Report): Promise<Answer> {
  const { carryOut, commands } = await import('./commands.ts') // few servers ever need it
  const commandNames = Object.keys(commands) as (keyof typeof commands)[]
  const name = commandNames.find(candidate => candidate === command)
  if (name === undefined)
    return { failed: `The server does not know ${command}: it is of another version than this command` }
  const end = (outcome: Carried['outcome'], code?: string, result?: unknown) => {
    const key = name.startsWith('keys.') ? (numberIn(input) ?? numberIn(result)) : undefined
    report({ command: name, ...(key !== undefined && { key }), outcome, ...(code !== undefined && { code }) })
  }
  try {
    const done = await carryOut(name, input, tools)
    end('done', undefined, done)
    return { done }
  } catch (error) {
    if (error instanceof Misuse) {
      end('refused', 'misuse')
      return { misuse: error.message }
    }
    end(
      error instanceof Refused ? 'refused' : 'failed',
      error instanceof Refused ? error.body.code : undefined,
    )
    if (error instanceof Refused) return { refused: error.body }
    throw error
  }
}

/** The number of a key in what a command gets or gives. */
function numberIn(value: unknown): number | undefined {
  const { id } = Object(value)
  return Number.isSafeInteger(id) ? id : undefined
}

/** Calls `use` with a path to a data directory's socket. The path is a link if the socket's own is too long. */
export async function atSocket<T>(dataDir: string, use: (path: string) => Promise<T>): Promise<T> {
  const path = join(resolve(dataDir), 'socket')
  if (Buffer.byteLength(path) <= longestPath) return use(path)
  const place = mkdtempSync(join(tmpdir(), 'petstore-'))
  try {
    symlinkSync(resolve(dataDir), join(place, 'd'))
    return await use(join(place, 'd', 'socket'))
  } finally {
    rmSync(place, { recursive: true })
  }
}
