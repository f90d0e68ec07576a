import type { Readable } from 'node:stream'
import { ApiError } from '../replies/api-error.ts'

const firstSize = 4_096

/**
 * Reads a whole body into one buffer: kept as they come, chunks of one byte would each cost a hundred.
 * @param length what the client announced, if it did
 * @param limit in bytes
 * @throws ApiError for a body that is too large or breaks off; Error of Node's parser when it refuses the rest, or has
 *   waited too long for it
 */
export async function readBody(stream: Readable, length: string | undefined, limit: number): Promise<Buffer> {
  if (Number(length) > limit) throw tooLarge(limit)
  // Of a request that announces no body Node ends the stream at once, without an event.
  if (stream.readableEnded) return Buffer.alloc(0)
  if (stream.destroyed) throw brokenOff(stream.errored)
  return new Promise((resolve, reject) => {
    let buffer = Buffer.allocUnsafe(firstSize)
    let size = 0
    const onData = (chunk: Buffer) => {
      if (size + chunk.length > limit) return end(tooLarge(limit))
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
      end(cause.code === 'ECONNRESET' ? brokenOff(cause) : cause)
    const onClose = () => end(brokenOff(stream.errored))
    const end = (result: Buffer | Error) => {
      stream.off('data', onData).off('end', onEnd).off('close', onClose)
      if (result instanceof Error) reject(result)
      else resolve(result)
    }
    // An error that comes after all the rest has nobody else to hear it.
    stream.on('data', onData).on('end', onEnd).on('error', onError).on('close', onClose)
  })
}

const tooLarge = (limit: number) =>
  new ApiError('payload_too_large', `The body is larger than ${limit} bytes.`)
const brokenOff = (cause: unknown) => new ApiError('invalid_request', 'The body broke off.', { cause })
