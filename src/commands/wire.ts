import type { Socket } from 'node:net'
import type { Refused } from './failures.ts'

/** Longest request, and longest answer, in bytes. */
export const longestRequest = 65_536
export const longestAnswer = 16_777_216

/** What is asked of a server: one line of JSON, answered by one. */
export interface Request {
  command: string
  input: unknown
}

export type Answer =
  | { done: unknown }
  | { refused: Refused['body'] }
  | { misuse: string }
  /** in words */
  | { failed: string }

/** Reads a line of JSON. @throws Error when it is too long, breaks off or is no JSON */
export async function readLine(socket: Socket, longest: number): Promise<unknown> {
  const chunks: Buffer[] = []
  let length = 0
  // Ending the loop would destroy a socket that is still to be written to.
  for await (const chunk of socket.iterator({ destroyOnReturn: false })) {
    const bytes = chunk as Buffer // no encoding was set
    const end = bytes.indexOf('\n')
    chunks.push(end < 0 ? bytes : bytes.subarray(0, end))
    length += bytes.length
    if (length > longest) throw new Error(`a message is longer than ${longest} bytes`)
    if (end >= 0) return JSON.parse(Buffer.concat(chunks).toString())
  }
  throw new Error('the connection broke off')
}
