import type { Model } from '../../src/document/model.ts'
import type { Reference, Response, Schema } from '../../src/document/types.ts'
import type { Endpoint, Interface } from './interface.ts'
import type { WireReply } from './world.ts'

/** What a document promises of replies, and what of it replies have shown. */
export interface Coverage {
  /** Notes what a reply shows. */
  note(endpoint: Endpoint, reply: WireReply): void
  /** What the document declares for these operations and no reply has shown, in words. */
  missing(endpoints: readonly Endpoint[]): string[]
  /** How much there is to be seen. */
  total(endpoints: readonly Endpoint[]): number
}

/** A part of the document and where it stands, references followed: operations that share it share what was seen. */
interface Located<T> {
  value: T
  at: string
}

export function createCoverage({ model }: Interface): Coverage {
  const seen = new Set<string>()
  const dueOf = (endpoints: readonly Endpoint[]) =>
    new Set(endpoints.flatMap(endpoint => [...promisesOf(model, endpoint)]))
  return {
    note(endpoint, { status, headers, body }) {
      const response = responseOf(model, endpoint, status)
      if (!response) return
      seen.add(statusKey(endpoint, status))
      for (const name of Object.keys(response.value.headers ?? {}))
        if (headers[name.toLowerCase()] !== undefined) seen.add(headerKey(response, name))
      const schema = schemaIn(model, response)
      if (schema && body !== undefined) for (const key of shownBy(model, schema, body)) seen.add(key)
    },
    missing: endpoints => [...dueOf(endpoints)].filter(key => !seen.has(key)),
    total: endpoints => dueOf(endpoints).size,
  }
}

const statusKey = ({ id }: Endpoint, status: number | string) => `the status ${status} of ${id}`
const headerKey = ({ at }: Located<unknown>, name: string) => `the header ${name} of ${at}`
const propertyKey = ({ at }: Located<unknown>, name: string) => `the property ${name} of ${at}`
const valueKey = ({ at }: Located<unknown>, value: unknown) => `the value ${JSON.stringify(value)} of ${at}`

function* promisesOf(model: Model, endpoint: Endpoint): Generator<string> {
  for (const status of endpoint.statuses) {
    yield statusKey(endpoint, status)
    const response = responseOf(model, endpoint, status)
    if (!response) continue
    for (const name of Object.keys(response.value.headers ?? {})) yield headerKey(response, name)
    const schema = schemaIn(model, response)
    if (schema) yield* promisesIn(model, schema, new Set())
  }
}

/** What a schema promises: each property, each value of an enumeration, null where it may be. */
function* promisesIn(model: Model, schema: Located<Schema>, walked: Set<string>): Generator<string> {
  if (walked.has(schema.at)) return
  walked.add(schema.at)
  if (schema.value.nullable) yield valueKey(schema, null)
  for (const value of schema.value.enum ?? []) yield valueKey(schema, value)
  for (const name of Object.keys(schema.value.properties ?? {})) yield propertyKey(schema, name)
  for (const { child } of childrenOf(model, schema)) yield* promisesIn(model, child, walked)
}

/** What a value shows of its schema. */
function* shownBy(model: Model, schema: Located<Schema>, value: unknown): Generator<string> {
  if (value === null) yield valueKey(schema, null)
  if (Array.isArray(schema.value.enum)) yield valueKey(schema, value)
  for (const { child, name } of childrenOf(model, schema)) {
    if (name === undefined) yield* shownBy(model, child, value)
    else if (Array.isArray(value) && name === '*')
      for (const item of value) yield* shownBy(model, child, item)
    else if (isObject(value) && Object.hasOwn(value, name)) {
      yield propertyKey(schema, name)
      yield* shownBy(model, child, value[name])
    }
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The schemas within a schema: of a property by its name, of items as `*`, of the same value without a name. */
function* childrenOf(
  model: Model,
  { value, at }: Located<Schema>,
): Generator<{ name?: string; child: Located<Schema> }> {
  const { properties = {}, items } = value
  for (const [name, property] of Object.entries(properties))
    yield { name, child: locate(model, property, `${at}/properties/${name}`) }
  if (items) yield { name: '*', child: locate(model, items, `${at}/items`) }
  for (const keyword of ['allOf', 'oneOf', 'anyOf'] as const)
    for (const [index, part] of (value[keyword] ?? []).entries())
      yield { child: locate(model, part, `${at}/${keyword}/${index}`) }
}

function responseOf(model: Model, endpoint: Endpoint, status: number): Located<Response> | undefined {
  const declared = endpoint.operation.responses[status]
  return declared && locate(model, declared, `${endpoint.id} ${status}`)
}

function schemaIn(model: Model, { value, at }: Located<Response>): Located<Schema> | undefined {
  const schema = Object.values(value.content ?? {})[0]?.schema
  return schema && locate(model, schema, `the body of ${at}`)
}

function locate<T extends object>(model: Model, node: T | Reference, at: string): Located<T> {
  const isReference = '$ref' in node && typeof node.$ref === 'string'
  return { value: model.resolve(node), at: isReference ? String(node.$ref).replace('#/components/', '') : at }
}
