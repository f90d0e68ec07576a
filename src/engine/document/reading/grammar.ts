import { isObject } from '../pointer.ts'
import { likest } from '../spelling.ts'
import { type Components, methods } from '../types.ts'
import { readPattern } from './patterns.ts'

/** A kind of object that the OpenAPI Specification describes (3.0.3, section 4.7; 3.1.1 and 3.2.0, section 4.8). */
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

/** The content that a field may have. */
export type Field =
  | { is: 'text' | 'boolean' | 'number' | 'count' | 'texts' | 'values' | 'textMap' | 'textLists' }
  /** an example, a default: the document's own language ends here */
  | { is: 'data' }
  | { is: 'type' | 'pattern' | 'exclusive' }
  /**
   * objects of a kind: one, a list of them, or a map of them by names of the author's choice
   * @property refs whether a Reference Object may stand for each
   * @property orBoolean whether `true` or `false` may
   */
  | { of: Kind; in?: 'list' | 'map'; refs?: boolean; orBoolean?: boolean }

/** A kind of value that is no object of the document's language. */
export type Form = Exclude<Field, { of: Kind }>['is']

const types = ['string', 'number', 'integer', 'boolean', 'array', 'object', 'null']
const isType = (value: unknown) => types.some(type => type === value)
const isText = (value: unknown) => typeof value === 'string'

/** The forms of fields: a test for a value, the name of the form, and the remedy where nobody can say what is meant. */
export const forms: Record<
  Form,
  readonly [isRight: (value: unknown) => boolean, wanted: string, remedy: string]
> = {
  text: [isText, 'A text', 'write one in quotes'],
  boolean: [value => typeof value === 'boolean', 'true or false', 'write one of them'],
  number: [Number.isFinite, 'A number', 'write the one that is meant, such as 1.5'],
  count: [
    value => Number.isInteger(value) && Number(value) >= 0,
    'A whole number from 0',
    'write the one that is meant, such as 10',
  ],
  texts: [
    value => Array.isArray(value) && value.every(isText),
    'A list of texts',
    'write one, such as [a, b]',
  ],
  textMap: [
    value => isObject(value) && Object.values(value).every(isText),
    'A map of texts',
    'write one, such as { a: b }',
  ],
  textLists: [
    value =>
      isObject(value) && Object.values(value).every(texts => Array.isArray(texts) && texts.every(isText)),
    'A map of lists of texts',
    'write one, such as { a: [b] }',
  ],
  values: [value => Array.isArray(value), 'A list of values', 'write one, such as [a, b]'],
  type: [
    value => isType(value) || (Array.isArray(value) && value.length > 0 && value.every(isType)),
    `One of ${types.join(', ')}`,
    'write the one that is meant, such as type: string',
  ],
  exclusive: [
    value => typeof value === 'boolean' || Number.isFinite(value),
    'true or false (OpenAPI 3.0) or a number (from 3.1 on)',
    'write the bound',
  ],
  pattern: [
    value => typeof value === 'string' && readPattern(value) !== undefined,
    'A regular expression of ECMA-262',
    'write one in quotes, such as "^[a-z]+$"',
  ],
  data: [() => true, '', ''],
}

/** Names of types in other languages, and the lines that say the same. */
const typesMeant: readonly (readonly [names: RegExp, line: string])[] = [
  [/^(float|double)$/, 'type: number, format: $1'],
  [/^(decimal|numeric|real)$/, 'type: number'],
  [/^(int32|int64)$/, 'type: integer, format: $1'],
  [/^long$/, 'type: integer, format: int64'],
  [/^(int|short|bigint|whole|timestamp)$/, 'type: integer'],
  [/^bool$/, 'type: boolean'],
  [/^(date|date-time|time|uuid|email|uri|byte|binary|password)$/, 'type: string, format: $1'],
  [/^(datetime|date_time)$/, 'type: string, format: date-time'],
  [/^(file|blob|bytes)$/, 'type: string, format: binary'],
  [/^(guid)$/, 'type: string, format: uuid'],
  [/^(url)$/, 'type: string, format: uri'],
  [/^(list|tuple|set|vector)$/, 'type: array'],
  [/^(dict|map|hash|json|struct|record)$/, 'type: object'],
]

