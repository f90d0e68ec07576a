import { isObject } from '../../../src/document/pointer.ts'
import { type Components, methods } from '../../../src/document/types.ts'
import { likest } from '../../spelling.ts'
import { readPattern } from './patterns.ts'

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

/** A kind of value that is no object of the document's language. */
type Form = Exclude<Field, { of: Kind }>['is']

const types = ['string', 'number', 'integer', 'boolean', 'array', 'object']
const isText = (value: unknown) => typeof value === 'string'

/** What a field takes: whether a value is that, what it is called, and what to write. */
export const forms: Record<
  Form,
  readonly [isRight: (value: unknown) => boolean, wanted: string, shape: string]
> = {
  text: [isText, 'A text', '"…"'],
  boolean: [value => typeof value === 'boolean', 'true or false', 'one of them'],
  number: [Number.isFinite, 'A number', '1.5'],
  count: [value => Number.isInteger(value) && Number(value) >= 0, 'A whole number from 0', '10'],
  texts: [value => Array.isArray(value) && value.every(isText), 'A list of texts', '[a, b]'],
  textMap: [value => isObject(value) && Object.values(value).every(isText), 'A map of texts', '{ a: b }'],
  values: [value => Array.isArray(value) && value.length > 0, 'A list of values', '[a, b]'],
  type: [
    value => types.some(type => type === value),
    `One of ${types.join(', ')} (and \`nullable: true\` beside it for null)`,
    'type: string',
  ],
  pattern: [
    value => typeof value === 'string' && readPattern(value) !== undefined,
    'A regular expression of ECMA-262',
    '^[a-z]+$',
  ],
  data: [() => true, '', ''],
}

/** Keywords whose wrong use changes which values are valid; a wrong use of others only tells less. */
export const binding: readonly Form[] = ['type', 'pattern', 'values', 'number', 'count']

/** A value in a few words. */
export function describe(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'object') return 'an object'
  const text = JSON.stringify(value) ?? String(value)
  return text.length > 60 ? `${text.slice(0, 60)}…` : text
}

interface Rules {
  fields: Readonly<Record<string, Field>>
  required?: readonly string[]
  /** what stands under all other names, but for those that begin with `x-` */
  others?: Field
}

/** Fields of the same kind, by their names. */
const each = (field: Field, ...names: string[]): Rules['fields'] =>
  Object.fromEntries(names.map(name => [name, field]))
const text: Field = { is: 'text' }
const data: Field = { is: 'data' }
const boolean: Field = { is: 'boolean' }
const map = (of: Kind, refs = false): Field => ({ of, in: 'map', refs })
const list = (of: Kind, refs = false): Field => ({ of, in: 'list', refs })
const schema: Field = { of: 'schema', refs: true }

const parameterFields: Rules['fields'] = {
  ...each(text, 'description', 'style'),
  ...each(boolean, 'required', 'deprecated', 'allowEmptyValue', 'explode', 'allowReserved'),
  schema,
  example: data,
  examples: map('example', true),
  content: map('mediaType'),
}

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

/** What may stand in an object of a kind under a name; undefined: nothing that the document's language knows. */
export function fieldOf(kind: Kind, name: string): Field | undefined {
  const { fields, others } = grammar[kind]
  if (Object.hasOwn(fields, name)) return fields[name]
  return name.startsWith('x-') ? undefined : others
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
      ...each(text, 'title', 'version', 'description', 'termsOfService'),
      ...each(data, 'contact', 'license'),
    },
    required: ['title', 'version'],
  },
  tag: { fields: { ...each(text, 'name', 'description'), externalDocs: data }, required: ['name'] },
  server: {
    fields: { ...each(text, 'url', 'description'), variables: map('serverVariable') },
    required: ['url'],
  },
  serverVariable: { fields: { ...each(text, 'default', 'description'), enum: { is: 'texts' } } },
  components: {
    fields: Object.fromEntries(Object.entries(componentKinds).map(([name, kind]) => [name, map(kind, true)])),
  },
  pathItem: {
    fields: {
      ...each(text, 'summary', 'description'),
      servers: list('server'),
      parameters: list('parameter', true),
      ...each({ of: 'operation' }, ...methods),
    },
  },
  operation: {
    fields: {
      tags: { is: 'texts' },
      ...each(text, 'operationId', 'summary', 'description'),
      externalDocs: data,
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
  parameter: { fields: { ...each(text, 'name', 'in'), ...parameterFields }, required: ['name', 'in'] },
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
      ...each(text, 'contentType', 'style'),
      headers: map('header', true),
      ...each(boolean, 'explode', 'allowReserved'),
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
      ...each(text, 'operationId', 'operationRef', 'description'),
      ...each(data, 'parameters', 'requestBody'),
      server: { of: 'server' },
    },
  },
  example: { fields: { ...each(text, 'summary', 'description', 'externalValue'), value: data } },
  securityScheme: {
    fields: {
      ...each(text, 'type', 'description', 'name', 'in', 'scheme', 'bearerFormat', 'openIdConnectUrl'),
      flows: data,
    },
    required: ['type'],
  },
  securityRequirement: { fields: {}, others: { is: 'texts' } },
  discriminator: { fields: { propertyName: text, mapping: { is: 'textMap' } }, required: ['propertyName'] },
  schema: {
    fields: {
      type: { is: 'type' },
      properties: map('schema', true),
      items: schema,
      ...each(text, 'title', 'description', 'format'),
      ...each({ is: 'number' }, 'multipleOf', 'minimum', 'maximum'),
      ...each({ is: 'count' }, 'minLength', 'maxLength', 'minItems', 'maxItems'),
      ...each({ is: 'count' }, 'minProperties', 'maxProperties'),
      ...each(boolean, 'exclusiveMinimum', 'exclusiveMaximum', 'uniqueItems'),
      ...each(boolean, 'nullable', 'readOnly', 'writeOnly', 'deprecated'),
      pattern: { is: 'pattern' },
      required: { is: 'texts' },
      enum: { is: 'values' },
      ...each(list('schema', true), 'allOf', 'oneOf', 'anyOf'),
      not: schema,
      additionalProperties: { of: 'schema', refs: true, orBoolean: true },
      discriminator: { of: 'discriminator' },
      ...each(data, 'default', 'xml', 'externalDocs', 'example'),
    },
  },
}

/** What most write for a field that must be there. */
export const lines: Readonly<Record<string, string>> = {
  openapi: '`openapi: 3.0.3`',
  info: '`info: { title: My service, version: 1.0.0 }`',
  title: '`title: My service`',
  version: '`version: 1.0.0`',
  paths: '`paths: {}`',
  responses: '`responses: { default: { description: Done. } }`',
  content: '`content: { application/json: { schema: { type: object } } }`',
  in: '`in: query`',
  type: '`type: apiKey`',
  url: '`url: /`',
}

/** What an object of a kind is made of: what it must have, else some of what it may have. */
export function fieldsOf(kind: Kind): string {
  const { fields, required = Object.keys(fields).slice(0, 3) } = grammar[kind]
  return required.length > 0 ? required.join(', ') : 'its fields'
}

/** What to do about a field that a kind of object does not have. */
export function insteadOf(name: string, kind: Kind): string {
  const meant = likest(name, Object.keys(grammar[kind].fields))
  return meant === undefined ? 'leave it out' : `write ${meant}, or leave it out`
}
