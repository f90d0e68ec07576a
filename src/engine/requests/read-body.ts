import type { Readable } from 'node:stream'

const firstSize = 4_096

/** What keeps a body from being read; a client that broke off does not see the answer. */
export type ReadRefusal = { kind: 'too-large'; limit: number } | { kind: 'broken-off'; cause: unknown }

/**
 * Reads a whole body into one buffer: kept as they come, pieces of one byte would each cost a hundred.
 * @param length what the client announced, if it did
 * @param limit in bytes
 * @throws Error of Node's parser when it refuses the rest, or has waited too long for it
 */
export function readBody(
  stream: Readable,
  length: string | undefined,
  limit: number,
): Promise<Buffer | ReadRefusal> {
  const tooLarge: ReadRefusal = { kind: 'too-large', limit }
  if (Number(length) > limit) return Promise.resolve(tooLarge)
  // Of a request that announces no body Node ends the stream at once, without an event.
  if (stream.readableEnded) return Promise.resolve(Buffer.alloc(0))
  if (stream.destroyed) return Promise.resolve({ kind: 'broken-off', cause: stream.errored })
  return new Promise((resolve, reject) => {
    let buffer = Buffer.allocUnsafe(firstSize)
    let size = 0
    const onData = (chunk: Buffer) => {
      if (size + chunk.length > limit) return end(tooLarge)
      if (size + chunk.length > buffer.length) {
        const larger = Buffer.allocUnsafe(Math.max(2 * buffer.length, size + chunk.length))
        buffer.copy(larger, 0, 0, size)
        buffer = larger
      }
      chunk.copy(buffer, size)
      size += chunk.length
    }
    const onEnd = () => end(buffer.subarray(0, size))
    // What the parser refuses, or no longer waits for, has an answer of its own.
    const onError = (cause: NodeJS.ErrnoException) =>
      cause.code === 'ECONNRESET' ? end({ kind: 'broken-off', cause }) : end(cause)
    const onClose = () => end({ kind: 'broken-off', cause: stream.errored })
    const end = (result: Buffer | ReadRefusal | Error) => {
      stream.off('data', onData).off('end', onEnd).off('close', onClose)
      if (result instanceof Error) reject(result)
      else resolve(result)
    }
    // An error that comes after all the rest has nobody else to hear it.
    stream.on('data', onData).on('end', onEnd).on('error', onError).on('close', onClose)
  })
}
