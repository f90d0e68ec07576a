/** A part of a document in whose place a reference may stand. */
export interface Referable {
  $ref?: string
}

/** The parts of an OpenAPI document that the page reads. The page shows any document, so that any of them may be missing. */
export interface OpenApi {
  openapi?: string
  info?: Info
  servers?: Server[]
  paths?: Record<string, PathItem>
  webhooks?: Record<string, PathItem>
  tags?: Tag[]
  security?: SecurityRequirement[]
  components?: {
    schemas?: Record<string, Schema>
    securitySchemes?: Record<string, SecurityScheme>
  }
  'x-rate-limits'?: RateLimits
  'x-lifetimes'?: Record<string, { seconds: number }>
  'x-request-bounds'?: Record<string, number>
}

interface Info {
  title: string
  version: string
  description?: string
  termsOfService?: string
  contact?: { name?: string; url?: string; email?: string }
  license?: { name: string; url?: string }
}

export interface Server {
  url: string
  name?: string
  description?: string
  variables?: Record<string, ServerVariable>
}

interface ServerVariable {
  default: string
  enum?: string[]
}

export interface Tag {
  name: string
  summary?: string
  description?: string
  'x-parent'?: string
}

interface RateLimits {
  windows: { name: string }[]
  plans?: Record<string, Plan>
  anonymous?: string
  ban?: { refusals: number; window: string; seconds: number }
}

/** The requests that a plan allows in each window, or no numbers that all share. */
export type Plan = Record<string, number> | { custom: true }

type Method = 'get' | 'put' | 'post' | 'delete' | 'options' | 'head' | 'patch' | 'trace' | 'query'

export type PathItem = Referable & { [Name in Method]?: OperationObject } & {
  additionalOperations?: Record<string, OperationObject>
  parameters?: Parameter[]
  servers?: Server[]
}

/** An operation as the document has it. */
export interface OperationObject {
  operationId?: string
  summary?: string
  description?: string
  tags?: string[]
  deprecated?: boolean
  security?: SecurityRequirement[]
  parameters?: Parameter[]
  requestBody?: RequestBody
  responses?: Record<string, Response>
  servers?: Server[]
  'x-stability'?: unknown
  'x-required-scope'?: unknown
  'x-deprecated-at'?: string
  'x-deprecated-sunset'?: string
  'x-successor'?: string
  'x-hideTryItPanel'?: unknown
  'x-quota-free'?: unknown
}

export interface Parameter extends Examples, Referable {
  name: string
  in: string
  required?: boolean
  description?: string
  schema?: Schema
  content?: Content
  style?: string
  explode?: boolean
}

export interface Examples {
  example?: unknown
  examples?: Record<string, Example>
}

export interface Example extends Referable {
  value?: unknown
}

export interface RequestBody extends Referable {
  content?: Content
}

export type Content = Record<string, MediaType>

export interface MediaType extends Examples {
  schema?: Schema
  encoding?: Record<string, object>
}

/** A media type of a content, with its name. */
export type NamedMediaType = MediaType & { type: string }

export interface Response extends Referable {
  description?: string
  headers?: Record<string, Header>
  content?: Content
  links?: Record<string, Link>
  'x-codes'?: unknown
}

export interface Header extends Referable {
  description?: string
}

interface Link extends Referable {
  operationId?: string
}

export interface SecurityScheme extends Referable {
  type: string
  name?: string
  in?: string
  scheme?: string
  description?: string
}

/** The schemes of a requirement, by name. */
export type SecurityRequirement = Record<string, string[]>

export interface Schema extends Referable {
  type?: string | string[]
  format?: string
  title?: string
  description?: string
  const?: unknown
  enum?: unknown[]
  default?: unknown
  example?: unknown
  properties?: Record<string, Schema>
  patternProperties?: Record<string, Schema>
  additionalProperties?: boolean | Schema
  required?: string[]
  items?: Schema
  prefixItems?: Schema[]
  allOf?: Schema[]
  oneOf?: Schema[]
  anyOf?: Schema[]
  minimum?: number
  maximum?: number
  /** a bound of its own, or whether `minimum` is excluded (3.0) */
  exclusiveMinimum?: number | boolean
  exclusiveMaximum?: number | boolean
  multipleOf?: number
  minLength?: number
  maxLength?: number
  pattern?: string
  minItems?: number
  maxItems?: number
  uniqueItems?: boolean
  nullable?: boolean
  readOnly?: boolean
  writeOnly?: boolean
  deprecated?: boolean
  contentMediaType?: string
  contentEncoding?: string
  'x-enum-descriptions'?: Record<string, unknown>
  /** see `swagger-ui/swagger-form.js` */
  'x-values'?: ListedValue[]
}

/** A value that a schema lists. */
export interface ListedValue {
  value: unknown
  title?: string | undefined
  description?: string | undefined
}

/** The document for the parts of the page. */
export interface Contents {
  document: OpenApi
  resolve: Resolve
  operations: Operation[]
  webhooks: Operation[]
  /** the operations by `keyOf` */
  byKey: Map<string, Operation>
  tags: Tag[]
}

/** Returns the target of a reference, or the part itself. An empty part stands for a missing one. */
export type Resolve = <Part extends Referable>(part: Part | undefined) => Part

/** An operation of the document, with all that belongs to it. References are resolved. */
export interface Operation {
  id: string
  tag: string
  tags: string[]
  path: string
  method: string
  /** its place in the document */
  at: string[]
  title: string
  operation: OperationObject
  parameters: Parameter[]
  body: RequestBody | undefined
  responses: { status: string; response: Response }[]
}

/** A tag with its operations. */
export interface TaggedOperations {
  tag: string
  operations: Operation[]
}

/** The tags that have the same parent, under its name. */
export interface TagGroup {
  name: string
  tags: TaggedOperations[]
}

/** An error code, with all that the document says of it. */
export interface ErrorCode {
  code: string
  statuses: string[]
  description: string
  example: unknown
  operations: Operation[]
}

export interface NamedHeader {
  name: string
  header: Header
}

/** A chapter of the guide: the text of the document, and the components that the page makes. */
export interface Chapter {
  id: string
  title: string
  source: string
  made: MadeChapter['name'][]
}

export interface MadeChapter {
  title: string
  /** its component */
  name: 'Access' | 'Plans' | 'Lifetimes' | 'ErrorCodes' | 'Changes' | 'CommonHeaders' | 'Agents'
  /** the title of a written chapter that it joins */
  place: RegExp
  isNeeded(found: Contents): boolean
}
