/** The operations that may have a refusal: all, or those with a credential, a quota or a body. */
export type Due = 'always' | 'secured' | 'limited' | 'body'

/** A response by which the engine refuses requests. */
export interface EngineResponse {
  status: number
  codes: readonly string[]
  description: string
  /** operations of any of these kinds can meet it; absent: it depends on more */
  due?: readonly Due[]
  /** its own header fields */
  fields?: readonly string[]
  /** whether its code means no more than its status */
  isPlain?: boolean
}

const response = <const Codes extends readonly string[]>(
  status: number,
  codes: Codes,
  description: string,
  more: Pick<EngineResponse, 'due' | 'fields' | 'isPlain'> = {},
) => ({ status, codes, description, ...more })

/**
 * The engine's refusals, each under the name of the component that describes it (RFC 9110, 6585). The document may
 * declare another status for a code. The service, the rules, `add`, `init` and the check read this table.
 */
export const engineResponses = {
  InvalidRequest: response(
    400,
    ['invalid_request'],
    'The request can’t be read or does not fit this document.',
    { due: ['always'], isPlain: true },
  ),
  Unauthenticated: response(401, ['unauthenticated'], 'No credential, or none that is valid.', {
    due: ['secured'],
    isPlain: true,
    fields: ['WWW-Authenticate'],
  }),
  Forbidden: response(
    403,
    ['insufficient_scope', 'api_key_banned', 'address_banned'],
    'The credential lacks the scope, or the caller is banned for a while.',
    { due: ['secured', 'limited'] },
  ),
  OriginRefused: response(403, ['origin_refused'], 'Pages of this origin may not use the service.'),
  NotFound: response(404, ['not_found'], 'There is no such record.', { isPlain: true }),
  MethodNotAllowed: response(405, ['method_not_allowed'], 'The path is known, but not with this method.', {
    isPlain: true,
  }),
  RequestTimeout: response(408, ['request_timeout'], 'The request did not arrive in time.', {
    isPlain: true,
  }),
  InFlight: response(409, ['idempotency_key_in_use'], 'A request with this Idempotency-Key is under way.'),
  Gone: response(410, ['operation_sunset'], 'The operation has reached its sunset date.', {
    fields: ['Deprecation', 'Sunset', 'Link'],
  }),
  PayloadTooLarge: response(413, ['payload_too_large'], 'The body is too large.', {
    due: ['body'],
    isPlain: true,
  }),
  UriTooLong: response(414, ['uri_too_long'], 'The URL is too long.', { due: ['always'], isPlain: true }),
  UnsupportedMediaType: response(415, ['unsupported_media_type'], 'The body is of another media type.', {
    due: ['body'],
    isPlain: true,
  }),
  IdempotencyKeyReused: response(
    422,
    ['idempotency_key_reused'],
    'The Idempotency-Key was used with another payload.',
  ),
  SecretNotRepeated: response(
    422,
    ['idempotent_reply_sealed'],
    'The stored reply holds a secret of another credential.',
  ),
  RateLimited: response(429, ['rate_limited'], 'The limits of the plan are used up.', {
    due: ['limited'],
    isPlain: true,
    fields: ['Retry-After'],
  }),
  HeaderFieldsTooLarge: response(
    431,
    ['header_fields_too_large'],
    'The request line and header fields are too long.',
    { isPlain: true },
  ),
  InternalError: response(500, ['internal_error'], 'A fault of the service.', {
    due: ['always'],
    isPlain: true,
  }),
  Unavailable: response(503, ['unavailable'], 'The service can’t answer now.', {
    due: ['always'],
    isPlain: true,
    fields: ['Retry-After'],
  }),
}

/** The header fields that the engine sets on every reply. */
export const replyFields = [
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'RateLimit-Policy',
  'RateLimit',
  'X-Request-Id',
  'Cache-Control',
  'X-Content-Type-Options',
] as const

/** The name of a component that describes a refusal. */
export type EngineResponseName = keyof typeof engineResponses
export type EngineCode = (typeof engineResponses)[EngineResponseName]['codes'][number]

const all: readonly EngineResponse[] = Object.values(engineResponses)
const statuses: Readonly<Record<string, number>> = Object.fromEntries(
  all.flatMap(({ codes, status }) => codes.map(code => [code, status])),
)

export const isEngineCode = (code: string): code is EngineCode => Object.hasOwn(statuses, code)

/** Returns the usual status of a code; undefined for a code of the document's own. */
export const statusOf = (code: string): number | undefined =>
  Object.hasOwn(statuses, code) ? statuses[code] : undefined

/** Returns the code that means no more than a status. */
export const plainCodeOf = (status: number): string | undefined =>
  all.find(refusal => refusal.isPlain && refusal.status === status)?.codes[0]