/** Names of true and false in other languages. */
const truths: readonly (readonly [RegExp, string])[] = [
  [/^(true|yes|y|on|1)$/i, 'true'],
  [/^(false|no|n|off|0)$/i, 'false'],
]

/** Returns `true` or `false` where a value seems to mean one of them. */
export const truthMeant = (value: unknown): string | undefined =>
  truths.find(([names]) => names.test(String(value).trim()))?.[1]

/** A text as it is written in YAML, in quotes where it would be something else without. */
const inYaml = (sentence: string) =>
  /^[A-Za-z_][\w./-]*$/.test(sentence) && !/^(true|false|null)$/i.test(sentence)
    ? sentence
    : JSON.stringify(sentence)

/** Returns what to write in place of a wrong value of a form: what it seems to mean, or else an example. */
export function shapeMeant(form: Form, value: unknown): string {
  const meant = lineMeant(form, value)
  return meant === undefined ? forms[form][2] : `write ${meant}`
}

function lineMeant(form: Form, value: unknown): string | undefined {
  const text = typeof value === 'string' ? value.trim() : ''
  const isScalar = ['string', 'number', 'boolean'].includes(typeof value)
  if (form === 'type') return typeMeant(text)
  if (form === 'text' || form === 'pattern') return isScalar && !text ? `"${value}", in quotes` : undefined
  if ((form === 'texts' || form === 'values') && isScalar)
    return `[${form === 'texts' || text ? inYaml(String(value)) : value}]`
  const isNumber = form === 'number' || form === 'exclusive' || form === 'count'
  if (isNumber && text !== '' && forms[form][0](Number(text))) return String(Number(text))
  const isTruth = form === 'boolean' || form === 'exclusive'
  return isTruth && (form === 'boolean' || text) ? truthMeant(value) : undefined
}

function typeMeant(typeText: string): string | undefined {
  const name = typeText.toLowerCase()
  const [names, line] = typesMeant.find(([pattern]) => pattern.test(name)) ?? []
  if (names && line !== undefined) return name.replace(names, line)
  const type = isType(name) ? name : likest(name, types)
  return type && `type: ${type}`
}

/** Keywords whose wrong use changes which values are valid; a wrong use of others only tells less. */
export const binding: readonly Form[] = ['type', 'pattern', 'values', 'number', 'count', 'exclusive']

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
  /** the field under all other names, except those that begin with `x-` */
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

/** The place of each kind of part that can be referred to by name. */
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

/** Whether a name in a map of objects of a kind is an extension's, and not its author's choice. */
export function isExtension(kind: Kind, name: string): boolean {
  return name.startsWith('x-') && kind !== 'schema' && kind !== 'header' && kind !== 'example'
}

/** The versions of OpenAPI whose documents are read, without their last number. */
export const versions = ['3.0', '3.1', '3.2'] as const
export type Version = (typeof versions)[number]

/** Returns the field that a kind of object has under a name; undefined if the document's language knows none. */
export function fieldOf(kind: Kind, name: string, version: Version = '3.2'): Field | undefined {
  const { fields, others } = grammar[kind]
  const isKnown =
    Object.hasOwn(fields, name) && versions.indexOf(sinceOf(kind, name)) <= versions.indexOf(version)
  if (isKnown) return fields[name]
  return name.startsWith('x-') ? undefined : others
}

/** The version that brought a field. */
function sinceOf(kind: Kind, name: string): Version {
  return (
    versions.find(version => version !== '3.0' && Object.hasOwn(later[version][kind] ?? {}, name)) ?? '3.0'
  )
}

