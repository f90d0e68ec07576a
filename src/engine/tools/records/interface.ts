import { type Bounds, boundsOf, type Lifetimes, rateLimitsOf } from 'spec-served-document/contract/extensions'
import { writingOf } from 'spec-served-document/formats/forms'
import type { Writing } from 'spec-served-document/formats/writing'
import {
  type Model,
  type OperationModel,
  partsOf,
  responseFor,
  takesNull,
  typesIn,
  valuesIn,
} from 'spec-served-document/model'
import { isSecured, textOf } from 'spec-served-document/reading/nodes'
import type { OpenApi, Parameter, Reference, Schema } from 'spec-served-document/types'
import { isJson, parseMediaType } from 'spec-served-document/values/media-types'
import { identifier, isOneOf, referredIn, withoutEnd } from './conventions.ts'

/** The part of a request that holds a value. */
export type Place = 'path' | 'query' | 'header' | 'cookie' | 'body'

/** All that a request holds as one schema. */
export interface RequestShape extends Schema {
  properties: Record<'path' | 'query' | 'header', Schema> & { cookie?: Schema; body?: Schema | Reference }
  required: string[]
}

/** An operation as its caller sees it. */
export interface Endpoint extends OperationModel {
  secured: boolean
  /** of its body, those of JSON first */
  mediaTypes: string[]
  /** how its parameters are written, where that is not as usual */
  writing: Writing
  request: RequestShape
  /** the body that it is sent, and that of its success; without anything where there is none */
  takes: Shape
  gives: Shape
  /** Status of the success, the lowest if there are several; 200 of a range, 0 where the document has none. */
  success: number
  statuses: number[]
  /** The path parameter whose records the last segment of the path names, if it does. */
  record: string | undefined
  /** The path parameter of the records that it makes, if it does. */
  makes: string | undefined
  /** the name of that parameter in the document, if it is another */
  reference?: string
  /** the values that this parameter takes */
  identifiers?: Shape
  /** the property that replies have been seen to identify such a record by, if its name does not show it */
  identifiedBy?: string
  /** whether it costs no quota */
  isFree: boolean
  /** the scope that its caller must have */
  scope: string | undefined
  /** when it ends, if it is deprecated */
  sunset: Date | undefined
}

/** Records of one kind, and the operations on them at their paths. Operations that change them may be at any path. */
export interface Kind {
  parameter: string
  /** the path at which they are listed */
  path: string
  maker: Endpoint
  list: Endpoint | undefined
  reader: Endpoint | undefined
  remover: Endpoint | undefined
  changers: readonly Endpoint[]
}

/** The interface that a document describes, prepared for calling all of it. */
export type Interface = ReturnType<typeof readInterface>

/** Whether a document is written by the rules of this project, whose guide says what is kept of HTTP. */
export const isGuided = ({ document }: Pick<Model, 'document'>) => 'x-rate-limits' in document

