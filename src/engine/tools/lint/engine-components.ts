import { type EngineResponse, engineResponses, replyFields } from 'spec-served/internal/errors/refusals'
import type { Model } from 'spec-served-document/model'
import { lookUp } from 'spec-served-document/pointer'
import type { Reference } from 'spec-served-document/types'
import { createSchemas } from 'spec-served-document/values/schemas'
import type { Mend } from './violation.ts'

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
const commonHeaders: Record<(typeof replyFields)[number], object> = {
  'X-RateLimit-Limit': header('The limit of the window that will stop you first.', integer, 60),
  'X-RateLimit-Remaining': header('Requests that are left in it.', integer, 42),
  'X-RateLimit-Reset': header('When it ends, as a Unix timestamp in seconds.', integer, 1_795_248_060),
  'RateLimit-Policy': header('Quota and length of each window (IETF).', text, '"minute";q=60;w=60'),
  RateLimit: header('What is left of each window, and for how long (IETF).', text, '"minute";r=42;t=17'),
  'X-Request-Id': header('The request in the logs.', { ...text, minLength: 1, maxLength: 128 }, '0198c7a2'),
  'Cache-Control': header('How long the reply may be kept (RFC 9111).', text, 'no-store'),
  'X-Content-Type-Options': header(
    'Browsers take the type as it is declared.',
    { ...text, enum: ['nosniff'] },
    'nosniff',
  ),
}

/** The header fields that the engine sets. */
const headers: Readonly<Record<string, object>> = {
  ...commonHeaders,
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

const errorSchema = {
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

/** A component, and the changes that write it where the document lacks it. */
export interface Component {
  reference: Reference
  mend: readonly Mend[]
}

/** @param isSame whether a component of this name does as well; the engine's gets another name beside one that does not */
function componentOf(
  { document }: Model,
  kind: 'schemas' | 'headers' | 'responses',
  name: string,
  value: unknown,
  isSame: (component: unknown) => boolean,
): Component {
  for (let count = 1; ; count++) {
    const place = ['components', kind, count === 1 ? name : `${name}${count}`]
    const existing = lookUp(document, place)
    if (existing === undefined || isSame(existing))
      return {
        reference: { $ref: `#/${place.join('/')}` },
        mend: existing === undefined ? [{ place, value }] : [],
      }
  }
}

/** Returns the header field that the engine sets under a name; undefined for one that it does not set. */
export function headerComponent(model: Model, name: string): Component | undefined {
  const value = Object.hasOwn(headers, name) ? headers[name] : undefined
  return value && componentOf(model, 'headers', name, value, () => true)
}

/** Returns the engine's form of errors. A schema that takes it is the same. */
function errorComponent(model: Model): Component {
  const schemas = createSchemas(model)
  const errors = Object.values(engineResponses).flatMap(({ codes, status, description }) =>
    codes.map(code => ({ code, message: description, status })),
  )
  const reference = (name: string) => ({ $ref: `#/components/schemas/${name}` })
  return componentOf(model, 'schemas', 'Error', errorSchema, component => {
    const [name = ''] =
      Object.entries(model.document.components?.schemas ?? {}).find(([, schema]) => schema === component) ??
      []
    return errors.every(error => schemas.check(reference(name), error, 'response').length === 0)
  })
}

/** Returns a refusal of the engine, with all that it refers to. */
export function responseComponent(model: Model, name: string, refusal: EngineResponse): Component {
  const { status, codes, description, fields = [] } = refusal
  const error = errorComponent(model)
  const described = [...fields, ...replyFields].flatMap(field => {
    const component = headerComponent(model, field)
    return component ? [[field, component] as const] : []
  })
  const value = {
    description,
    'x-codes': codes,
    headers: Object.fromEntries(described.map(([field, { reference }]) => [field, reference])),
    content: {
      'application/json': {
        schema: error.reference,
        example: { code: codes[0], message: description, status },
      },
    },
  }
  const declaredResponse = componentOf(
    model,
    'responses',
    name,
    value,
    response => String(lookUp(response, ['x-codes'])) === String(codes),
  )
  const others =
    declaredResponse.mend.length > 0 ? [error, ...described.map(([, component]) => component)] : []
  return { ...declaredResponse, mend: [...others.flatMap(({ mend }) => mend), ...declaredResponse.mend] }
}
