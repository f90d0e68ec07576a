import type { Ajv, ValidateFunction } from 'ajv'
import type { Schema } from '../../../src/document/types.ts'
import { createAjv, toJsonSchema } from '../../../src/engine/requests/json-schema.ts'
import type { Reader } from '../change.ts'
import { child, entries, keyOf, type Located } from '../located.ts'
import { type All, choicesOf, type Shape, shapeOf } from '../schemas/shape.ts'

/** Schemas of more parts than this are not tried. */
const partsLimit = 1_000

/** How a schema is read. */
export interface Reading {
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
 * What schemas take, as Ajv has it, for the reader's side of them.
 * @returns undefined for what is too large
 */
export function validatorOf(
  ajv: Ajv,
  all: All,
  { reader, isWritten, expected = new Set(), isLax = false }: Reading,
): { takes(value: unknown): boolean; parts: number } | undefined {
  const definitions: Json = {}
  const names = new Map<string, string>()
  let parts = 0

  const define = (schemas: All): Json => {
    const key = keyOf(schemas)
    const known = names.get(key)
    const name = known ?? String(names.size)
    if (known === undefined) {
      names.set(key, name)
      const shape = shapeOf(schemas, reader)
      const whole = partsLimit < parts ? {} : { allOf: shape.parts.map(part => partOf(part, shape)) }
      const isNullable = shape.parts.some(
        ({ node }) => node.nullable && node.type === undefined && node.allOf,
      )
      definitions[name] = isNullable ? { anyOf: [whole, { type: 'null' }] } : whole
    }
    return { $ref: `#/definitions/${name}` }
  }

  /** One part by itself, among those that must all hold. */
  const partOf = (part: Located<Schema>, whole: Shape): Json => {
    parts++
    const { allOf, default: _, properties, required, discriminator, ...rest } = part.node
    const schema: Schema = { ...rest }
    const declared = entries(child(part, 'properties'))
    const seen = declared.flatMap(([name, at]) => (whole.properties.has(name) ? [[name, define([at])]] : []))
    const excused = part.node.additionalProperties === false ? [...expected].map(name => [name, {}]) : []
    if (properties || excused.length > 0) schema.properties = Object.fromEntries([...excused, ...seen])
    if (required) schema.required = required.filter(name => whole.required.has(name))
    for (const keyword of ['items', 'additionalProperties', 'not'] as const) {
      const at = child(part, keyword)
      if (at) schema[keyword] = define([at as Located<Schema>]) // `true` and `false` are no objects
    }
    for (const { kind, alternatives } of choicesOf(part)) {
      const each = alternatives.map(({ all, sign }) => ({
        allOf: [define(all), ...sign.map(one => one.node)],
      }))
      schema[kind] = each
      if (kind === 'anyOf' || !isLax) continue
      delete schema.oneOf
      schema.allOf = [{ anyOf: each }]
    }
    return isWritten ? written(schema) : (toJsonSchema(schema) as Json) // of an object
  }

  const root = define(all)
  if (parts > partsLimit) return undefined
  const validate = compile(ajv, { ...root, definitions })
  return validate && { takes: value => validate(isWritten ? textsOf(value) : value) === true, parts }
}

/** What takes the texts that write what a schema takes. */
function written(schema: Schema): Json {
  if (/^(integer|number|boolean)$/.test(String(schema.type ?? ''))) return { written: toJsonSchema(schema) }
  const { enum: values } = schema
  return toJsonSchema(values ? { ...schema, enum: values.map(textOf) } : schema) as Json // of an object
}

const textOf = (value: unknown) => (typeof value === 'object' ? value : String(value))

/** A value as a URL has it: scalars are texts. */
function textsOf(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return textOf(value)
  if (Array.isArray(value)) return value.map(textsOf)
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, textsOf(one)]))
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
  const ajv = createAjv({ allErrors: false })
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