/** Reads the interface out of a document that can be served. */
export function readInterface(model: Model) {
  const endpoints = withOwnNames(model.operations).map(operation => readEndpoint(model, operation))
  const endpointFor = (method: string, path: string) =>
    endpoints.find(endpoint => endpoint.method === method && endpoint.path === path)
  const makers = new Map<string, Endpoint>()
  /** where the records of each path parameter are */
  const lists = new Map<string, string>()
  for (const { id, record, path, request } of endpoints) {
    const list = path.slice(0, path.lastIndexOf('/'))
    const direct = endpointFor('POST', list)
    const maker = direct ?? endpointFor('POST', listAbove(endpoints, list) ?? list)
    if (record === undefined || !maker || (!direct && makers.has(record))) continue
    makers.set(record, maker)
    lists.set(record, list)
    maker.makes = record
    maker.identifiers = shapeOf(model, request.properties.path.properties?.[record] ?? {})
    const written = /\{([^{}]+)\}\/?$/.exec(model.operation(id)?.url ?? '')?.[1]
    if (written !== undefined && written !== record) maker.reference = written
  }
  // A client may also give a new record its name, by a PUT that answers 201.
  for (const put of isGuided(model) ? [] : endpoints) {
    const { record, path, request } = put
    if (record === undefined || makers.has(record) || !createsByName(model, put)) continue
    const list = path.slice(0, path.lastIndexOf('/'))
    const isOther = [...lists.values()].some(
      other => other !== list && isOneOf(other, referredIn(record) ?? record),
    )
    // Without a read nobody knows whether it would replace a record of somebody else.
    if (isOther || endpointFor('POST', list) || !endpointFor('GET', path)) continue
    makers.set(record, put)
    lists.set(record, list)
    put.makes = record
    put.identifiers = shapeOf(model, request.properties.path.properties?.[record] ?? {})
  }
  const limits = rateLimitsOf(model.document)
  const kinds = [...makers].map(([parameter, maker]): Kind => {
    const endpointAt = (method: string) =>
      endpointFor(method, `${lists.get(parameter) ?? maker.path}/{${parameter}}`)
    const path = maker.method === 'PUT' ? (lists.get(parameter) ?? '') : maker.path
    const [reader, remover, list] = [endpointAt('GET'), endpointAt('DELETE'), endpointFor('GET', path)]
    const changers = endpoints.filter(
      endpoint => endpoint.record === parameter && /^(PUT|PATCH)$/.test(endpoint.method),
    )
    return { parameter, path, maker, list, reader, remover, changers }
  })
  const text = JSON.stringify(model.document)
  const guided = isGuided(model)
  return {
    model,
    /** whether the document is written by the rules of this project */
    guided,
    endpoints,
    /** For each path parameter that names a record, the operation that makes one. */
    makers: makers as ReadonlyMap<string, Endpoint>,
    /** the operation of a method at a path template */
    endpointFor,
    /** each kind of records that can be made */
    kinds,
    kindOf: (parameter: string | undefined) => kinds.find(kind => kind.parameter === parameter),
    /** the URL of a record, below that of its list */
    urlOf(list: string, parameter: string | undefined, id: unknown): string {
      const { reader, maker } = kinds.find(kind => kind.parameter === parameter) ?? {}
      // Some records are made below another one, and are not read there.
      if (reader && maker && reader.path !== `${maker.path}/{${parameter}}`) return recordUrl(reader, id)
      return `${withoutEnd(list)}/${encodeURIComponent(String(id))}${reader?.url.endsWith('/') ? '/' : ''}`
    },
    /** a schema as one object; without anything where there is none */
    shape: (schema: Schema | Reference | undefined) => shapeOf(model, schema ?? {}),
    /** all that `x-required-scope` names */
    scopes: [...new Set(endpoints.flatMap(({ scope }) => scope ?? []))],
    limits,
    /** the greatest requests that are taken */
    bounds: boundsIn(model.document),
    /** the plan whose keys have quotas of their own */
    customPlan: Object.entries(limits?.plans ?? {}).find(([, { custom }]) => custom)?.[0],
    /** two operations that need no record and ask for a key: one that costs quota, and one that is free */
    costly: simpleRead(endpoints, false),
    free: simpleRead(endpoints, true),
    /** the operations that read single records of a kind by its path parameter, and no other one */
    readers: (parameter: string | undefined) =>
      endpoints.filter(
        ({ record, method, path }) =>
          method === 'GET' && record !== undefined && record === parameter && path.split('{').length === 2,
      ),
    /** whether it has this text as a value somewhere, such as the code of an error */
    names: (value: string) => text.includes(JSON.stringify(value)),
    /** The path parameter whose record a property or parameter of an operation names, undefined for plain values. */
    referenceIn({ path, makes, record }: Endpoint, name: string): string | undefined {
      if (name === makes) return undefined // the client gives the new record its identifier
      if (makers.has(name)) return name
      const referred = guided ? undefined : referredIn(name)
      if (referred !== undefined) {
        const [kind, ...others] = kinds.filter(({ parameter }) =>
          isOneOf(lists.get(parameter) ?? '', referred),
        )
        const isAnother = kind?.parameter !== makes && kind?.parameter !== record
        return others.length === 0 && isAnother ? kind?.parameter : undefined
      }
      // A client that may choose the identifier of a new record names no other.
      if ((name !== identifier.one || makes !== undefined) && name !== identifier.several) return undefined
      const item = endpoints.find(
        endpoint => endpoint.record !== undefined && endpoint.path === `${path}/{${endpoint.record}}`,
      )
      return item?.record !== undefined && makers.has(item.record) ? item.record : undefined
    },
  }
}

/** Whether a PUT makes a record of a name that the client chooses freely. */
function createsByName(
  model: Model,
  { method, record = '', request, statuses, mediaTypes }: Endpoint,
): boolean {
  const { type, enum: values } = shapeOf(model, request.properties.path.properties?.[record] ?? {})
  return method === 'PUT' && statuses.includes(201) && mediaTypes.length > 0 && type === 'string' && !values
}

/**
 * The path at which the records of a list are made, where that is below another record, as `/posts/{postId}/comments` is
 * for `/comments`; undefined where there is none, or several.
 */
function listAbove(
  operations: readonly Pick<OperationModel, 'method' | 'url'>[],
  list: string,
): string | undefined {
  const paths = operations.flatMap(({ method, url }) => (method === 'POST' ? [withoutEnd(url)] : []))
  const [above, ...others] = list.includes('{') ? [] : paths.filter(path => path.endsWith(`}${list}`))
  return others.length === 0 ? above : undefined
}

