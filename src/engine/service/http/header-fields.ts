import fp from 'fastify-plugin'
import type { Model } from '../../document/model.ts'
import type { Response } from '../../document/types.ts'
import { fieldOf, schemesOf } from '../callers/security.ts'
import { destinationOf } from '../contract/destination.ts'

type Fields = Readonly<Record<string, string>>

/** How long a browser may cache the answer to a preflight request, in seconds. */
const rememberFor = '600'

/** The default Cache-Control of replies. Operations may declare another in the document. */
export const notKept = 'no-store'

export type FirstFields = ReturnType<typeof createFirstFields>

/** The fields of the Model Context Protocol. */
const fieldsOfAgents = ['Mcp-Protocol-Version', 'Mcp-Method', 'Mcp-Name']

/** Lets pages of these origins (`*`: all) use the API and read every declared header field. */
export function createFirstFields(model: Model, origins: '*' | readonly string[] | undefined) {
  const responses = model.operations.flatMap(operation => [...operation.responses.values()])
  const exposed = [...new Set(responses.flatMap(({ headers = {} }) => Object.keys(headers)))].join(', ')
  const parameters = model.operations.flatMap(operation => operation.parameters)
  const sent = parameters.filter(one => one.in === 'header').map(({ name }) => name)
  const credentials = schemesOf(model).flatMap(({ scheme }) => fieldOf(scheme) ?? [])
  const allowed = [
    ...new Set([...credentials, 'Content-Type', 'X-Request-Id', ...fieldsOfAgents, ...sent]),
  ].join(', ')

  /** Returns Access-Control-Allow-Origin for a request; undefined: no such field. */
  function allowedFor(origin: string | null | undefined): string | undefined {
    if (origin === null || origins === undefined) return undefined
    if (origins === '*') return '*'
    if (origin !== undefined) return origins.includes(origin) ? origin : undefined
    return origins.length === 1 ? origins[0] : undefined // the only origin that may send it
  }

  const vary = origins ? 'Accept-Encoding, Origin' : 'Accept-Encoding'
  return {
    /** @param origin the Origin of the request; null: none; undefined: it could not be read */
    of(requestId: string, origin: string | null | undefined): Fields {
      const usual = {
        'cache-control': notKept,
        'x-content-type-options': 'nosniff',
        vary,
        'x-request-id': requestId,
      }
      const allowedOrigin = allowedFor(origin)
      if (allowedOrigin === undefined) return usual
      return {
        ...usual,
        'access-control-allow-origin': allowedOrigin,
        ...(origin && { 'access-control-expose-headers': exposed }),
      }
    },
    /** The answer to a preflight request of a browser (Fetch standard, "CORS-preflight request"). */
    preflight: (methods: string): Fields => ({
      ...(origins && {
        'access-control-allow-methods': methods,
        'access-control-allow-headers': allowed,
        'access-control-max-age': rememberFor,
      }),
    }),
  }
}

/** Adds the header fields of every reply, and those to which the document gives just one value, as Cache-Control. */
export const headerFields = fp<{ model: Model; first: FirstFields }>(async (app, { model, first }) => {
  const fixed = fixedFieldsOf(model)
  app.addHook('onRequest', (request, reply, done) => {
    reply.headers(first.of(request.id, request.headers.origin ?? null))
    done()
  })
  app.addHook('onRoute', ({ config }) => {
    const own = fixed.get(config?.operationId ?? '')
    if (config && own) config.fixedFields = own
  })
  app.addHook('onSend', (request, reply, payload, done) => {
    const fields = destinationOf(request).fixedFields?.get(reply.statusCode)
    if (fields) reply.headers(fields)
    done(null, payload)
  })
})

declare module '../contract/destination.ts' {
  interface Destination {
    /** header fields with just one value, by status */
    fixedFields?: ReadonlyMap<number, Fields>
  }
}

function fixedFieldsOf({ operations, resolve }: Model): Map<string, Map<number, Fields>> {
  const fieldsOf = ({ headers = {} }: Response): Fields => {
    const fixed = Object.entries(headers).flatMap(([name, reference]) => {
      const { required, schema } = resolve(reference)
      const [value, ...others] = (schema && resolve(schema).enum) ?? []
      return required && typeof value === 'string' && others.length === 0 ? [[name.toLowerCase(), value]] : []
    })
    return Object.fromEntries(fixed)
  }
  const byStatus = (responses: ReadonlyMap<string, Response>) => {
    const all = [...responses].map(([status, response]) => [Number(status), fieldsOf(response)] as const)
    return new Map(all.filter(([, fields]) => Object.keys(fields).length > 0))
  }
  return new Map(operations.map(({ id, responses }) => [id, byStatus(responses)]))
}
