/** What a document says of limits, keys and refusals: components by their names, as the engine keeps them. */

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
  'RateLimit-Policy': header(
    'Quota and length of each window (IETF RateLimit fields).',
    text,
    '"minute";q=60;w=60',
  ),
  RateLimit: header(
    'What is left of each window, and for how long (IETF RateLimit fields).',
    text,
    '"minute";r=42;t=17',
  ),
  'X-Request-Id': header(
    'The request in the logs of the service.',
    { ...text, minLength: 1, maxLength: 128 },
    '0198c7a2',
  ),
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

export const refusals: readonly Refusal[] = [
  {
    name: 'InvalidRequest',
    status: 400,
    description: 'The request can’t be read or does not fit this document.',
    codes: ['invalid_request'],
    headers: [],
  },
  {
    name: 'Unauthenticated',
    status: 401,
    description: 'No credential, or none that is valid.',
    codes: ['unauthenticated'],
    headers: ['WWW-Authenticate'],
  },
  {
    name: 'Forbidden',
    status: 403,
    description: 'The credential lacks the scope, or the caller is banned for a while.',
    codes: ['insufficient_scope', 'api_key_banned', 'address_banned'],
    headers: [],
  },
  {
    name: 'PayloadTooLarge',
    status: 413,
    description: 'The body is too large.',
    codes: ['payload_too_large'],
    headers: [],
  },
  {
    name: 'UriTooLong',
    status: 414,
    description: 'The URL is too long.',
    codes: ['uri_too_long'],
    headers: [],
  },
  {
    name: 'UnsupportedMediaType',
    status: 415,
    description: 'The body is of another media type.',
    codes: ['unsupported_media_type'],
    headers: [],
  },
  {
    name: 'TooManyRequests',
    status: 429,
    description: 'The limits of the plan are used up.',
    codes: ['rate_limited'],
    headers: ['Retry-After'],
  },
  {
    name: 'InternalError',
    status: 500,
    description: 'A fault of the service.',
    codes: ['internal_error'],
    headers: [],
  },
  {
    name: 'Unavailable',
    status: 503,
    description: 'The service can’t answer now.',
    codes: ['unavailable'],
    headers: ['Retry-After'],
  },
]

/** Refusals of requests with a body only. */
export const ofBodies = new Set([413, 415])

/** @param extra codes of operations, beside the engine's */
export const errorSchema = (extra: readonly string[] = []) => ({
  type: 'object',
  description: 'What went wrong.',
  required: ['code', 'message', 'status'],
  properties: {
    code: {
      type: 'string',
      enum: [
        ...new Set([
          ...refusals.flatMap(({ codes }) => codes),
          'not_found',
          'method_not_allowed',
          'request_timeout',
          'header_fields_too_large',
          'operation_sunset',
          'idempotency_key_in_use',
          'idempotency_key_reused',
          ...extra,
        ]),
      ],
    },
    message: { type: 'string', description: 'The same in words.' },
    status: { type: 'integer', minimum: 400, maximum: 599, description: 'The HTTP status.' },
    details: {
      type: 'array',
      description: 'The faults of the input.',
      items: {
        type: 'object',
        required: ['path', 'message'],
        properties: {
          path: { type: 'string', description: 'JSON Pointer to the fault (RFC 6901).' },
          message: { type: 'string', description: 'What is wrong there.' },
        },
      },
    },
  },
})

export const keyScheme = { type: 'apiKey', in: 'header', name: 'X-API-Key' }
