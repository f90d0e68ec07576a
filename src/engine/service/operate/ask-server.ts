import { once } from 'node:events'
import { request as requestTo } from 'node:http'
import { json } from 'node:stream/consumers'
import { type Answer, atSocket, type Request } from '../process/socket.ts'
import { Misuse, Refused } from '../runtime/command.ts'

/**
 * Has the server of a data directory carry a command out.
 * @returns undefined when no server runs on it
 * @throws Misuse, Refused, and Error with what went wrong there
 */
export async function askServer(
  dataDir: string,
  { command, input }: Request,
): Promise<{ done: unknown } | undefined> {
  const answer = await atSocket(dataDir, async socketPath => {
    const request = requestTo({ socketPath, method: 'POST', path: `/${command}`, agent: false })
    const answered = once(request, 'response')
    request.end(JSON.stringify(input))
    const [response] = await answered
    return (await json(response)) as Answer // what a server writes
  }).catch((error: NodeJS.ErrnoException) => {
    // ECONNREFUSED: a server that was killed has left it.
    if (error.code === 'ENOENT' || error.code === 'ECONNREFUSED') return undefined
    const reason =
      error.code === 'EACCES'
        ? 'The server runs for another user: only that one may give it commands'
        : `The server has not answered (${error.message}); its log says whether it did what was asked`
    throw new Error(reason, { cause: error })
  })
  if (!answer || 'done' in answer) return answer
  if ('misuse' in answer) throw new Misuse(answer.misuse)
  if ('refused' in answer) throw new Refused(answer.refused)
  throw new Error(answer.failed)
}
