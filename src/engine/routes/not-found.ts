import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Model } from '../../document/model.ts'
import { ApiError } from '../replies/api-error.ts'
import { excerpt } from '../requests/faults.ts'
import { pathOf } from './operation.ts'
import { methodsReader } from './paths.ts'

/** Adds what a browser asks before it sends a request to another origin. */
export type AnswerPreflight = (request: FastifyRequest, reply: FastifyReply, methods: string) => void

/** Answers where there is no operation. */
export type AnswerUnknown = (request: FastifyRequest, reply: FastifyReply) => FastifyReply

/**
 * Where the router finds nothing: the path is unknown, or it is known but lacks the method. OPTIONS asks for the methods
 * of a path, and with `*` for those of the server (RFC 9110, section 9.3.7).
 * @returns the answer; as a hook calls it before a body is read, it throws ApiError
 */
export function registerNotFound(
  app: FastifyInstance,
  model: Model,
  answerPreflight: AnswerPreflight,
): AnswerUnknown {
  const documented = methodsReader(model)
  // Those of the docs, which are registered later on: all of them are read only.
  const others = new Set<string>()
  app.addHook('onRoute', ({ url, config }) => {
    if (!(config && 'operationId' in config)) others.add(url)
  })
  const isOther = (path: string) =>
    [...others].some(url => (url.endsWith('*') ? path.startsWith(url.slice(0, -1)) : path === url))

  /** The methods at a URL, HEAD last; undefined where nothing is. */
  function methodsAt(url: string): string[] | undefined {
    if (url === '*') return withHead([...new Set(model.operations.map(({ method }) => method))])
    const methods = documented(url) ?? (isOther(pathOf(url)) ? ['GET'] : undefined)
    return methods && withHead(methods)
  }

  const answer: AnswerUnknown = (request, reply) => {
    const methods = methodsAt(request.url)
    if (!methods || methods.includes(request.method))
      throw new ApiError('not_found', `There is nothing at ${excerpt(request.url.split('?', 1)[0] ?? '')}.`)
    const allow = [...new Set([...methods, 'OPTIONS'])].join(', ')
    if (request.method !== 'OPTIONS')
      throw new ApiError('method_not_allowed', `This path takes ${allow}.`, {
        headers: { Allow: allow },
      })
    if (request.url !== '*') answerPreflight(request, reply, allow)
    return reply.code(204).header('Allow', allow).send()
  }
  app.setNotFoundHandler(answer)
  return answer
}

/** Fastify answers HEAD where there is a GET. */
function withHead(methods: readonly string[]): string[] {
  const others = methods.filter(method => method !== 'HEAD')
  return methods.includes('GET') || methods.includes('HEAD') ? [...others, 'HEAD'] : others
}
