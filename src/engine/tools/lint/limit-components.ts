/** The components of limits, keys and refusals by their names, as the engine has them. */

const integer = { type: 'integer', minimum: 0 }
const text = { type: 'string' }
const header = (description: string, schema: object, example: unknown) => ({
  required: true,
  description,
  schema,
  example,
})

export const rateLimits = {
  windows: [
    { name: 'minute', seconds: 60 },
    { name: 'day', seconds: 86_400 },
  ],
  plans: {
    Free: { minute: 60, day: 1_000 },
    Pro: { minute: 300, day: 10_000 },
    Enterprise: { custom: true },
  },
  anonymous: 'Free',
  ban: { refusals: 20, window: 'minute', seconds: 900 },
}

/** On every reply. */
export const commonHeaders = {
  'X-RateLimit-Limit': header('The limit of the window that will stop you first.', integer, 60),
  'X-RateLimit-Remaining': header('Requests that are left in it.', integer, 42),
  'X-RateLimit-Reset': header('When it ends, as a Unix timestamp in seconds.', integer, 1_795_248_060),
  'RateLimit-Policy': header('Quota and length of each window (IETF).', text, '"minute";q=60;w=60'),
  RateLimit: header('What is left of each window, and for how long (IETF).', text, '"minute";r=42;t=17'),
  'X-Request-Id': header('The request in the logs.', { ...text, minLength: 1, maxLength: 128 }, '0198c7a2'),
}

export const otherHeaders = {
  'Retry-After': header('Seconds to wait before the next try.', integer, 17),
  'WWW-Authenticate': header('How to authenticate (RFC 9110).', text, 'ApiKey'),
}

/** A refusal that the engine makes, whatever the operation. */
export interface Refusal {
  name: string
  status: number
  description: string
  codes: readonly string[]
  headers: readonly (keyof typeof otherHeaders)[]
}

const refusal = (
  name: string,
  status: number,
  description: string,
  codes: Refusal['codes'],
  ...headers: Refusal['headers']
): Refusal => ({ name, status, description, codes, headers })

const banned = ['insufficient_scope', 'api_key_banned', 'address_banned']

export const refusals: readonly Refusal[] = [
  refusal('InvalidRequest', 400, 'The request can’t be read or does not fit this document.', [
    'invalid_request',
  ]),
  refusal(
    'Unauthenticated',
    401,
    'No credential, or none that is valid.',
    ['unauthenticated'],
    'WWW-Authenticate',
  ),
  refusal('Forbidden', 403, 'The credential lacks the scope, or the caller is banned for a while.', banned),
  refusal('PayloadTooLarge', 413, 'The body is too large.', ['payload_too_large']),
  refusal('UriTooLong', 414, 'The URL is too long.', ['uri_too_long']),
  refusal('UnsupportedMediaType', 415, 'The body is of another media type.', ['unsupported_media_type']),
  refusal('TooManyRequests', 429, 'The limits of the plan are used up.', ['rate_limited'], 'Retry-After'),
  refusal('InternalError', 500, 'A fault of the service.', ['internal_error']),
  refusal('Unavailable', 503, 'The service can’t answer now.', ['unavailable'], 'Retry-After'),
]

/** Refusals of requests with a body only. */
export const ofBodies = new Set([413, 415])

/** Codes of refusals that some operations have, or none. */
const otherCodes = [
  'not_found',
  'method_not_allowed',
  'request_timeout',
  'header_fields_too_large',
  'operation_sunset',
  'idempotency_key_in_use',
  'idempotency_key_reused',
]

const detail = {
  type: 'object',
  required: ['path', 'message'],
  properties: {
    path: { ...text, description: 'JSON Pointer to the fault (RFC 6901).' },
    message: { ...text, description: 'What is wrong there.' },
  },
}

export const errorSchema = {
  type: 'object',
  description: 'What went wrong.',
  required: ['code', 'message', 'status'],
  properties: {
    code: { ...text, enum: [...refusals.flatMap(({ codes }) => codes), ...otherCodes] },
    message: { ...text, description: 'The same in words.' },
    status: { type: 'integer', minimum: 400, maximum: 599, description: 'The HTTP status.' },
    details: { type: 'array', description: 'The faults of the input.', items: detail },
  },
}

export const keyScheme = { type: 'apiKey', in: 'header', name: 'X-API-Key' }
