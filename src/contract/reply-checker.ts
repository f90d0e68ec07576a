import type { ValidateFunction } from 'ajv'
import type { ContractDocument } from './document.ts'
import { createAjv, type Schema, toJsonSchema } from './json-schema.ts'
import { type DeclaredResponse, lookUp, responsesOf } from './responses.ts'

/** A reply, before it is serialised or as read from the wire. */
export interface CheckedReply {
  status: number
  /** by lower-case name; `incomplete` while others are still to come: then only the body is checked */
  headers: Readonly<Record<string, unknown>> | 'incomplete'
  /** undefined for none */
  body: unknown
}

/** Lists every way in which a reply is not what the document declares for the operation. */
export type ReplyChecker = (operationId: string, reply: CheckedReply) => string[]

/** Prepares the check of replies against the document. Schemas are compiled when first needed. */
export function createReplyChecker(document: ContractDocument): ReplyChecker {
  const responses = new Map<string, DeclaredResponse>()
  const schemas: Record<string, unknown> = {}
  for (const { operationId, response, status } of responsesOf(document.value)) {
    responses.set(`${operationId} ${status}`, response)
    for (const [type, media] of Object.entries(response.content ?? {}))
      schemas[`${operationId} ${status} ${type}`] = toJsonSchema(media.schema ?? {})
    for (const [name, header] of Object.entries(response.headers ?? {}))
      schemas[`${operationId} ${status} header ${name}`] = toJsonSchema(header.schema ?? {})
  }
  const ajv = createAjv()
  // One root for all, so that each `#/components/schemas/…` resolves wherever it stands.
  const components = toJsonSchema({
    properties: lookUp(document.value, '#/components/schemas') ?? {},
  }) as Schema
  ajv.addSchema({ components: { schemas: components.properties }, schemas }, 'contract')
  const validator = (name: string): ValidateFunction => {
    const pointer = name.replaceAll('~', '~0').replaceAll('/', '~1')
    const validate = ajv.getSchema(`contract#/schemas/${encodeURIComponent(pointer)}`)
    if (!validate) throw new Error(`No schema for ${name}`)
    return validate
  }

  return (operationId, { status, headers, body }) => {
    const name = `${operationId} ${status}`
    const response = responses.get(name)
    if (!response) return [`${operationId} does not declare the status ${status}`]
    return [
      ...checkBody(name, response, headers, body, validator),
      ...(headers === 'incomplete' ? [] : checkHeaders(name, response, headers, validator)),
    ]
  }
}

function checkBody(
  name: string,
  response: DeclaredResponse,
  headers: CheckedReply['headers'],
  body: unknown,
  validator: (name: string) => ValidateFunction,
): string[] {
  const declared = Object.keys(response.content ?? {})
  if (declared.length === 0) return body === undefined ? [] : [`${name} declares no body, and there is one`]
  if (body === undefined) return [`${name} declares a body, and there is none`]
  const own = headers === 'incomplete' ? undefined : headers['content-type']
  const type = String(own ?? 'application/json').split(';')[0] ?? ''
  if (!declared.includes(type)) return [`${name} declares ${declared.join(', ')} and not ${type}`]
  return faults(`${name}: the body`, validator(`${name} ${type}`), body)
}

function checkHeaders(
  name: string,
  response: DeclaredResponse,
  headers: Readonly<Record<string, unknown>>,
  validator: (name: string) => ValidateFunction,
): string[] {
  return Object.entries(response.headers ?? {}).flatMap(([header, { required, schema }]) => {
    const value = headers[header.toLowerCase()]
    if (value === undefined) return required ? [`${name}: the header ${header} is missing`] : []
    const typed = schema?.type === 'integer' && /^\d+$/.test(String(value)) ? Number(value) : value
    return faults(`${name}: the header ${header}`, validator(`${name} header ${header}`), typed)
  })
}

function faults(subject: string, validate: ValidateFunction, value: unknown): string[] {
  if (validate(value)) return []
  return (validate.errors ?? []).map(
    ({ instancePath, message, params }) => `${subject}${instancePath} ${message} ${JSON.stringify(params)}`,
  )
}
