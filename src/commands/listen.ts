import { rmSync } from 'node:fs'
import { createServer, type Server, type Socket } from 'node:net'
import { failureText } from '../failure-text.ts'
import { Misuse, Refused } from './failures.ts'
import { atSocket, socketIn } from './socket-path.ts'
import type { CommandTools } from './tools.ts'
import { type Answer, longestAnswer, longestRequest, type Request, readLine } from './wire.ts'

/** How long a command may take to arrive, in ms: it is one line, sent at once. */
const arrivesWithin = 2_000
/** How long a caller may take nothing of its answer, in ms. */
const idleFor = 5_000
/** Commands under way at once. */
const mostCommands = 16
/** Connections at once that wait for their commands; the one that has waited longest makes room for one more. */
const mostWaiting = 256

/** What takes operators' commands while a server runs. */
export interface CommandSocket {
  /** Takes no more commands, and waits for those under way. */
  close(): Promise<void>
}

/**
 * Takes operators' commands at a socket in the directory of the embedded database, which nobody but its owner can use.
 * Who calls holds the lock of the directory: a socket that is there already was left by a server that was killed.
 * @param told of each command
 * @throws Error when the file system or the system takes no sockets
 */
export async function listenForCommands(
  dataDir: string,
  tools: CommandTools,
  told: (command: string) => void,
): Promise<CommandSocket> {
  rmSync(socketIn(dataDir), { force: true })
  const underWay = new Set<Promise<void>>()
  const waiting = new Set<Socket>()
  const server = createServer(socket => {
    const [longest] = waiting
    if (longest && waiting.size >= mostWaiting) {
      waiting.delete(longest)
      longest.destroy()
    }
    waiting.add(socket)
    const served = serve(socket)
    underWay.add(served)
    served.finally(() => underWay.delete(served))
  })
  let commands = 0

  async function serve(socket: Socket): Promise<void> {
    socket.on('error', () => {}) // who asked is gone
    const closed = new Promise(resolve => socket.once('close', resolve))
    const tooLate = setTimeout(() => socket.destroy(), arrivesWithin)
    let answer: Answer
    try {
      const reading = readLine(socket, longestRequest).finally(() => {
        waiting.delete(socket)
        clearTimeout(tooLate)
      })
      const request = (await reading) as Partial<Request> | null // looked at by answerTo
      answer = await answerIfFree(request ?? {}) // which takes as long as it takes
    } catch (error) {
      answer = { failed: failureText(error) }
    }
    const text = JSON.stringify(answer)
    const tooLong: Answer = { failed: 'The answer is too long for one message' }
    socket.setTimeout(idleFor, () => socket.destroy())
    socket.end(`${Buffer.byteLength(text) < longestAnswer ? text : JSON.stringify(tooLong)}\n`)
    await closed
  }

  async function answerIfFree(request: Partial<Request>): Promise<Answer> {
    if (commands >= mostCommands)
      return { failed: `The server carries out ${mostCommands} commands already: retry soon` }
    commands++
    try {
      return await answerTo(request, tools, told)
    } finally {
      commands--
    }
  }

  await atSocket(dataDir, path => listen(server, path))
  return {
    async close() {
      server.close()
      for (const socket of waiting) socket.destroy()
      await Promise.all(underWay)
      rmSync(socketIn(dataDir), { force: true }) // Node removes it only where it was bound by its own path
    },
  }
}

/** Binds for the owner alone: the mode is there from the first moment on. */
async function listen(server: Server, path: string): Promise<void> {
  const mask = process.umask(0o177)
  const listening = new Promise<void>((resolve, reject) => {
    server.once('listening', resolve)
    server.once('error', reject)
    server.listen(path)
  })
  process.umask(mask)
  await listening
}

async function answerTo(
  { command, input }: Partial<Request>,
  tools: CommandTools,
  told: (command: string) => void,
): Promise<Answer> {
  const { carryOut, commands } = await import('./commands.ts') // few servers ever need it
  const known = Object.keys(commands) as (keyof typeof commands)[]
  const name = known.find(candidate => candidate === command)
  if (name === undefined)
    return { failed: `The server does not know ${command}: it is of another version than this command` }
  told(name)
  try {
    return { done: await carryOut(name, input, tools) }
  } catch (error) {
    if (error instanceof Misuse) return { misuse: error.message }
    if (error instanceof Refused) return { refused: error.body }
    return { failed: failureText(error) }
  }
}
