import type { Ajv, ValidateFunction } from 'ajv'
import { schemaKeywords } from 'spec-served-document/model'
import type { Schema } from 'spec-served-document/types'
import { createAjv } from 'spec-served-document/values/json-schema'
import type { Reader } from '../change.ts'
import { child, elements, entries, identityOf, type Located } from '../located.ts'
import { waived } from '../waived.ts'
import { alternativesIn } from './choices.ts'
import { type All, mapIn, schemaIn } from './parts.ts'
import { type JointShape, jointShapeOf } from './shape.ts'

/** Schemas of more parts than this are not tried. */
const partsLimit = 1_000

/** How a schema is read. */
export interface SchemaReading {
  reader: Reader
  /** whether values are written in a URL or a header, where `1` may be a text or a number */
  isWritten: boolean
  /** names of properties that a closed object takes nevertheless */
  expected?: ReadonlySet<string>
  /** whether a value may fit several alternatives of `oneOf` */
  isLax?: boolean
}

type Json = Record<string, unknown>

/**
 * Makes an Ajv validator of schemas for one reader's side of them.
 * @returns undefined for schemas that are too large
 */
export function validatorOf(
  ajv: Ajv,
  all: All,
  { reader, isWritten, expected = new Set(), isLax = false }: SchemaReading,
): { takes(value: unknown): boolean; parts: number } | undefined {
  const definitions: Json = {}
  const names = new Map<string, string>()
  let count = 0

  const define = (schemas: All): Json => {
    const key = identityOf(schemas)
    const defined = names.get(key)
    const name = defined ?? String(names.size)
    if (defined === undefined) {
      names.set(key, name)
      const [shape, seen] = [jointShapeOf(schemas, reader), new Set<object>()]
      definitions[name] =
        partsLimit < count ? {} : { allOf: schemas.map(schema => schemaOf(schema, shape, seen)) }
    }
    return { $ref: `#/definitions/${name}` }
  }

  /** A schema and its `allOf`, of all that must hold the first that is met. */
  const schemaOf = (place: Located<Schema>, whole: JointShape, seen: Set<object>): Json => {
    count++
    seen.add(place.node)
    const { nullable, default: _, discriminator, required, allOf: parts, ...said } = place.node
    const schema: Json = Object.fromEntries(Object.entries(said).filter(([name]) => !(name in waived.schema)))
    if (required) schema.required = required.filter(name => whole.required.has(name))
    for (const keyword of schemaKeywords.one) {
      const keywordSchema = schemaIn(place, keyword)
      if (keywordSchema) schema[keyword] = define([keywordSchema])
    }
    for (const keyword of schemaKeywords.map) {
      const named = entries(mapIn(place, keyword))
      const shown = keyword === 'properties' ? named.filter(([name]) => whole.properties.has(name)) : named
      if (named.length > 0)
        schema[keyword] = Object.fromEntries(shown.map(([name, partSchema]) => [name, define([partSchema])]))
    }
    if ([said.additionalProperties, said.unevaluatedProperties].includes(false))
      schema.properties = {
        ...Object.fromEntries([...expected].map(name => [name, {}])),
        ...(schema.properties ?? {}),
      }
    const inAll = parts ? elements(child(place, 'allOf')).filter(({ node }) => !seen.has(node)) : []
    const allOf = inAll.map(item => schemaOf(item, whole, seen))
    if (said.prefixItems)
      schema.prefixItems = elements(child(place, 'prefixItems')).map(item => define([item]))
    for (const kind of ['oneOf', 'anyOf'] as const) {
      if (!said[kind]) continue
      const each = alternativesIn(place, kind).map(({ all: alternative, sign }) => ({
        allOf: [define(alternative), ...sign.map(item => item.node)],
      }))
      delete schema[kind]
      if (kind === 'oneOf' && !isLax) schema.oneOf = each
      else allOf.push({ anyOf: each })
    }
    const result = isWritten ? written(schema) : schema
    const joined = { ...result, allOf: [...allOf, ...((result.allOf as Json[]) ?? [])] }
    return nullable ? { anyOf: [joined, { type: 'null' }] } : joined
  }

  const root = define(all)
  if (count > partsLimit) return undefined
  const validate = compile(ajv, { ...root, definitions })
  return validate && { takes: value => validate(isWritten ? textsOf(value) : value) === true, parts: count }
}

/** Widens a schema to the texts that write its values. */
function written(schema: Json): Json {
  const { type = [], enum: values = [] } = schema as Schema // the schema's own keywords
  const isRead =
    /integer|number|boolean/.test([type].flat().join()) || values.some(value => typeof value !== 'string')
  if (!isRead) return schema
  const isNested = ([keyword]: [string, unknown]) => Object.values(schemaKeywords).flat().includes(keyword)
  const { true: nested = [], false: plain = [] } = Object.groupBy(
    Object.entries(schema),
    entry => `${isNested(entry)}`,
  )
  const scalar = Object.fromEntries(plain)
  return { ...Object.fromEntries(nested), allOf: [{ anyOf: [{ written: scalar }, scalar] }] }
}

/** A value as a URL has it: scalars are texts. */
function textsOf(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return String(value)
  if (Array.isArray(value)) return value.map(textsOf)
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, textsOf(part)]))
}

function compile(ajv: Ajv, schema: Json): ValidateFunction | undefined {
  try {
    return ajv.compile(schema)
  } catch {
    return undefined // a pattern that is none, or nested too deep: it is not tried
  }
}

/**
 * An Ajv that knows `written`: a text that is read as the number or the truth value that it writes. It remembers all that
 * it has compiled, so that each comparison of documents needs one of its own.
 */
export function createTrialAjv(): Ajv {
  const ajv = createAjv({ allErrors: false, openapi: '3.1' })
  ajv.opts.code.optimize = 0 // each is asked a few hundred times, and optimising takes longer than that
  return ajv.addKeyword({
    keyword: 'written',
    compile(schema: Json) {
      const takes = ajv.compile(schema)
      return (value: unknown) => {
        if (typeof value !== 'string') return false
        const scalar = /^-?(0|[1-9]\d*)(\.\d+)?(e[+-]?\d+)?$/i.test(value)
          ? Number(value)
          : value === 'true' || (value === 'false' ? false : value)
        return takes(scalar) === true
      }
    },
  })
}
