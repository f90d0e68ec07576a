import { createConnection, type Socket } from 'node:net'
import { Misuse, Refused } from './failures.ts'
import { atSocket } from './socket-path.ts'
import { type Answer, longestAnswer, type Request, readLine } from './wire.ts'

/** A connection to the server of a data directory; undefined when none listens there. */
function connectTo(dataDir: string): Promise<Socket | undefined> {
  return atSocket(
    dataDir,
    path =>
      new Promise<Socket | undefined>((resolve, reject) => {
        const socket = createConnection(path)
        socket.once('connect', () => resolve(socket))
        socket.once('error', (error: NodeJS.ErrnoException) => {
          // ECONNREFUSED: a server that was killed has left it.
          if (error.code === 'ENOENT' || error.code === 'ECONNREFUSED') resolve(undefined)
          else if (error.code === 'EACCES')
            reject(new Error('The server runs for another user: only that one may give it commands'))
          else reject(new Error(`The server can’t be asked: ${error.message}`, { cause: error }))
        })
      }),
  )
}

/**
 * Has the server of a data directory carry a command out.
 * @returns undefined when no server runs on it
 * @throws Misuse, Refused, and Error with what went wrong there
 */
export async function askServer(dataDir: string, request: Request): Promise<{ done: unknown } | undefined> {
  const socket = await connectTo(dataDir)
  if (!socket) return undefined
  try {
    socket.on('error', () => {}) // reading tells it
    socket.write(`${JSON.stringify(request)}\n`)
    const answer = (await readLine(socket, longestAnswer).catch((error: Error) => {
      throw new Error(
        `The server has not answered (${error.message}); whether it did what was asked, its log tells`,
        { cause: error },
      )
    })) as Answer // what a server writes
    if ('misuse' in answer) throw new Misuse(answer.misuse)
    if ('refused' in answer) throw new Refused(answer.refused)
    if ('failed' in answer) throw new Error(answer.failed)
    return answer
  } finally {
    socket.destroy()
  }
}
