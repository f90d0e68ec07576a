/** The parts of an OpenAPI 3.0 document that the scripts look at; `$ref`s may stand where OpenAPI allows them. */
export interface OpenApi {
  openapi: string
  info: { version: string }
  paths?: Record<string, PathItem>
  tags?: Tag[]
  security?: SecurityRequirement[]
  components?: { schemas?: Record<string, Schema> } & Record<string, Record<string, object>>
  'x-rate-limits'?: RateLimits
}

/** How often each plan may call, and who is banned. */
export interface RateLimits {
  windows: { name: string; seconds: number }[]
  /** requests in each window by its name; `custom`: each key has its own */
  plans: Record<string, { custom?: boolean } & Record<string, number | boolean>>
  anonymous: string
  ban: { refusals: number; window: string; seconds: number }
}

export type SecurityRequirement = Record<string, string[]>

export interface Tag {
  name: string
  'x-parent'?: string
}

export type PathItem = { parameters?: unknown } & Record<string, unknown>

export interface Operation {
  operationId: string
  summary?: string
  description?: string
  tags?: string[]
  deprecated?: boolean
  security?: SecurityRequirement[]
  parameters?: Parameter[]
  requestBody?: RequestBody
  responses: Record<string, Response>
  'x-stability'?: string
  'x-deprecated-at'?: string
  'x-deprecated-sunset'?: string
  'x-successor'?: string
  'x-successor-url'?: string
  'x-hideTryItPanel'?: boolean
  'x-required-scope'?: string
  'x-quota-free'?: boolean
}

export interface Parameter {
  $ref?: string
  name: string
  in: string
  required?: boolean
  schema?: Schema
}

export interface RequestBody {
  $ref?: string
  required?: boolean
  content?: Record<string, MediaType>
}

export interface MediaType {
  schema?: Schema
  example?: unknown
  examples?: unknown
}

export interface Response {
  $ref?: string
  description?: string
  headers?: Record<string, unknown>
  content?: Record<string, MediaType>
}

export type Schema = { $ref?: string } & Record<string, unknown>

/** The methods that a path item may hold, in lower case as there. */
export const methods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace']

export interface LocatedOperation {
  path: string
  method: string
  operation: Operation
  /** where it stands in the document */
  at: readonly string[]
}

/** Every operation, in the order of the document. */
export function operationsOf(document: OpenApi): LocatedOperation[] {
  return Object.entries(document.paths ?? {}).flatMap(([path, item]) =>
    Object.entries(resolve(document, item))
      .filter(([method]) => methods.includes(method))
      // What stands under a method is an Operation Object; the structure is checked before anything else.
      .map(([method, operation]) => ({
        path,
        method,
        operation: operation as Operation,
        at: ['paths', path, method],
      })),
  )
}

export interface LocatedSchema {
  schema: Schema
  /** where it stands in the document */
  at: readonly string[]
}

/** Every schema where it is written out, those inside of others too; references are not followed. */
export function* schemasIn(document: OpenApi): Generator<LocatedSchema> {
  const { schemas = {}, ...parts } = document.components ?? {}
  for (const [name, schema] of Object.entries(schemas))
    yield* withParts(schema, ['components', 'schemas', name])
  yield* schemasUnder(document.paths, ['paths'])
  yield* schemasUnder(parts, ['components'])
}

/** The schemas of parameters, headers and media types: all stand under `schema`. */
function* schemasUnder(node: unknown, at: readonly string[]): Generator<LocatedSchema> {
  if (!isObject(node)) return
  for (const [key, child] of Object.entries(node)) {
    if (key === 'schema' && isObject(child)) yield* withParts(child, [...at, key])
    // Values, not descriptions of values.
    else if (key !== 'example' && key !== 'examples') yield* schemasUnder(child, [...at, key])
  }
}

/** A schema and all that it is made of. */
function* withParts(schema: Schema, at: readonly string[]): Generator<LocatedSchema> {
  yield { schema, at }
  for (const key of ['items', 'additionalProperties', 'not'])
    if (isObject(schema[key])) yield* withParts(schema[key], [...at, key])
  for (const key of ['properties', 'allOf', 'oneOf', 'anyOf'])
    for (const [name, part] of Object.entries(schema[key] ?? {}))
      if (isObject(part)) yield* withParts(part, [...at, key, name])
}

/** Follows local `$ref`s; an unresolvable one has been refused before. */
export function resolve<T extends object>(document: OpenApi, node: T): T {
  const { $ref } = node as { $ref?: unknown } // only Reference Objects have it
  if (typeof $ref !== 'string') return node
  const names = $ref.slice(2).split('/')
  const target = names.reduce<unknown>(
    (parent, name) => (parent as Record<string, unknown>)[unescapePointer(name)],
    document,
  )
  return resolve(document, target as T) // a reference points to what may stand in its place
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}

function unescapePointer(name: string): string {
  return decodeURIComponent(name).replaceAll('~1', '/').replaceAll('~0', '~')
}

/** Whether an operation can't be called without a credential. */
export function isSecured(document: OpenApi, operation: Operation): boolean {
  const requirements = operation.security ?? document.security ?? []
  return requirements.length > 0 && requirements.every(requirement => Object.keys(requirement).length > 0)
}