/**
 * Gives path parameters of one name several names, where they stand for records that several operations make: `/a/{id}`
 * and `/b/{id}`. Requests do not show these names.
 */
function withOwnNames(operations: readonly OperationModel[]): OperationModel[] {
  const parameter = /\{([^{}]+)\}/g
  const makers = new Map<string, Set<string>>()
  const posts = new Set(operations.flatMap(({ method, url }) => (method === 'POST' ? [withoutEnd(url)] : [])))
  for (const { url } of operations) {
    const [, parent = '', name = ''] = /^(.*)\/\{([^{}]+)\}\/?$/.exec(url) ?? []
    if (posts.has(parent) || listAbove(operations, parent) !== undefined)
      makers.set(name, (makers.get(name) ?? new Set()).add(parent))
  }
  const ownName = (name: string, start: string) =>
    (makers.get(name)?.size ?? 0) > 1 ? `${start}_${name}`.replace(/\W+/g, '_').replace(/^_/, '') : name
  return operations.map(operation => {
    const renamed = new Map<string, string>()
    const url = operation.url.replace(parameter, (_, name: string, offset: number) => {
      renamed.set(name, ownName(name, operation.url.slice(0, offset)))
      return `{${renamed.get(name)}}`
    })
    const named = operation.parameters.map(item =>
      item.in === 'path' ? { ...item, name: renamed.get(item.name) ?? item.name } : item,
    )
    return url === operation.url ? operation : { ...operation, url, parameters: named }
  })
}

/** Those that a check can write come first. */
const rankOf = (type: string) => (isJson(parseMediaType(type)) ? 0 : /form|^text\/(?!xml)/.test(type) ? 1 : 2)

function readEndpoint(model: Model, declared: OperationModel): Endpoint {
  const { url, parameters, body, responses, operation } = declared
  const content = Object.entries(body?.content ?? {}).toSorted(([a], [b]) => rankOf(a) - rankOf(b))
  const statuses = [...responses.keys()].map(Number).filter(status => status > 0)
  const bodySchema = content[0]?.[1].schema
  const isRange = responses.has('2XX') || responses.has('default')
  const success =
    statuses.filter(status => status >= 200 && status < 300).sort((a, b) => a - b)[0] ?? (isRange ? 200 : 0)
  const [declaredMedia] = Object.values(responseFor(declared, success)?.content ?? {})
  const sunset = textOf(operation, 'x-deprecated-sunset')
  return {
    ...declared,
    path: withoutEnd(url),
    secured: isSecured(declared),
    mediaTypes: content.map(([type]) => type),
    writing: writingOf(model, declared),
    request: {
      type: 'object',
      required: [
        ...[
          'path',
          'query',
          'header',
          ...(parameters.some(parameter => parameter.in === 'cookie') ? ['cookie'] : []),
        ],
        ...(body?.required ? ['body'] : []),
      ],
      properties: {
        path: objectOf(parameters, 'path'),
        query: { ...objectOf(parameters, 'query'), additionalProperties: false },
        header: objectOf(parameters, 'header'),
        ...(parameters.some(parameter => parameter.in === 'cookie') && {
          cookie: objectOf(parameters, 'cookie'),
        }),
        ...(bodySchema && { body: bodySchema }),
      },
    },
    takes: shapeOf(model, bodySchema ?? {}),
    gives: shapeOf(model, declaredMedia?.schema ?? {}),
    statuses,
    success,
    record: /\/\{([^{}]+)\}\/?$/.exec(url)?.[1],
    makes: undefined,
    isFree: operation['x-quota-free'] === true,
    scope: textOf(operation, 'x-required-scope'),
    sunset: operation.deprecated && sunset ? new Date(`${sunset}T00:00:00Z`) : undefined,
  }
}

/** Header parameters of these names mean nothing (OpenAPI 3.0.3, 4.7.12.2). */
const ignored = /^(accept|content-type|authorization)$/i

function objectOf(parameters: readonly Parameter[], place: Place): Schema {
  const placed = parameters.filter(
    ({ in: location, name }) => location === place && !(location === 'header' && ignored.test(name)),
  )
  const schemaOf = ({ schema, content = {} }: Parameter) => schema ?? Object.values(content)[0]?.schema ?? {}
  return {
    type: 'object',
    required: placed.filter(parameter => parameter.required).map(({ name }) => name),
    properties: Object.fromEntries(placed.map(item => [item.name, schemaOf(item)])),
  }
}

// The check reads these extensions itself. Read by the engine's functions, their faults would be on both sides, unseen.

/** The greatest request, as the document says it; the usual bounds where it says nothing. */
export const boundsIn = ({ 'x-request-bounds': said }: OpenApi): Bounds => ({
  ...boundsOf({}),
  ...(said as Partial<Bounds> | undefined), // the fact rules require this form
})

