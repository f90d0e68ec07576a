import type { IncomingMessage } from 'node:http'
import { ApiError } from '../contract/api-error.ts'

const firstSize = 4_096

/** The client went away before it had sent all that it announced: nobody reads the answer. */
const brokenOff = (cause?: unknown) => new ApiError(400, 'invalid_request', 'The body broke off.', { cause })

/**
 * Reads the whole body of a request into one buffer: kept as they come, pieces of one byte would each cost a hundred.
 * @param limit in bytes
 * @throws ApiError 413 for a longer body, 400 when it breaks off
 * @throws Error of Node's parser when it refuses the rest, or has waited too long for it
 */
export function readBody(request: IncomingMessage, limit: number): Promise<Buffer> {
  const tooLarge = new ApiError(413, 'payload_too_large', `The body is larger than ${limit} bytes.`)
  if (Number(request.headers['content-length']) > limit) return Promise.reject(tooLarge)
  if (request.destroyed) return Promise.reject(brokenOff(request.errored))
  return new Promise((resolve, reject) => {
    let buffer = Buffer.allocUnsafe(firstSize)
    let length = 0
    const onData = (chunk: Buffer) => {
      if (length + chunk.length > limit) return end(() => reject(tooLarge))
      if (length + chunk.length > buffer.length) {
        const larger = Buffer.allocUnsafe(Math.max(2 * buffer.length, length + chunk.length))
        buffer.copy(larger, 0, 0, length)
        buffer = larger
      }
      chunk.copy(buffer, length)
      length += chunk.length
    }
    const onEnd = () => end(() => resolve(buffer.subarray(0, length)))
    // What the parser refuses, or no longer waits for, has an answer of its own.
    const onError = (error: NodeJS.ErrnoException) =>
      end(() => reject(error.code === 'ECONNRESET' ? brokenOff(error) : error))
    const onClose = () => end(() => reject(brokenOff(request.errored)))
    const end = (settle: () => void) => {
      request.off('data', onData).off('end', onEnd).off('close', onClose)
      settle()
    }
    // An error that comes after all the rest has nobody else to hear it.
    request.on('data', onData).on('end', onEnd).on('error', onError).on('close', onClose)
  })
}
