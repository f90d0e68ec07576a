import cors, { type FastifyCorsOptions } from '@fastify/cors'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { fieldOf, schemesOf } from '../access/security.ts'
import type { Contract } from '../contract.ts'
import { commonFields } from './header-fields.ts'

/** How long a browser may remember what is allowed, in seconds. */
const rememberFor = 600

/** Lets pages of other origins use the API and read every header field that the document declares. */
export interface CrossOrigin {
  /** Adds the fields to each reply whose request goes through the hooks. */
  register(app: FastifyInstance): Promise<void>
  /**
   * The same fields, for a reply that does not go through the hooks.
   * @param origin what the request named; null: nothing; undefined: it could not be read
   */
  fieldsFor(origin: string | null | undefined): Record<string, string>
  /** Answers a preflight request, once the path's methods are known (Fetch standard, "CORS-preflight request"). */
  answerPreflight(request: FastifyRequest, reply: FastifyReply, methods: string): void
}

/** No page of another origin may use the API. */
const noCrossOrigin: CrossOrigin = {
  register: async () => {},
  fieldsFor: () => ({}),
  answerPreflight: () => {},
}

/** @param origins `*` for all, or those allowed; undefined: none */
export function createCrossOrigin(
  { model }: Contract,
  origins: '*' | readonly string[] | undefined,
): CrossOrigin {
  if (origins === undefined) return noCrossOrigin
  const responses = model.operations.flatMap(operation => [...operation.responses.values()])
  const exposed = [...new Set(responses.flatMap(({ headers = {} }) => Object.keys(headers)))].join(', ')
  const sent = model.operations
    .flatMap(({ parameters }) => parameters)
    .filter(parameter => parameter.in === 'header')
    .map(({ name }) => name)
  const credentials = schemesOf(model).flatMap(({ scheme }) => fieldOf(scheme) ?? [])
  const allowed = [...new Set([...credentials, 'Content-Type', 'X-Request-Id', ...sent])].join(', ')

  /** What Access-Control-Allow-Origin says to a request; undefined: nothing. */
  function allowedFor(origin: string | null | undefined): string | undefined {
    if (origin === null) return undefined
    if (origins === '*') return '*'
    if (origin !== undefined) return origins?.includes(origin) ? origin : undefined
    return origins?.length === 1 ? origins[0] : undefined // the only one that it can have come from
  }

  return {
    async register(app) {
      // The preflight itself is answered with the other OPTIONS requests, so that it tells the path's own methods.
      const common = { preflight: false, hideOptionsRoute: true } satisfies FastifyCorsOptions
      await app.register(cors, {
        ...common,
        delegator({ headers }, done) {
          const origin = allowedFor(headers.origin ?? null)
          done(
            null,
            origin === undefined ? { origin: false } : { ...common, origin, exposedHeaders: exposed },
          )
        },
      })
    },
    fieldsFor(origin) {
      const allowedOrigin = allowedFor(origin)
      return {
        vary: `${commonFields.vary}, Origin`,
        ...(allowedOrigin !== undefined && { 'access-control-allow-origin': allowedOrigin }),
        ...(allowedOrigin !== undefined && origin && { 'access-control-expose-headers': exposed }),
      }
    },
    answerPreflight(request, reply, methods) {
      if (request.headers['access-control-request-method'] === undefined) return
      reply
        .header('Access-Control-Allow-Methods', methods)
        .header('Access-Control-Allow-Headers', allowed)
        .header('Access-Control-Max-Age', rememberFor)
    },
  }
}
