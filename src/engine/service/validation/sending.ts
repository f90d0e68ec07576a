import type { FastifyInstance, InjectOptions } from 'fastify'
import type { ApiError } from '../errors/api-error.ts'
import { refusals } from './validation.ts'

/** A request to send. If it could not be written, it is refused. */
export interface Sending {
  request: Request
  refusal?: ApiError | undefined
}

/** Sends a request, and returns the reply. A refusal comes after those of the caller: without a key it is 401. */
export type Send = (sending: Sending) => Promise<Response>

/** Returns a function that sends requests through all stages of an app, as if they came from an address. */
export const sendWithin =
  (app: FastifyInstance, remoteAddress: string): Send =>
  async ({ request, refusal }) => {
    const payload = Buffer.from(await request.arrayBuffer())
    const { method, url, headers } = request
    // Fastify's type lacks the methods that the document adds.
    const call = { method, url, headers: Object.fromEntries(headers), remoteAddress } as InjectOptions
    const send = async () =>
      app.inject({ ...call, payloadAsStream: true, ...(payload.length > 0 && { payload }) })
    const reply = await (refusal ? refusals.run(refusal, send) : send())
    const status = Math.max(200, reply.statusCode) // a Response has no other
    const fields = Object.entries(reply.headers).map(([name, value]): [string, string] => [name, `${value}`])
    const isEmpty = [204, 205, 304].includes(status) || method === 'HEAD'
    const stream = reply.stream()
    stream.once('close', () => reply.raw.res.destroy()) // a reply that is read no further ends
    return new Response(isEmpty ? null : stream, { status, headers: fields })
  }
