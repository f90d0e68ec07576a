import { type OpenApi, type Response, resolve, type Schema } from '../document/model.ts'
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

export function createCoverage({ document }: Interface): Coverage {
  const seen = new Set<string>()
  const dueOf = (endpoints: readonly Endpoint[]) =>
    new Set(endpoints.flatMap(endpoint => [...promisesOf(document, endpoint)]))
  return {
    note(endpoint, { status, headers, body }) {
      const response = responseOf(document, endpoint, status)
      if (!response) return
      seen.add(statusKey(endpoint, status))
      for (const name of Object.keys(response.value.headers ?? {}))
        if (headers[name.toLowerCase()] !== undefined) seen.add(headerKey(response, name))
      const schema = schemaIn(document, response)
      if (schema && body !== undefined) for (const key of shownBy(document, schema, body)) seen.add(key)
    },
    missing: endpoints => [...dueOf(endpoints)].filter(key => !seen.has(key)),
    total: endpoints => dueOf(endpoints).size,
  }
}

const statusKey = ({ id }: Endpoint, status: number | string) => `the status ${status} of ${id}`
const headerKey = ({ at }: Located<unknown>, name: string) => `the header ${name} of ${at}`
const propertyKey = ({ at }: Located<unknown>, name: string) => `the property ${name} of ${at}`
const valueKey = ({ at }: Located<unknown>, value: unknown) => `the value ${JSON.stringify(value)} of ${at}`

function* promisesOf(document: OpenApi, endpoint: Endpoint): Generator<string> {
  for (const status of endpoint.statuses) {
    yield statusKey(endpoint, status)
    const response = responseOf(document, endpoint, status)
    if (!response) continue
    for (const name of Object.keys(response.value.headers ?? {})) yield headerKey(response, name)
    const schema = schemaIn(document, response)
    if (schema) yield* promisesIn(document, schema, new Set())
  }
}

/** What a schema promises: each property, each value of an enumeration, null where it may be. */
function* promisesIn(document: OpenApi, schema: Located<Schema>, walked: Set<string>): Generator<string> {
  if (walked.has(schema.at)) return
  walked.add(schema.at)
  if (schema.value.nullable) yield valueKey(schema, null)
  for (const value of (schema.value.enum ?? []) as unknown[]) yield valueKey(schema, value)
  for (const name of Object.keys(schema.value.properties ?? {})) yield propertyKey(schema, name)
  for (const { child } of childrenOf(document, schema)) yield* promisesIn(document, child, walked)
}

/** What a value shows of its schema. */
function* shownBy(document: OpenApi, schema: Located<Schema>, value: unknown): Generator<string> {
  if (value === null) yield valueKey(schema, null)
  if (Array.isArray(schema.value.enum)) yield valueKey(schema, value)
  for (const { child, name } of childrenOf(document, schema)) {
    if (name === undefined) yield* shownBy(document, child, value)
    else if (Array.isArray(value) && name === '*')
      for (const item of value) yield* shownBy(document, child, item)
    else if (isObject(value) && Object.hasOwn(value, name)) {
      yield propertyKey(schema, name)
      yield* shownBy(document, child, value[name])
    }
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The schemas within a schema: of a property by its name, of items as `*`, of the same value without a name. */
function* childrenOf(
  document: OpenApi,
  { value, at }: Located<Schema>,
): Generator<{ name?: string; child: Located<Schema> }> {
  const { properties = {}, items } = value as { properties?: Record<string, Schema>; items?: Schema }
  for (const [name, property] of Object.entries(properties))
    yield { name, child: locate(document, property, `${at}/properties/${name}`) }
  if (items) yield { name: '*', child: locate(document, items, `${at}/items`) }
  for (const keyword of ['allOf', 'oneOf', 'anyOf'] as const)
    for (const [index, part] of ((value[keyword] ?? []) as Schema[]).entries())
      yield { child: locate(document, part, `${at}/${keyword}/${index}`) }
}

function responseOf(document: OpenApi, endpoint: Endpoint, status: number): Located<Response> | undefined {
  const declared = endpoint.operation.responses[status]
  return declared && locate(document, declared, `${endpoint.id} ${status}`)
}

function schemaIn(document: OpenApi, { value, at }: Located<Response>): Located<Schema> | undefined {
  const schema = Object.values(value.content ?? {})[0]?.schema
  return schema && locate(document, schema, `the body of ${at}`)
}

function locate<T extends object>(document: OpenApi, node: T, at: string): Located<T> {
  const { $ref } = node as { $ref?: string } // only Reference Objects have it
  if ($ref === undefined) return { value: node, at }
  const name = $ref.replace('#/components/', '')
  return { value: resolve(document, node), at: name }
}
