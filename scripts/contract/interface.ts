import { isSecured, type Model, type OperationModel, partsOf, responseFor } from '../../src/document/model.ts'
import type { Parameter, Reference, Schema } from '../../src/document/types.ts'
import { identifier } from './conventions.ts'

/** Where a value travels. */
export type Place = 'path' | 'query' | 'header' | 'body'

/** All that a request holds as one schema. */
export interface RequestShape extends Schema {
  properties: Record<'path' | 'query' | 'header', Schema> & { body?: Schema | Reference }
  required: string[]
}

/** An operation as its caller sees it. */
export interface Endpoint extends OperationModel {
  secured: boolean
  mediaTypes: string[]
  request: RequestShape
  /** Status of the success, the lowest if there are several. */
  success: number
  statuses: number[]
  /** The path parameter whose records the last segment of the path names, if it does. */
  record: string | undefined
}

/** The interface that a document describes, prepared for calling all of it. */
export type Interface = ReturnType<typeof readInterface>

/** Reads the interface out of a document that the generator takes. */
export function readInterface(model: Model) {
  const endpoints = model.operations.map(readEndpoint)
  const at = (method: string, path: string) =>
    endpoints.find(one => one.method === method && one.path === path)
  const makers = new Map<string, Endpoint>()
  for (const { record, path } of endpoints) {
    const maker = at('POST', path.slice(0, path.lastIndexOf('/')))
    if (record !== undefined && maker) makers.set(record, maker)
  }
  const text = JSON.stringify(model.document)
  return {
    model,
    endpoints,
    /** For each path parameter that names a record, the operation that makes one. */
    makers: makers as ReadonlyMap<string, Endpoint>,
    /** the operation of a method at a path template */
    at,
    /** the operations that read single records of a kind, by its path parameter */
    readers: (parameter: string | undefined) =>
      endpoints.filter(
        ({ record, method }) => method === 'GET' && record !== undefined && record === parameter,
      ),
    /** the operations that change single records of a kind, by its path parameter */
    changers: (parameter: string) =>
      endpoints.filter(({ record, method }) => record === parameter && /^(PUT|PATCH)$/.test(method)),
    /** whether it has this text as a value somewhere, such as the code of an error */
    names: (value: string) => text.includes(JSON.stringify(value)),
    /** The path parameter whose record a property or parameter of an operation names, undefined for plain values. */
    referenceIn({ path }: Endpoint, name: string): string | undefined {
      if (makers.has(name)) return name
      if (name !== identifier.one && name !== identifier.several) return undefined
      const item = endpoints.find(one => one.record !== undefined && one.path === `${path}/{${one.record}}`)
      return item?.record !== undefined && makers.has(item.record) ? item.record : undefined
    },
  }
}

function readEndpoint(operation: OperationModel): Endpoint {
  const { path, parameters, body, responses } = operation
  const content = Object.entries(body?.content ?? {})
  const statuses = [...responses.keys()].map(Number).filter(status => status > 0)
  const bodySchema = content[0]?.[1].schema
  return {
    ...operation,
    secured: isSecured(operation),
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

function objectOf(parameters: readonly Parameter[], place: Place): Schema {
  const own = parameters.filter(parameter => parameter.in === place)
  return {
    type: 'object',
    required: own.filter(parameter => parameter.required).map(({ name }) => name),
    properties: Object.fromEntries(own.map(({ name, schema }) => [name, schema ?? {}])),
  }
}

/** Where an operation has one of the records that its path names. */
export const recordUrl = ({ path, record }: Endpoint, id: unknown) =>
  path.replace(`{${record}}`, encodeURIComponent(String(id)))

/** The query parameters that an operation can't be called without. */
export const requiredQuery = ({ parameters }: Endpoint): Parameter[] =>
  parameters.filter(parameter => parameter.in === 'query' && parameter.required)

/** An operation that needs nothing to be there and asks for a key: one that costs quota, or one that is free. */
export function simpleRead({ endpoints }: Interface, isFree: boolean): Endpoint | undefined {
  return endpoints.find(
    endpoint =>
      endpoint.method === 'GET' &&
      endpoint.secured &&
      !endpoint.path.includes('{') &&
      requiredQuery(endpoint).length === 0 &&
      (endpoint.operation['x-quota-free'] === true) === isFree,
  )
}

/** Whether an operation tells anybody something who asks for nothing. */
export const isOpenRead = (endpoint: Endpoint) =>
  endpoint.method === 'GET' &&
  !endpoint.secured &&
  !endpoint.path.includes('{') &&
  requiredQuery(endpoint).length === 0

/** A schema as one object. */
export interface Shape extends Schema {
  /** whether there is a rule that no schema can say; a breach of it is refused like one of the schema */
  'x-further-rule'?: boolean
}

/** What an operation's success has for a body; nothing is known of one without. */
export function shapeOfSuccess(model: Model, endpoint: Endpoint): Shape {
  const [media] = Object.values(responseFor(endpoint, endpoint.success)?.content ?? {})
  return shapeOf(model, media?.schema ?? {})
}

/** A schema with its references followed and its `allOf` taken together. */
export function shapeOf(model: Model, declared: Schema | Reference): Shape {
  const parts = partsOf(model, declared)
  const [own = {}] = parts
  if (parts.length < 2) return own
  const { allOf: _, ...shape }: Shape = Object.assign({}, ...parts.toReversed())
  const properties = Object.assign({}, ...parts.map(part => part.properties))
  const required = [...new Set(parts.flatMap(part => part.required ?? []))]
  return {
    ...shape,
    ...(Object.keys(properties).length > 0 && { properties }),
    ...(required.length > 0 && { required }),
  }
}
