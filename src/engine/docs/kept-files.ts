import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { sendSelected, textOf } from '../replies/etag.ts'

/**
 * Keeps in memory what the routes of a scope send, which never changes: each file is read once, compressed once for each
 * coding, and has a strong ETag.
 */
export function keepFiles(scope: FastifyInstance): void {
  const files = new Map<string, ReturnType<typeof readFile>>()
  /** Hooks before this one may answer other requests with something else. */
  const asked = new WeakSet<FastifyRequest>()

  scope.addHook('onRequest', async (request, reply) => {
    asked.add(request)
    // @fastify/static would send its folder's index, and refuse other paths with 403.
    const name = fileOf(request)
    if (name !== undefined && !/^[\w-]+(\.[\w-]+)+$/.test(name)) return reply.callNotFound()
    const file = await files.get(keyOf(request))
    return file && reply.type(file.type).send(file.bytes)
  })

  scope.addHook('onSend', async (request, reply, payload) => {
    const isEmpty = request.method === 'HEAD' && payload instanceof Readable // @fastify/static sends nothing then
    if (!asked.has(request) || reply.statusCode !== 200 || isEmpty) return payload
    const key = keyOf(request)
    const known = files.get(key)
    if (known && payload instanceof Readable) payload.destroy() // others have asked meanwhile
    const keeping = known ?? readFile(payload, String(reply.getHeader('content-type')))
    files.set(key, keeping)
    keeping.catch(() => files.delete(key))
    const { bytes, etag } = await keeping
    for (const field of ['content-length', 'last-modified', 'accept-ranges']) reply.removeHeader(field)
    reply.headers({ ETag: etag, 'Cache-Control': 'no-cache' })
    return sendSelected(request, reply, bytes, true)
  })
}

/** The name below a wildcard; undefined for any other route. */
const fileOf = ({ params }: FastifyRequest) => (params as { '*'?: string })['*'] // the router's

/** A page with a slash at its end names its files in another way. */
const keyOf = (request: FastifyRequest) =>
  [request.routeOptions.url, fileOf(request), request.url.endsWith('/')].join()

async function readFile(payload: unknown, type: string) {
  const bytes = payload instanceof Readable ? await buffer(payload) : String(payload)
  return { ...textOf(bytes), type }
}
