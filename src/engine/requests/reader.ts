import type { FastifyRequest } from 'fastify'
import type { OperationModel } from '../../document/model.ts'
import { ApiError } from '../replies/api-error.ts'
import { type BodyRefusal, type BodyResult, bodyReader } from './bodies.ts'
import type { Fault } from './faults.ts'
import { invalidRequest } from './invalid-request.ts'
import { parameterReader } from './parameters.ts'
import { parseStrictJson } from './strict-json.ts'
import type { Texts } from './texts.ts'

/** What a request says, validated. */
export interface ReadRequest {
  path: Record<string, unknown>
  query: Record<string, unknown>
  body: unknown
}

/** Reads the requests of one operation; what is not the document's is refused. */
export interface RequestReader {
  /** Judges a body by its header fields, before a byte of it is read. @throws ApiError */
  acceptBody(request: FastifyRequest): void
  /** Reads the body. @throws ApiError for what can't be understood at all */
  readBody(request: FastifyRequest): Promise<BodyResult>
  /**
   * Puts parameters and body together.
   * @returns an error with all faults of the first part at fault; to throw it would cost more than all the rest
   */
  read(request: FastifyRequest): ReadRequest | ApiError
}

const subjects = {
  path: 'The path is',
  query: 'The query is',
  header: 'The header fields are',
  cookie: 'The cookies are',
} as const

/** @param limit longest body, in bytes */
export function requestReader(texts: Texts, operation: OperationModel, limit: number): RequestReader {
  const readParameters = parameterReader(texts, operation, parseStrictJson)
  const bodies = bodyReader(texts, operation, { parseJson: parseStrictJson, limit })
  return {
    acceptBody({ headers }) {
      const judged = bodies.accept(headers)
      if (judged.kind !== 'accepted' && judged.kind !== 'none') throw refusalOf(judged, operation)
    },
    async readBody({ headers, raw }) {
      const result = await bodies.read(headers, raw)
      // What its schema has against it is told after what is wrong with the path.
      if (['none', 'read', 'invalid'].includes(result.kind)) return result
      throw refusalOf(result as BodyRefusal, operation) // the kinds that are left
    },
    read({ url, headers, body }) {
      const { values, faults } = readParameters({ url, headers })
      const result = body as BodyResult | undefined // readBody has left it there, or there was none to read
      if (faults.length > 0 || result?.kind === 'invalid') {
        const ofBody = result?.kind === 'invalid' ? refusalOf(result, operation) : undefined
        const of = (place: keyof typeof subjects) => refusalOfPart(place, faults)
        const first = of('path') ?? ofBody ?? of('query') ?? of('header') ?? of('cookie')
        if (first) return first
      }
      return {
        path: values.path,
        query: values.query,
        body: result?.kind === 'read' ? result.value : undefined,
      }
    },
  }
}

function refusalOfPart(place: keyof typeof subjects, faults: readonly Fault[]): ApiError | undefined {
  const own = faults.filter(({ path }) => path === `/${place}` || path.startsWith(`/${place}/`))
  return own.length > 0 ? invalidRequest(subjects[place], own) : undefined
}

function refusalOf(refusal: BodyRefusal | { kind: 'none' | 'read' }, operation: OperationModel): ApiError {
  switch (refusal.kind) {
    case 'missing':
      return new ApiError('invalid_request', 'This operation needs a body.')
    case 'malformed':
      return new ApiError('invalid_request', `The body ${refusal.reason}.`)
    case 'invalid':
      return invalidRequest('The body is', refusal.faults)
    case 'too-large':
      return new ApiError('payload_too_large', `The body is larger than ${refusal.limit} bytes.`)
    case 'broken-off':
      return new ApiError('invalid_request', 'The body broke off.', { cause: refusal.cause })
    case 'unsupported': {
      const { part, accepted } = refusal
      const message =
        part === 'coding'
          ? 'Send the body without a Content-Encoding.'
          : `Send the body as ${accepted.join(' or ')} in UTF-8.`
      return new ApiError('unsupported_media_type', message, {
        // RFC 5789, section 2.2
        headers:
          part !== 'coding' && operation.method === 'PATCH' ? { 'Accept-Patch': accepted.join(', ') } : {},
      })
    }
    default:
      throw new Error(`A body that is ${refusal.kind} is no refusal`)
  }
}
