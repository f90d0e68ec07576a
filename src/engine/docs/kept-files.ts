import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { digest, keepCodings, sendSelected } from '../replies/conditional.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** whether a kept file or the plugin answers; hooks before them may answer with something else */
    isForFile: boolean
  }
}

interface KeptFile {
  bytes: Buffer
  type: string
  etag: string
}

/**
 * Keeps in memory what the routes of a scope send, which never changes: each file is read once, compressed once for each
 * coding, and has a strong ETag.
 */
export function keepFiles(scope: FastifyInstance): void {
  const files = new Map<string, Promise<KeptFile>>()

  scope.decorateRequest('isForFile', false)
  scope.addHook('onRequest', async (request, reply) => {
    request.isForFile = true
    // @fastify/static would send its folder's index, and refuse other paths with 403.
    const name = fileOf(request)
    if (name !== undefined && !/^[\w-]+(\.[\w-]+)+$/.test(name)) return reply.callNotFound()
    const file = await files.get(keyOf(request))
    return file && reply.type(file.type).send(file.bytes)
  })

  scope.addHook('onSend', async (request, reply, payload) => {
    const isEmpty = request.method === 'HEAD' && payload instanceof Readable // @fastify/static sends nothing then
    if (!request.isForFile || reply.statusCode !== 200 || isEmpty) return payload
    const key = keyOf(request)
    const known = files.get(key)
    if (known && payload instanceof Readable) payload.destroy() // others have asked meanwhile
    const keeping = known ?? readFile(payload, String(reply.getHeader('content-type')))
    if (!known) {
      files.set(key, keeping)
      keeping.catch(() => files.delete(key))
    }
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

async function readFile(payload: unknown, type: string): Promise<KeptFile> {
  const bytes = payload instanceof Readable ? await buffer(payload) : Buffer.from(String(payload))
  return { bytes: keepCodings(bytes), type, etag: `"${digest(bytes)}"` }
}
