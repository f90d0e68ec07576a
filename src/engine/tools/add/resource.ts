import { Misuse, nearest } from 'spec-served/internal/command/arguments'
import { type Model, modelOf, partsOf } from 'spec-served-document/model'
import { reservedWords } from 'spec-served-document/reading/literals'
import type { Reference, Schema } from 'spec-served-document/types'
import { visibleLine } from 'spec-served-document/visible-text'
import { usualParameter } from '../lint/usual.ts'
import { hasList, withEntry, withItem } from '../lint/written.ts'
import { parseWithOverlays } from '../project-document.ts'
import { columnType, snakeCase } from './columns.ts'
import { documentWith } from './document.ts'
import { planOperation } from './plan.ts'

/** A property of a resource, and the column that keeps it. */
export interface Field {
  property: string
  column: string
  schema: Schema
  required: boolean
}

/** Records of one kind: the operations on them, and the table that keeps them. */
export interface Resource {
  /** the name of its schema: `Supplier` */
  name: string
  /** as in prose and in names: `supplier`, `suppliers` */
  singular: string
  many: string
  tag: string
  fields: readonly Field[]
  /** whether a record has an ETag, which If-Match guards */
  isVersioned: boolean
  /** whether lists come in pages */
  isPaged: boolean
  /** whether a reply names where a new record is */
  isLocated: boolean
  /** whether refusals have codes */
  hasCodes: boolean
}

const to = (name: string): Reference => ({ $ref: `#/components/schemas/${name}` })
const lower = (text: string) => text.charAt(0).toLowerCase() + text.slice(1)
const spaced = (text: string) => text.replace(/(?<=.)[A-Z]/g, letter => ` ${letter.toLowerCase()}`)

function plural(word: string): string {
  if (/[^aeiou]y$/.test(word)) return word.replace(/y$/, 'ies')
  return /(s|x|z|ch|sh)$/.test(word) ? `${word}es` : `${word}s`
}

/**
 * A resource by the schema of what is sent to add one: `NewSupplier`.
 * @throws Misuse where the document lacks it, or a property is of a kind that needs a hand
 */
export function resourceOf(model: Model, name: string, tag?: string): Resource {
  if (!/^[A-Z][A-Za-z0-9]*$/.test(name)) throw new Misuse(`${name} is no name of a schema, as Supplier`)
  if (reservedWords.has(lower(name)))
    throw new Misuse(`${name} is a word of the language as ${lower(name)}: give another name`)
  const schemas = model.document.components?.schemas ?? {}
  if (Object.hasOwn(schemas, name)) throw new Misuse(`The document has a schema ${name} already`)
  const sent = Object.hasOwn(schemas, `New${name}`) ? schemas[`New${name}`] : undefined
  if (!sent)
    throw new Misuse(
      `Write the schema New${name} first: what is sent to add a ${lower(name)}${nearest(`New${name}`, Object.keys(schemas))}`,
    )
  const parts = partsOf(model, sent)
  const required = new Set(parts.flatMap(part => part.required ?? []))
  const properties = new Map(parts.flatMap(part => Object.entries(part.properties ?? {})))
  const isVersioned = usualParameter(model, 'header', 'If-Match') !== undefined
  const columns = new Set(['id', ...(isVersioned ? ['version'] : [])])
  const fields = [...properties].map(([property, written]) => {
    const schema: Schema = Object.assign({}, ...partsOf(model, written).toReversed())
    const fault = faultOf(property, schema, columns)
    if (fault !== undefined) throw new Misuse(`New${name}.${visibleLine(property)} ${fault}`)
    columns.add(snakeCase(property))
    const type = columnType(schema)
    const isKept = type !== undefined && type !== 'jsonb'
    if (isKept && !schema.nullable)
      return { property, column: snakeCase(property), schema, required: required.has(property) }
    const kind = schema.nullable ? 'null' : String(schema.type ?? 'of several types')
    throw new Misuse(
      `New${name}.${property} may be ${kind}: leave it out, and write it by the recipe for a field`,
    )
  })
  const singular = lower(name)
  const many = plural(singular)
  return {
    name,
    singular,
    many,
    tag: tag ?? plural(name),
    fields,
    isVersioned,
    isLocated: 'Location' in (model.document.components?.headers ?? {}),
    hasCodes: Object.values(model.document.components?.responses ?? {}).some(
      response => 'x-codes' in response,
    ),
    isPaged: ['limit', 'cursor'].every(query => usualParameter(model, 'query', query) !== undefined),
  }
}

/** Why no column keeps a property, and what to do; undefined where one does. @param taken names of columns */
function faultOf(property: string, schema: Schema, taken: ReadonlySet<string>): string | undefined {
  const column = snakeCase(property)
  if (!/^[A-Za-z_]\w*$/.test(property) || property === '__proto__')
    return 'can’t name a column: name it in letters, digits and underscores'
  if (taken.has(column)) return `would be a second column ${column}: give it another name`
  const values = [...(schema.enum ?? []), schema.default]
  if (values.some(value => typeof value === 'string' && (value.includes('\0') || !value.isWellFormed())))
    return 'has a value that no database keeps (NUL, or half of a character): leave it out'
  return undefined
}