/** How long something lasts, in seconds, if the document gives it a length. */
export const secondsOf = ({ 'x-lifetimes': said }: OpenApi, name: keyof Lifetimes): number | undefined =>
  (said as Partial<Record<string, { seconds: number }>> | undefined)?.[name]?.seconds // the fact rules require this form

/** Returns the URL at which an operation has one of the records that its path names. */
export const recordUrl = ({ url, record }: Endpoint, id: unknown) =>
  url.replace(`{${record}}`, encodeURIComponent(String(id)))

/** Whether an operation is one on a record, below its path and on nothing else. */
export const isRecordOf = ({ path }: Endpoint, parameter: string) =>
  path.includes(`{${parameter}}/`) && path.split('{').length === 2

/** The parameters that name what a POST makes. With several, its reply does not say which of them it has. */
export const recordParameters = (
  { endpoints }: Pick<Interface, 'endpoints'>,
  maker: Endpoint,
): ReadonlySet<string> =>
  new Set(
    endpoints.flatMap(({ path, record }) =>
      record !== undefined && path === `${maker.path}/{${record}}` ? [record] : [],
    ),
  )

/** The query parameters that an operation can't be called without. */
export const requiredQuery = ({ parameters }: Endpoint): Parameter[] =>
  parameters.filter(parameter => parameter.in === 'query' && parameter.required)

/** Whether an operation can be asked for without any parameter. */
export const needsNothing = (endpoint: Endpoint) =>
  endpoint.method === 'GET' && !endpoint.path.includes('{') && requiredQuery(endpoint).length === 0

const simpleRead = (endpoints: readonly Endpoint[], isFree: boolean): Endpoint | undefined =>
  endpoints.find(endpoint => needsNothing(endpoint) && endpoint.secured && endpoint.isFree === isFree)

/** Whether an operation answers anybody who asks for nothing. */
export const isOpenRead = (endpoint: Endpoint) => needsNothing(endpoint) && !endpoint.secured

/** Whether an operation has a header parameter. @param name in lower case */
export const takesField = ({ parameters }: Endpoint, name: string) =>
  parameters.some(parameter => parameter.in === 'header' && parameter.name.toLowerCase() === name)

/** A schema as one object. */
export interface Shape extends Schema {
  /** whether there is a rule that no schema can say; breaking it is refused like breaking the schema */
  'x-further-rule'?: boolean
}

/** A schema of which `null` is the only alternative, as many programs write it: the other one, which may be null. */
function orNull(model: Model, { anyOf, oneOf, ...rest }: Schema): Shape | undefined {
  const alternatives = anyOf ?? oneOf ?? []
  const [first, ...others] = alternatives.filter(alternative => !isNullAlone(model.resolve(alternative)))
  if (!first || others.length > 0 || alternatives.length !== 2) return undefined
  return { ...shapeOf(model, first), ...inOneForm(rest), nullable: true }
}

const isNullAlone = (schema: Schema) => schema.type === 'null' || schema.const === null

/** A schema of any version in the terms of 3.0, as far as requests are drawn by them. */
function inOneForm(schema: Schema): Shape {
  const [type, ...others] = typesIn(schema)
  const values = valuesIn(schema)
  const isOld = schema.const === undefined && !Array.isArray(schema.type) && schema.type !== 'null'
  if (isOld && typeof schema.exclusiveMinimum !== 'number' && typeof schema.exclusiveMaximum !== 'number')
    return schema
  const { type: _, const: __, exclusiveMinimum: above, exclusiveMaximum: below, ...rest } = schema
  return {
    ...rest,
    ...(type && others.length === 0 && { type }),
    ...(takesNull(schema) && { nullable: true }),
    ...(values && { enum: [...values] }),
    ...(typeof above === 'number' && { minimum: above, exclusiveMinimum: true }),
    ...(typeof below === 'number' && { maximum: below, exclusiveMaximum: true }),
    ...(typeof above === 'boolean' && { exclusiveMinimum: above }),
    ...(typeof below === 'boolean' && { exclusiveMaximum: below }),
  }
}

/** A schema with its references followed and its `allOf` taken together. */
export function shapeOf(model: Model, declared: Schema | Reference): Shape {
  const parts = partsOf(model, declared).map(part => orNull(model, part) ?? inOneForm(part))
  const [first = {}] = parts
  if (parts.length < 2) return first
  const { allOf: _, ...shape }: Shape = Object.assign({}, ...parts.toReversed())
  const properties = Object.assign({}, ...parts.map(part => part.properties))
  const required = [...new Set(parts.flatMap(part => part.required ?? []))]
  return {
    ...shape,
    ...(Object.keys(properties).length > 0 && { properties }),
    ...(required.length > 0 && { required }),
  }
}
