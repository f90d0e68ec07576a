import { codesOf, type Model, responseFor } from 'spec-served-document/model'
import type { Path } from 'spec-served-document/pointer'
import { isObject } from 'spec-served-document/pointer'
import { followAt, type Placed } from 'spec-served-document/reading/nodes'
import type { Reference, Response, Schema } from 'spec-served-document/types'
import { codeIn } from '../records/conventions.ts'
import type { Endpoint, Interface } from '../records/interface.ts'
import type { WireReply } from '../records/messages.ts'
import { createFormulas } from './invariants/formulas.ts'
import { createKept } from './invariants/kept.ts'

export type Coverage = ReturnType<typeof createCoverage>

/** Takes note of a document's promises about replies that replies have shown. */
export function createCoverage(contract: Interface) {
  const { model } = contract
  const seen = new Set<string>()
  const succeeded = new Set<string>()
  const undeclared = new Set<string>()
  return {
    seen: seen as ReadonlySet<string>,
    /** the operations that have answered with a success */
    succeeded: succeeded as ReadonlySet<string>,
    /** statuses that operations answer with and do not declare */
    undeclared: undeclared as ReadonlySet<string>,
    /** tells the properties that no write has kept */
    keptFaults: createKept(contract),
    formulaFaults: createFormulas(contract),
    /** Notes what a reply shows. */
    note(endpoint: Endpoint, { status, headers, body }: WireReply): void {
      if (status >= 200 && status < 300) succeeded.add(endpoint.id)
      if (!responseFor(endpoint, status)) undeclared.add(`${status} by ${endpoint.id}`)
      const response = responseOf(model, endpoint, status)
      if (!response) return
      seen.add(statusKey(endpoint, status))
      for (const name of Object.keys(response.node.headers ?? {}))
        if (headers[name.toLowerCase()] !== undefined) seen.add(headerKey(response, name))
      const code = codeIn(body)
      if (code !== undefined) seen.add(codeKey(endpoint, status, code))
      const schema = schemaIn(model, response)
      if (schema && body !== undefined) for (const key of shownBy(model, schema, body)) seen.add(key)
    },
  }
}

/** Names the parts of operations that replies can show. */
export const declaredBy = ({ model }: Interface, endpoints: readonly Endpoint[]): Set<string> =>
  new Set(endpoints.flatMap(endpoint => [...promisesOf(model, endpoint)]))

const statusKey = ({ id }: Endpoint, status: number | string) => `the status ${status} of ${id}`
const codeKey = ({ id }: Endpoint, status: number, code: string) => `the code ${code} with ${status} of ${id}`
const headerKey = ({ place }: Placed<unknown>, name: string) => `the header ${name} of ${nameOf(place)}`
const propertyKey = ({ place }: Placed<unknown>, name: string) => `the property ${name} of ${nameOf(place)}`
const valueKey = ({ place }: Placed<unknown>, value: unknown) =>
  `the value ${JSON.stringify(value)} of ${nameOf(place)}`

/** Operations that share a component share its coverage. */
const nameOf = (place: Path) => workedOut(names, place, () => place.join('/').replace(/^components\//, ''))

/** Facts of a document's parts, each worked out once: many replies have one schema. */
const names = new WeakMap<Path, string>()
const responses = new WeakMap<object, Placed<Response>>()
const schemas = new WeakMap<Placed<Response>, { schema: Placed<Schema> | undefined }>()
const children = new WeakMap<Placed<Schema>, readonly Child[]>()

function workedOut<Of extends object, To>(results: WeakMap<Of, To>, of: Of, workOut: () => To): To {
  const result = results.get(of) ?? workOut()
  results.set(of, result)
  return result
}

function* promisesOf(model: Model, endpoint: Endpoint): Generator<string> {
  for (const status of endpoint.statuses) {
    yield statusKey(endpoint, status)
    const response = responseOf(model, endpoint, status)
    if (!response) continue
    for (const name of Object.keys(response.node.headers ?? {})) yield headerKey(response, name)
    for (const code of codesOf(response.node)) yield codeKey(endpoint, status, code)
    const schema = schemaIn(model, response)
    if (schema) yield* promisesIn(model, schema, new Set())
  }
}

/** Yields the promises of a schema: each property, each value of an enumeration, and null where it is allowed. */
function* promisesIn(model: Model, schema: Placed<Schema>, walked: Set<string>): Generator<string> {
  if (walked.has(nameOf(schema.place))) return
  walked.add(nameOf(schema.place))
  if (schema.node.nullable) yield valueKey(schema, null)
  for (const value of schema.node.enum ?? []) yield valueKey(schema, value)
  for (const name of Object.keys(schema.node.properties ?? {})) yield propertyKey(schema, name)
  for (const { child } of childrenOf(model, schema)) yield* promisesIn(model, child, walked)
}

/** Yields the promises of a schema that a value shows. */
function* shownBy(model: Model, schema: Placed<Schema>, value: unknown): Generator<string> {
  if (value === null) yield valueKey(schema, null)
  if (Array.isArray(schema.node.enum)) yield valueKey(schema, value)
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

/** A schema within a schema: a property's by its name, that of items as `*`, parts of the same value unnamed. */
interface Child {
  name?: string
  child: Placed<Schema>
}

const childrenOf = (model: Model, schema: Placed<Schema>) =>
  workedOut(children, schema, () => [...childrenIn(model, schema)])

function* childrenIn(model: Model, { node, place }: Placed<Schema>): Generator<Child> {
  const { properties = {}, items } = node
  for (const [name, property] of Object.entries(properties))
    yield { name, child: placed(model, property, [...place, 'properties', name]) }
  if (items) yield { name: '*', child: placed(model, items, [...place, 'items']) }
  for (const keyword of ['allOf', 'oneOf', 'anyOf'] as const)
    for (const [index, part] of (node[keyword] ?? []).entries())
      yield { child: placed(model, part, [...place, keyword, String(index)]) }
}

function responseOf(model: Model, endpoint: Endpoint, status: number): Placed<Response> | undefined {
  const declared = endpoint.operation.responses[status]
  return (
    declared && workedOut(responses, declared, () => placed(model, declared, [`${endpoint.id} ${status}`]))
  )
}

function schemaIn(model: Model, response: Placed<Response>): Placed<Schema> | undefined {
  const { node, place } = response
  const find = () => {
    const schema = Object.values(node.content ?? {})[0]?.schema
    return { schema: schema && placed(model, schema, [`the body of ${nameOf(place)}`]) }
  }
  return workedOut(schemas, response, find).schema
}

function placed<T extends object>({ document }: Model, node: T | Reference, place: Path): Placed<T> {
  const target = followAt(document, node, place)
  if (!target) throw new Error(`${place.join('/')} leads nowhere`)
  return target
}
