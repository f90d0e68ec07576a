import type { Components } from './types.ts'

/** A kind of object that the OpenAPI Specification 3.0.3 (section 4.7) describes. */
export type Kind =
  | 'document'
  | 'info'
  | 'tag'
  | 'server'
  | 'serverVariable'
  | 'components'
  | 'pathItem'
  | 'operation'
  | 'parameter'
  | 'requestBody'
  | 'mediaType'
  | 'encoding'
  | 'response'
  | 'callback'
  | 'header'
  | 'schema'
  | 'discriminator'
  | 'securityScheme'
  | 'securityRequirement'
  | 'link'
  | 'example'

/** What may stand in a field. */
export type Field =
  | { is: 'text' | 'boolean' | 'number' | 'count' | 'texts' | 'values' | 'textMap' }
  /** an example, a default: the document's own language ends here */
  | { is: 'data' }
  | { is: 'type' | 'pattern' }
  /**
   * objects of a kind: one, a list of them, or a map of them by names of the author's choice
   * @property refs whether a Reference Object may stand for each
   * @property orBoolean whether `true` or `false` may
   */
  | { of: Kind; in?: 'list' | 'map'; refs?: boolean; orBoolean?: boolean }

interface Rules {
  fields: Readonly<Record<string, Field>>
  required?: readonly string[]
  /** what stands under all other names, but for those that begin with `x-` */
  others?: Field
}

const text: Field = { is: 'text' }
const data: Field = { is: 'data' }
const boolean: Field = { is: 'boolean' }
const map = (of: Kind, refs = false): Field => ({ of, in: 'map', refs })
const list = (of: Kind, refs = false): Field => ({ of, in: 'list', refs })
const schema: Field = { of: 'schema', refs: true }
const operation: Field = { of: 'operation' }

const parameterFields = {
  description: text,
  required: boolean,
  deprecated: boolean,
  allowEmptyValue: boolean,
  style: text,
  explode: boolean,
  allowReserved: boolean,
  schema,
  example: data,
  examples: map('example', true),
  content: map('mediaType'),
} satisfies Rules['fields']

/** Where the parts that can be referred to by name stand, and of which kind they are. */
export const componentKinds: Record<keyof Components, Kind> = {
  schemas: 'schema',
  responses: 'response',
  parameters: 'parameter',
  examples: 'example',
  requestBodies: 'requestBody',
  headers: 'header',
  securitySchemes: 'securityScheme',
  links: 'link',
  callbacks: 'callback',
}

/** Whether a name in a map of objects of a kind is an extension's, and not one of its author's choice. */
export function isExtension(kind: Kind, name: string): boolean {
  return name.startsWith('x-') && kind !== 'schema' && kind !== 'header' && kind !== 'example'
}

/** Every kind of object with its fields: the one place that knows where what may stand. */
export const grammar: Readonly<Record<Kind, Rules>> = {
  document: {
    fields: {
      openapi: text,
      info: { of: 'info' },
      servers: list('server'),
      paths: map('pathItem', true),
      components: { of: 'components' },
      security: list('securityRequirement'),
      tags: list('tag'),
      externalDocs: data,
    },
    required: ['openapi', 'info', 'paths'],
  },
  info: {
    fields: {
      title: text,
      description: text,
      termsOfService: text,
      contact: data,
      license: data,
      version: text,
    },
    required: ['title', 'version'],
  },
  tag: { fields: { name: text, description: text, externalDocs: data }, required: ['name'] },
  server: { fields: { url: text, description: text, variables: map('serverVariable') }, required: ['url'] },
  serverVariable: { fields: { default: text, enum: { is: 'texts' }, description: text } },
  components: {
    fields: Object.fromEntries(Object.entries(componentKinds).map(([name, kind]) => [name, map(kind, true)])),
  },
  pathItem: {
    fields: {
      summary: text,
      description: text,
      servers: list('server'),
      parameters: list('parameter', true),
      get: operation,
      put: operation,
      post: operation,
      delete: operation,
      options: operation,
      head: operation,
      patch: operation,
      trace: operation,
    },
  },
  operation: {
    fields: {
      tags: { is: 'texts' },
      summary: text,
      description: text,
      externalDocs: data,
      operationId: text,
      parameters: list('parameter', true),
      requestBody: { of: 'requestBody', refs: true },
      responses: map('response', true),
      callbacks: map('callback', true),
      deprecated: boolean,
      security: list('securityRequirement'),
      servers: list('server'),
    },
    required: ['responses'],
  },
  parameter: { fields: { name: text, in: text, ...parameterFields }, required: ['name', 'in'] },
  header: { fields: parameterFields },
  requestBody: {
    fields: { description: text, content: map('mediaType'), required: boolean },
    required: ['content'],
  },
  mediaType: {
    fields: { schema, example: data, examples: map('example', true), encoding: map('encoding') },
  },
  encoding: {
    fields: {
      contentType: text,
      headers: map('header', true),
      style: text,
      explode: boolean,
      allowReserved: boolean,
    },
  },
  response: {
    fields: {
      description: text,
      headers: map('header', true),
      content: map('mediaType'),
      links: map('link', true),
    },
  },
  callback: { fields: {}, others: { of: 'pathItem', refs: true } },
  link: {
    fields: {
      operationRef: text,
      operationId: text,
      parameters: data,
      requestBody: data,
      description: text,
      server: { of: 'server' },
    },
  },
  example: { fields: { summary: text, description: text, value: data, externalValue: text } },
  securityScheme: {
    fields: {
      type: text,
      description: text,
      name: text,
      in: text,
      scheme: text,
      bearerFormat: text,
      flows: data,
      openIdConnectUrl: text,
    },
    required: ['type'],
  },
  securityRequirement: { fields: {}, others: { is: 'texts' } },
  discriminator: { fields: { propertyName: text, mapping: { is: 'textMap' } }, required: ['propertyName'] },
  schema: {
    fields: {
      title: text,
      description: text,
      type: { is: 'type' },
      format: text,
      multipleOf: { is: 'number' },
      maximum: { is: 'number' },
      exclusiveMaximum: boolean,
      minimum: { is: 'number' },
      exclusiveMinimum: boolean,
      maxLength: { is: 'count' },
      minLength: { is: 'count' },
      pattern: { is: 'pattern' },
      maxItems: { is: 'count' },
      minItems: { is: 'count' },
      uniqueItems: boolean,
      maxProperties: { is: 'count' },
      minProperties: { is: 'count' },
      required: { is: 'texts' },
      enum: { is: 'values' },
      allOf: list('schema', true),
      oneOf: list('schema', true),
      anyOf: list('schema', true),
      not: schema,
      items: schema,
      properties: map('schema', true),
      additionalProperties: { of: 'schema', refs: true, orBoolean: true },
      default: data,
      nullable: boolean,
      discriminator: { of: 'discriminator' },
      readOnly: boolean,
      writeOnly: boolean,
      xml: data,
      externalDocs: data,
      example: data,
      deprecated: boolean,
    },
  },
}
