/**
 * The parts of an OpenAPI document that this program reads, after normalising. It is one file. References lead to
 * components, and stand only where a Reference Object may. Schemas keep the terms of their version.
 * Sources: OpenAPI Specification 3.0.3, 3.1.1 and 3.2.0.
 */
export interface OpenApi {
  openapi: string
  info: { title: string; version: string; description?: string }
  servers?: Server[]
  paths: Record<string, PathItem>
  /** requests that the service sends and does not serve (from 3.1 on) */
  webhooks?: Record<string, PathItem<Partial<Operation>>>
  tags?: Tag[]
  security?: SecurityRequirement[]
  components?: Components
  [extension: `x-${string}`]: unknown
}

export interface Components {
  schemas?: Record<string, Schema | Reference>
  responses?: Record<string, Response | Reference>
  parameters?: Record<string, Parameter | Reference>
  examples?: Record<string, object>
  requestBodies?: Record<string, RequestBody | Reference>
  headers?: Record<string, Header | Reference>
  securitySchemes?: Record<string, SecurityScheme | Reference>
  links?: Record<string, object>
  callbacks?: Record<string, object>
}

export interface Reference {
  $ref: string
}

export interface Server {
  url: string
  name?: string
  description?: string
  variables?: Record<string, { default: string; enum?: string[]; description?: string }>
}

export interface Tag {
  name: string
  summary?: string
  /** from 3.2 on; `x-parent` in all versions */
  parent?: string
  description?: string
  [extension: `x-${string}`]: unknown
}

/** The methods that have a field of their own in a path item; `query` from 3.2 on. */
export const methods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace', 'query'] as const
export type Method = (typeof methods)[number]

export type PathItem<Called = Operation> = { [M in Method]?: Called } & {
  /** operations of other methods, by the method's name as it is sent (from 3.2 on) */
  additionalOperations?: Record<string, Called>
  summary?: string
  description?: string
  servers?: Server[]
}

export interface Operation {
  operationId: string
  summary?: string
  description?: string
  tags: string[]
  deprecated?: boolean
  security?: SecurityRequirement[]
  parameters?: (Parameter | Reference)[]
  requestBody?: RequestBody | Reference
  responses: Record<string, Response | Reference>
  callbacks?: Record<string, object>
  servers?: Server[]
  [extension: `x-${string}`]: unknown
}

export type Place = 'path' | 'query' | 'header' | 'cookie'

export interface Parameter {
  name: string
  in: Place
  required?: boolean
  deprecated?: boolean
  description?: string
  style?: string
  explode?: boolean
  allowEmptyValue?: boolean
  allowReserved?: boolean
  schema?: Schema | Reference
  content?: Record<string, MediaType>
  example?: unknown
  examples?: Record<string, object>
  'x-mcp-header'?: string
}

export interface RequestBody {
  description?: string
  required?: boolean
  content: Record<string, MediaType>
}

export interface MediaType {
  schema?: Schema | Reference
  /** the schema of each item in a stream (from 3.2 on) */
  itemSchema?: Schema | Reference
  example?: unknown
  examples?: Record<string, object>
  encoding?: Record<string, Encoding>
}

export interface Encoding {
  contentType?: string
  headers?: Record<string, Header | Reference>
  style?: string
  explode?: boolean
  allowReserved?: boolean
}

export interface Response {
  summary?: string
  description: string
  headers?: Record<string, Header | Reference>
  content?: Record<string, MediaType>
  links?: Record<string, object>
}

export type Header = Omit<Parameter, 'name' | 'in'>

export interface SecurityScheme {
  type: string
  name?: string
  in?: string
  scheme?: string
  flows?: Record<string, { authorizationUrl?: string; deviceAuthorizationUrl?: string; tokenUrl?: string }>
  openIdConnectUrl?: string
  oauth2MetadataUrl?: string
  deprecated?: boolean
}

/** The schemes of a requirement, by name. A request must meet all of them. */
export type SecurityRequirement = Record<string, string[]>

export type SchemaType = 'string' | 'number' | 'integer' | 'boolean' | 'array' | 'object'

type Keywords<Name extends string, Value> = { [Keyword in Name]?: Value }

/** A schema by the terms of 3.0, or a JSON Schema (draft 2020-12) in later versions. No schema is a plain boolean. */
export interface Schema
  extends Keywords<'minimum' | 'maximum' | 'multipleOf', number>,
    Keywords<'minLength' | 'maxLength' | 'minItems' | 'maxItems' | 'minProperties' | 'maxProperties', number>,
    Keywords<'nullable' | 'uniqueItems' | 'readOnly' | 'writeOnly' | 'deprecated', boolean>,
    Keywords<'items' | 'contains' | 'not' | 'if' | 'then' | 'else', Schema | Reference>,
    Keywords<'allOf' | 'anyOf' | 'oneOf' | 'prefixItems', (Schema | Reference)[]>,
    Keywords<'properties' | 'patternProperties' | 'dependentSchemas', Record<string, Schema | Reference>>,
    Keywords<`${'additional' | 'unevaluated'}Properties` | 'unevaluatedItems', boolean | Schema | Reference> {
  type?: SchemaType | 'null' | readonly (SchemaType | 'null')[]
  format?: string
  enum?: unknown[]
  const?: unknown
  default?: unknown
  required?: string[]
  /** `defaultMapping`: the alternative of values that name none (from 3.2 on) */
  discriminator?: { propertyName: string; mapping?: Record<string, string>; defaultMapping?: string }
  /** whether `minimum` itself is excluded (3.0), or a bound of its own (from 3.1 on) */
  exclusiveMinimum?: boolean | number
  exclusiveMaximum?: boolean | number
  pattern?: string
  [keyword: string]: unknown
}