/** Fields that a version brought to kinds of objects that were there before. */
const later: Readonly<Record<Exclude<Version, '3.0'>, Partial<Record<Kind, Rules['fields']>>>> = {
  '3.1': {
    document: { webhooks: map('pathItem', true), jsonSchemaDialect: text },
    info: { summary: text },
    schema: {
      const: data,
      examples: { is: 'values' },
      ...each(map('schema', true), 'patternProperties', 'dependentSchemas', '$defs'),
      prefixItems: list('schema', true),
      ...each(schema, 'contains', 'propertyNames', 'if', 'then', 'else'),
      ...each({ of: 'schema', refs: true, orBoolean: true }, 'unevaluatedItems', 'unevaluatedProperties'),
      ...each({ is: 'count' }, 'minContains', 'maxContains'),
      dependentRequired: { is: 'textLists' },
      ...each(
        text,
        'contentEncoding',
        'contentMediaType',
        '$id',
        '$schema',
        '$anchor',
        '$dynamicAnchor',
        '$comment',
      ),
      contentSchema: data,
    },
  },
  '3.2': {
    document: { $self: text },
    server: { name: text },
    tag: each(text, 'summary', 'parent', 'kind'),
    pathItem: { query: { of: 'operation' }, additionalOperations: map('operation') },
    mediaType: { itemSchema: schema, itemEncoding: { of: 'encoding' }, prefixEncoding: list('encoding') },
    response: { summary: text },
    securityScheme: { deprecated: boolean, oauth2MetadataUrl: text },
    example: { dataValue: data, serializedValue: text },
    discriminator: { defaultMapping: text },
  },
}

/** Every kind of object with its fields in OpenAPI 3.0. */
const first: Readonly<Record<Kind, Rules>> = {
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
      ...each({ is: 'exclusive' }, 'exclusiveMinimum', 'exclusiveMaximum'),
      uniqueItems: boolean,
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

/** Every kind of object with its fields in all versions: the one place that knows where what may stand. */
export const grammar = Object.fromEntries(
  Object.entries(first).map(([kind, rules]) => {
    const of = kind as Kind // the record's own keys
    const fields = { ...rules.fields, ...later['3.1'][of], ...later['3.2'][of] }
    return [kind, { ...rules, fields }]
  }),
) as Readonly<Record<Kind, Rules>>

const allFields = Object.values(grammar).flatMap(({ fields }) => Object.entries(fields))
const namesOf = (isMeant: (field: Field) => boolean) =>
  allFields.flatMap(([name, field]) => (isMeant(field) ? [name] : []))
const objectFields = new Set(namesOf(field => 'of' in field))

/** Fields that may hold a map of objects. */
export const mapFields: ReadonlySet<string> = new Set(namesOf(field => 'of' in field && field.in === 'map'))

/** Fields that hold data, and nothing of the document's language, in all kinds of objects. */
export const dataFields: ReadonlySet<string> = new Set(
  namesOf(field => 'is' in field && (field.is === 'data' || field.is === 'values')).filter(
    name => !objectFields.has(name),
  ),
)

/** The fields that only 3.0 requires. */
const optionalSince31: Partial<Record<Kind, string>> = { document: 'paths', operation: 'responses' }

/** Returns the fields that an object of a kind must have. */
export function needs(kind: Kind, version: Version): readonly string[] {
  const { required = [] } = grammar[kind]
  return version === '3.0' ? required : required.filter(name => name !== optionalSince31[kind])
}

/** The usual lines for fields that must be there. */
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

/** Names the fields that an object of a kind must have, or else some that it may have. */
export function fieldsOf(kind: Kind): string {
  const { fields, required = Object.keys(fields).slice(0, 3) } = grammar[kind]
  return required.length > 0 ? required.join(', ') : 'its fields'
}

/** The remedies for unknown names that are not simply left out. */
const remediesByKind: Partial<Record<Kind, string>> = {
  pathItem: 'write a method, such as get, post, put, patch or delete, or leave it out',
}

/** Says why a field of a kind of object says nothing in a version, and what to do. */
export function insteadOf(name: string, kind: Kind, version: Version): string {
  const since = sinceOf(kind, name)
  if (Object.hasOwn(grammar[kind].fields, name) && since > version)
    return `${name} says nothing here (${kind}), as OpenAPI ${since} brought it and the document says ${version}: write \`openapi: ${since}.0\`, or leave it out.`
  const meant = likest(name, Object.keys(grammar[kind].fields))
  const remedy =
    meant === undefined ? (remediesByKind[kind] ?? 'leave it out') : `write ${meant}, or leave it out`
  return `${name} says nothing here (${kind}): ${remedy}.`
}
