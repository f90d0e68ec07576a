import { engineResponses, type replyFields } from '../../service/errors/refusals.ts'

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
export const commonHeaders: Record<(typeof replyFields)[number], object> = {
  'X-RateLimit-Limit': header('The limit of the window that will stop you first.', integer, 60),
  'X-RateLimit-Remaining': header('Requests that are left in it.', integer, 42),
  'X-RateLimit-Reset': header('When it ends, as a Unix timestamp in seconds.', integer, 1_795_248_060),
  'RateLimit-Policy': header('Quota and length of each window (IETF).', text, '"minute";q=60;w=60'),
  RateLimit: header('What is left of each window, and for how long (IETF).', text, '"minute";r=42;t=17'),
  'X-Request-Id': header('The request in the logs.', { ...text, minLength: 1, maxLength: 128 }, '0198c7a2'),
  'Cache-Control': header('How long the reply may be kept (RFC 9111).', text, 'no-store'),
  'X-Content-Type-Options': header(
    'Browsers take the type as it is told.',
    { ...text, enum: ['nosniff'] },
    'nosniff',
  ),
}

export const otherHeaders = {
  'Retry-After': header('Seconds to wait before the next try.', integer, 17),
  'WWW-Authenticate': header('How to authenticate (RFC 9110).', text, 'ApiKey'),
}

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
    code: { ...text, enum: Object.values(engineResponses).flatMap(({ codes }) => codes) },
    message: { ...text, description: 'The same in words.' },
    status: { type: 'integer', minimum: 400, maximum: 599, description: 'The HTTP status.' },
    details: { type: 'array', description: 'The faults of the input.', items: detail },
  },
}

export const keyScheme = { type: 'apiKey', in: 'header', name: 'X-API-Key' }
