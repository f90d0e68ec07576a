import type { FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import type { Model } from '../../document/model.ts'
import { ApiError } from '../replies/api-error.ts'
import { excerpt } from '../requests/faults.ts'
import { decodeOr } from '../requests/styles.ts'
import { isUnknown } from '../routes/operation.ts'
import { beforeQuery, pathFinder } from '../routes/paths.ts'
import { refuseTarget } from '../routes/target.ts'

/** Adds to the reply of OPTIONS what a browser asks before it sends a request to another origin. */
export type AnswerPreflight = (request: FastifyRequest, reply: FastifyReply, methods: string) => void

/**
 * Answers where there is no operation, before a body is read: 400 for a target that can't be meant, 404 for an unknown
 * path, 405 with `Allow` where the path lacks the method, 204 with it for OPTIONS (RFC 9110, section 9.3.7).
 */
export const notFound = fp<{ model: Model; answerPreflight: AnswerPreflight }>(
  async (app, { model, answerPreflight }) => {
    const find = pathFinder(model)
    // Those of the docs, which are registered later on: all of them are read only.
    const others = new Set<string>()
    app.addHook('onRoute', ({ url, config }) => {
      if (config?.operationId === undefined) others.add(url)
    })
    const isOther = (path: string) =>
      [...others].some(url => (url.endsWith('*') ? path.startsWith(url.slice(0, -1)) : path === url))

    /** The methods at a URL, HEAD last; undefined where nothing is. */
    function methodsAt(url: string): string[] | undefined {
      if (url === '*') return withHead([...new Set(model.operations.map(({ method }) => method))])
      const methods = find(url)?.methods ?? (isOther(decodeOr(beforeQuery(url))) ? ['GET'] : undefined)
      return methods && withHead(methods)
    }

    async function answer(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
      const { url, method } = request
      const methods = methodsAt(url)
      if (!methods || methods.includes(method))
        throw new ApiError('not_found', `There is nothing at ${excerpt(beforeQuery(url))}.`)
      const allow = [...new Set([...methods, 'OPTIONS'])].join(', ')
      if (method !== 'OPTIONS')
        throw new ApiError('method_not_allowed', `This path takes ${allow}.`, { headers: { Allow: allow } })
      if (url !== '*') answerPreflight(request, reply, allow)
      return reply.code(204).header('Allow', allow).send()
    }

    app.addHook('onRequest', async (request, reply) => {
      refuseTarget(request)
      return isUnknown(request) ? answer(request, reply) : undefined
    })
    app.setNotFoundHandler(answer)
  },
)

/** Fastify answers HEAD where there is a GET. */
function withHead(methods: readonly string[]): string[] {
  const others = methods.filter(method => method !== 'HEAD')
  return methods.includes('GET') || methods.includes('HEAD') ? [...others, 'HEAD'] : others
}