/** A document's text with a resource: its schemas, its tag, and five operations. */
export async function documentWithResource(text: string, file: string, resource: Resource): Promise<string> {
  const { name, singular, tag } = resource
  let written = text
  const modelNow = async () => modelOf((await parseWithOverlays(written, file)).document)
  const { document } = await modelNow()
  const { schemas = {}, parameters = {} } = document.components ?? {}
  let after = `New${name}`
  for (const [key, schema] of Object.entries(schemasOf(resource, 'Id' in schemas)))
    if (!(key in schemas)) {
      written = withEntry(written, ['components', 'schemas'], key, schema, { after })
      after = key
    }
  if (!(`${singular}Id` in parameters)) {
    const schema = 'Id' in schemas ? to('Id') : { type: 'integer', minimum: 1 }
    const description = `Identifier of the ${spaced(singular)}.`
    const parameter = { name: `${singular}Id`, in: 'path', required: true, description, schema, example: 1 }
    written = withEntry(written, ['components', 'parameters'], `${singular}Id`, parameter)
  }
  // The model lists the tags of operations, too; in the text there may be no list.
  if (hasList(text, 'tags') && !document.tags?.some(declaredTag => declaredTag.name === tag))
    written = withItem(written, 'tags', { name: tag, description: `The ${spaced(resource.many)}.` })
  for (const wish of operationsOf(resource)) {
    const model = await modelNow()
    written = documentWith(written, model, planOperation(model, { ...wish, tag, isNewTag: true }))
  }
  return written
}

/** The schemas of request bodies. */
function schemasOf({ name, singular, fields }: Resource, hasId: boolean): Record<string, Schema> {
  const called = spaced(singular)
  const id = hasId ? { allOf: [to('Id')] } : { type: 'integer', minimum: 1 }
  const optional = ({ schema, required }: Field) =>
    required || schema.default !== undefined ? withoutDefault({ schema }) : { ...schema, nullable: true }
  const properties = (show: (field: Field) => Schema) =>
    Object.fromEntries(fields.map(field => [field.property, show(field)]))
  const whole = {
    type: 'object',
    description: `A ${called} as stored.`,
    required: [
      'id',
      ...fields
        .filter(({ required, schema }) => required || schema.default !== undefined)
        .map(({ property }) => property),
    ],
    additionalProperties: false,
    properties: {
      id: { ...id, description: 'Unique identifier assigned on creation.' },
      ...properties(withoutDefault),
    },
  }
  const patch = {
    type: 'object',
    description: `Changes of a ${called}.`,
    additionalProperties: false,
    properties: properties(optional),
  }
  // Literals of the kinds that schemas have.
  return { [`${name}Patch`]: patch, [name]: whole } as Record<string, Schema>
}

/** Removes the default: only the bodies of new records have defaults, stored records and changes have none. */
const withoutDefault = ({ schema: { default: _, ...schema } }: Pick<Field, 'schema'>): Schema => schema

function operationsOf({ name, singular, many, isVersioned: versioned, isPaged }: Resource) {
  const [called, all] = [spaced(singular), spaced(many)]
  const list = `/${snakeCase(many).replaceAll('_', '-')}`
  const single = `${list}/{${singular}Id}`
  const suffix = many.charAt(0).toUpperCase() + many.slice(1)
  const sentence = all.charAt(0).toUpperCase() + all.slice(1)
  return [
    {
      method: 'GET',
      path: list,
      id: `list${suffix}`,
      reply: name,
      list: true,
      summary: `List ${all}`,
      description: `${sentence}${isPaged ? ' in pages' : ''}, by identifier.`,
    },
    {
      method: 'POST',
      path: list,
      id: `create${name}`,
      reply: name,
      body: `New${name}`,
      versioned,
      summary: `Add a ${called}`,
      description: `Stores a ${called} under a new identifier.`,
    },
    {
      method: 'GET',
      path: single,
      id: `get${name}`,
      reply: name,
      versioned,
      summary: `Show a ${called}`,
      description: `Shows one ${called}.`,
    },
    {
      method: 'PATCH',
      path: single,
      id: `update${name}`,
      reply: name,
      body: `${name}Patch`,
      versioned,
      summary: `Change parts of a ${called}`,
      description:
        'A JSON merge patch (RFC 7396): a field that is left out stays as it is, and `null` removes an optional field.',
    },
    {
      method: 'DELETE',
      path: single,
      id: `delete${name}`,
      versioned,
      summary: `Remove a ${called}`,
      description: `Removes a ${called}. Its identifier is not assigned again.`,
    },
  ]
}
