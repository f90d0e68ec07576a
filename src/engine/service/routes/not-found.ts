import type { IncomingMessage } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import type { Model } from '../../document/model.ts'
import { isUnknown } from '../contract/destination.ts'
import { boundsOf } from '../contract/extensions.ts'
import { beforeQuery, decodeOr } from '../contract/path-templates.ts'
import { ApiError } from '../errors/api-error.ts'
import { excerpt } from '../errors/faults.ts'
import type { FirstFields } from '../http/header-fields.ts'
import { pathFinder } from './register.ts'

/**
 * Answers requests without an operation, before a body is read. An invalid target gets 400, an unknown path 404. A method
 * that the path lacks gets 405 with `Allow`, and OPTIONS 204 with it (RFC 9110, section 9.3.7).
 */
export const notFound = fp<{ model: Model; preflight: FirstFields['preflight'] }>(
  async (app, { model, preflight }) => {
    const find = pathFinder(model)
    const { urlCharacters } = boundsOf(model.document)
    // Paths of the docs and the like, with their methods, which are registered later.
    const others = new Map<string, Set<string>>()
    app.addHook('onRoute', ({ url, config, method }) => {
      if (config?.operationId !== undefined || config?.isRefused) return
      // Fastify announces only the HEAD of some GET routes.
      const methods = [method].flat().map(one => (one === 'HEAD' ? 'GET' : one))
      others.set(url, new Set([...(others.get(url) ?? []), ...methods]))
    })
    const othersAt = (path: string) =>
      [...others].flatMap(([url, methods]) =>
        (url.endsWith('*') ? path.startsWith(url.slice(0, -1)) : path === url) ? [...methods] : [],
      )

    function methodsAt(url: string): readonly string[] {
      const found = url === '*' ? model.operations.map(({ method }) => method) : find(url)?.methods
      const methods = found ?? othersAt(decodeOr(beforeQuery(url)))
      // Fastify answers HEAD for every GET.
      return methods.includes('GET') ? [...methods, 'HEAD'] : methods
    }

    function answer(request: FastifyRequest, reply: FastifyReply): FastifyReply {
      const { url, method } = request
      const methods = methodsAt(url)
      if (methods.length === 0 || methods.includes(method))
        throw new ApiError('not_found', `There is nothing at ${excerpt(beforeQuery(url))}.`)
      const allow = [...new Set([...methods, 'OPTIONS'])].join(', ')
      if (method !== 'OPTIONS')
        throw new ApiError('method_not_allowed', `This path takes ${allow}.`, { headers: { Allow: allow } })
      const isPreflight = url !== '*' && request.headers['access-control-request-method'] !== undefined
      if (isPreflight) reply.headers(preflight(allow))
      return reply.code(204).header('Allow', allow).send()
    }

    app.addHook('onRequest', (request, reply, done) => {
      refuseTarget(request, urlCharacters)
      if (isUnknown(request)) answer(request, reply)
      else done()
    })
    app.setNotFoundHandler(answer)
  },
)

/** A host with or without a port (RFC 3986, section 3.2.2), which `http` does not allow to be empty. */
const hostForm =
  /^(?:(?:[\w.~!$&'()*+,;=-]|%[\da-f]{2})+|\[(?:[\da-f:.]+|v[\da-f]+\.[\w.~!$&'()*+,;=:-]+)\])(?::\d*)?$/i

/** A path that no document has, for a target that the router would refuse itself, before any hook. */
const unroutable = '//'

/** Returns a request's target as routes use it. A host in it replaces the Host field (RFC 9112, 3.2.2). */
export function routableForm({ url = '/', headers }: IncomingMessage): string {
  const [, host, rest = ''] = /^https?:\/\/([^/?#]*)(.*)$/i.exec(url) ?? []
  if (host !== undefined) headers.host = host
  const target = host === undefined ? url : rest.startsWith('/') ? rest : `/${rest}`
  try {
    decodeURIComponent(beforeQuery(target))
    return target
  } catch {
    return unroutable
  }
}

/** Refuses a request with an invalid target: its Host (RFC 9112, section 3.2), then its URL. @param urlLimit in characters */
function refuseTarget(request: FastifyRequest, urlLimit: number): void {
  const { rawHeaders, headers, httpVersion, method, url = '' } = request.raw
  const hosts = rawHeaders.filter((name, i) => i % 2 === 0 && name.toLowerCase() === 'host').length
  if (hosts === 0 && httpVersion === '1.1') throw invalid('The Host header field is missing.')
  if (hosts > 1) throw invalid('The Host header field stands more than once.')
  if (headers.host !== undefined && !hostForm.test(headers.host))
    throw invalid('The Host header field names no host.')
  // `*` is the server itself, which only OPTIONS can address (RFC 9112, section 3.2.4).
  const isServer = url === '*' && method === 'OPTIONS'
  if (!url.startsWith('/') && !isServer) throw invalid('The target of the request is no URL of this server.')
  if (url.length > urlLimit)
    throw new ApiError('uri_too_long', `The URL is longer than ${urlLimit} characters.`)
  if (url === unroutable && request.originalUrl !== url)
    throw invalid('The path is not valid: it holds a broken percent-encoding.')
  if (/[^\x21-\x7e]|#/.test(url)) throw invalid('The URL holds characters that must be percent-encoded.')
}

const invalid = (message: string) => new ApiError('invalid_request', message)
