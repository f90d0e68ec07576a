import {
  isSecured,
  type OpenApi,
  type Operation,
  operationsOf,
  type Parameter,
  resolve,
  type Schema,
} from '../document/model.ts'

/** Where a value travels. */
export type Place = 'path' | 'query' | 'header' | 'body'

/** An operation as its caller sees it, references followed. */
export interface Endpoint {
  id: string
  method: string
  path: string
  operation: Operation
  secured: boolean
  parameters: Parameter[]
  mediaTypes: string[]
  /** All that a request holds as one schema: an object of `path`, `query`, `header` and, where there is one, `body`. */
  request: Schema
  /** Status of the success, the lowest if there are several. */
  success: number
  statuses: number[]
  /** The path parameter whose records the last segment of the path names, if it does. */
  record: string | undefined
}

/** The interface that a document describes, prepared for calling all of it. */
export interface Interface {
  document: OpenApi
  endpoints: Endpoint[]
  /** For each path parameter that names a record, the operation that makes one. */
  makers: ReadonlyMap<string, Endpoint>
  /** The path parameter whose record a property or parameter of an operation names, undefined for plain values. */
  referenceIn(endpoint: Endpoint, name: string): string | undefined
}

/** Reads the interface out of a document that the generator takes. */
export function readInterface(document: OpenApi): Interface {
  const endpoints = operationsOf(document).map(({ path, method, operation }) =>
    readEndpoint(document, path, method, operation),
  )
  const makers = new Map<string, Endpoint>()
  for (const { record, path } of endpoints) {
    const collection = path.slice(0, path.lastIndexOf('/'))
    const maker = endpoints.find(other => other.method === 'POST' && other.path === collection)
    if (record !== undefined && maker) makers.set(record, maker)
  }
  const itemOf = (collection: string) =>
    endpoints.find(({ path, record }) => record !== undefined && path === `${collection}/{${record}}`)?.record
  return {
    document,
    endpoints,
    makers,
    referenceIn({ path }, name) {
      if (makers.has(name)) return name
      const own = name === 'id' || name === 'ids' ? itemOf(path) : undefined
      return own !== undefined && makers.has(own) ? own : undefined
    },
  }
}

function readEndpoint(document: OpenApi, path: string, method: string, operation: Operation): Endpoint {
  const parameters = (operation.parameters ?? []).map(parameter => resolve(document, parameter))
  const body = operation.requestBody && resolve(document, operation.requestBody)
  const content = Object.entries(body?.content ?? {})
  const statuses = Object.keys(operation.responses)
    .filter(status => /^\d/.test(status))
    .map(Number)
  const bodySchema = content[0]?.[1].schema
  return {
    id: operation.operationId,
    method: method.toUpperCase(),
    path,
    operation,
    secured: isSecured(document, operation),
    parameters,
    mediaTypes: content.map(([type]) => type),
    request: {
      type: 'object',
      required: ['path', 'query', 'header', ...(body?.required ? ['body'] : [])],
      properties: {
        path: objectOf(parameters, 'path'),
        query: { ...objectOf(parameters, 'query'), additionalProperties: false },
        header: objectOf(parameters, 'header'),
        ...(bodySchema && { body: bodySchema }),
      },
    },
    statuses,
    success: statuses.filter(status => status >= 200 && status < 300).sort((a, b) => a - b)[0] ?? 0,
    record: /\/\{(\w+)\}$/.exec(path)?.[1],
  }
}

function objectOf(parameters: readonly Parameter[], place: Place) {
  const own = parameters.filter(parameter => parameter.in === place)
  return {
    type: 'object',
    required: own.filter(parameter => parameter.required).map(({ name }) => name),
    properties: Object.fromEntries(own.map(({ name, schema }) => [name, schema ?? {}])),
  }
}

/** An operation that needs nothing to be there and asks for a key: one that costs quota, or one that is free. */
export function simpleRead({ endpoints }: Interface, isFree: boolean): Endpoint | undefined {
  return endpoints.find(
    ({ method, path, secured, operation }) =>
      method === 'GET' && secured && !path.includes('{') && (operation['x-quota-free'] ?? false) === isFree,
  )
}

/** The schemas within a schema that make values. */
export interface Shape extends Schema {
  type?: string
  nullable?: boolean
  enum?: readonly unknown[]
  properties?: Record<string, Schema>
  required?: readonly string[]
  items?: Schema
  default?: unknown
  format?: string
  pattern?: string
  minLength?: number
  maxLength?: number
  minItems?: number
  maxItems?: number
  uniqueItems?: boolean
  /** whether there is a rule that no schema can say; a breach of it is refused like one of the schema */
  'x-further-rule'?: boolean
}

/** A schema with its references followed and its `allOf` taken together. */
export function shapeOf(document: OpenApi, declared: Schema): Shape {
  const schema = resolve(document, declared)
  if (!Array.isArray(schema.allOf)) return schema
  const { allOf, ...own } = schema
  return Object.assign({}, ...allOf.map(part => shapeOf(document, part)), own)
}
