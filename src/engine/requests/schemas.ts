import type { Ajv, ErrorObject, FuncKeywordDefinition, ValidateFunction } from 'ajv'
import { namedAlternatives } from '../../document/inheritance.ts'
import { type Model, partsOf, schemasWithin } from '../../document/model.ts'
import type { Reference, Schema } from '../../document/types.ts'
import { describe, type Fault } from './faults.ts'
import { createAjv, type Schema as JsonSchema, toJsonSchema } from './json-schema.ts'

/** `readOnly` properties need not stand in a request, nor `writeOnly` ones in a response (OpenAPI 3.0.3, 4.7.24.2). */
export type Direction = 'request' | 'response'

type Node = Schema | Reference

/** The schemas of a document, ready to judge values; each component is compiled once, when a value reaches it. */
export interface Schemas {
  readonly model: Model
  /** Lists what is wrong with a value, and fills in the defaults that a request lacks. */
  check(schema: Node, value: unknown, direction?: Direction): readonly Fault[]
}

/** Bytes, such as a file that was uploaded. JSON has no such thing; `type: string, format: binary` stands for it. */
export class Bytes {
  readonly data: Buffer
  /** as the client named it, without directories */
  readonly filename: string | undefined
  /** media type */
  readonly type: string
  constructor(data: Buffer, type: string, filename?: string) {
    this.data = data
    this.type = type
    this.filename = filename
  }
}

/** What is larger, in characters of JSON, has only its first fault listed: to look for all costs time and memory. */
const thoroughLimit = 80_000

export function createSchemas(model: Model): Schemas {
  const judgesFor = (direction: Direction) => ({
    quick: createJudge(model, direction, false),
    thorough: createJudge(model, direction, true),
  })
  const judges = { request: judgesFor('request'), response: judgesFor('response') }
  const fillIn = createFiller(model, judges.request.quick)
  return {
    model,
    check(schema, value, direction = 'request') {
      if (direction === 'request') fillIn(schema, value)
      const { quick, thorough } = judges[direction]
      const errors = quick(schema, value)
      const isThorough = errors.length > 0 && JSON.stringify(value)?.length <= thoroughLimit
      return describe(isThorough ? thorough(schema, value) : errors)
    },
  }
}

type Judge = (schema: Node, value: unknown) => readonly ErrorObject[]
type KeywordCheck = ReturnType<NonNullable<FuncKeywordDefinition['compile']>>

/** The errors of objects by component, while a value is judged: alternatives would look at what they share again and again. */
type Judged = Map<string, Map<unknown, ErrorObject[]>>

function createJudge(model: Model, direction: Direction, allErrors: boolean): Judge {
  let ajv: Ajv | undefined
  const rewrite = rewriter(model, direction)
  const compiled = new WeakMap<object, ValidateFunction>()
  /** Parameters of the same kind stand in many operations, each written out. */
  const byText = new Map<string, ValidateFunction>()
  const compile = (node: Node): ValidateFunction => {
    const schema = model.resolve(node)
    const known = compiled.get(schema)
    if (known) return known
    ajv ??= addKeywords(createAjv({ allErrors }), $ref => compile({ $ref }))
    const own = toJsonSchema(schema, rewrite) as JsonSchema // of an object comes one
    const text = JSON.stringify(own)
    const validate = byText.get(text) ?? ajv.compile(own)
    byText.set(text, validate)
    compiled.set(schema, validate)
    return validate
  }
  return (node, value) => errorsBy(compile(node), new Map(), value)
}

function errorsBy(validate: ValidateFunction, judged: Judged, ...given: Parameters<KeywordCheck>) {
  return validate.call(judged, ...given) === true ? [] : (validate.errors ?? [])
}

function addKeywords(ajv: Ajv, compile: ($ref: string) => ValidateFunction): Ajv {
  ajv.addKeyword({
    keyword: 'component',
    schemaType: 'string',
    compile($ref: string) {
      const check: KeywordCheck = function (this: Judged, value, context) {
        const known = this.get($ref) ?? new Map<unknown, ErrorObject[]>()
        this.set($ref, known)
        const errors = known.get(value) ?? withoutRepetition(errorsBy(compile($ref), this, value, context))
        if (typeof value === 'object') known.set(value, errors)
        check.errors = errors
        return errors.length === 0
      }
      return check
    },
  })
  ajv.addKeyword({
    keyword: 'binary',
    errors: false,
    error: { message: 'must be string' },
    validate: (_: true, value: unknown) =>
      typeof value === 'string' || value instanceof Bytes || value instanceof Uint8Array,
  })
  return ajv
}

/** Each of several alternatives tells what is wrong with what they share. */
function withoutRepetition(errors: ErrorObject[]): ErrorObject[] {
  const key = ({ instancePath, keyword, params }: ErrorObject) =>
    JSON.stringify([instancePath, keyword, params])
  return errors.length < 2 ? errors : [...new Map(errors.map(error => [key(error), error])).values()]
}

function rewriter(model: Model, direction: Direction): (schema: JsonSchema) => JsonSchema {
  const marker = direction === 'request' ? 'readOnly' : 'writeOnly'
  const isMarked = (property: Node) => partsOf(model, property).some(part => part[marker] === true)
  return (written: JsonSchema) => {
    const schema = written as Schema // toJsonSchema goes from schema to schema
    if (typeof schema.$ref === 'string') return { component: schema.$ref }
    if (schema.type === 'string' && schema.format === 'binary')
      return { binary: true, nullable: schema.nullable === true }
    if (!schema.required && !schema.allOf) return byDiscriminator(schema)
    const properties = partsOf(model, schema).flatMap(part => Object.entries(part.properties ?? {}))
    const exempt = new Set(properties.flatMap(([name, property]) => (isMarked(property) ? [name] : [])))
    return byDiscriminator(withoutRequired(schema, exempt))
  }
}

/** A part of `allOf` may demand a property that another part describes. */
function withoutRequired<Part extends Node>(part: Part, exempt: ReadonlySet<string>): Part {
  if (exempt.size === 0 || typeof part.$ref === 'string') return part
  const { required, allOf } = part as Schema // as it is no reference
  return {
    ...part,
    ...(required && { required: required.filter(name => !exempt.has(name)) }),
    ...(allOf && { allOf: allOf.map(one => withoutRequired(one, exempt)) }),
  }
}

/** The alternative that the discriminator names is the only one (OpenAPI 3.0.3, 4.7.25). */
function byDiscriminator(schema: Schema): JsonSchema {
  const { discriminator, oneOf, anyOf, allOf = [], ...others } = schema
  if (!discriminator) return schema
  const named = namedAlternatives([...(oneOf ?? []), ...(anyOf ?? [])], discriminator)
  const { propertyName } = discriminator
  const isOneOf = (names: string[]) => ({
    type: 'object',
    required: [propertyName],
    properties: { [propertyName]: { enum: names } },
  })
  const alternatives = { ...(oneOf && { oneOf }), ...(anyOf && { anyOf }) }
  return {
    ...others,
    allOf: [
      ...allOf,
      ...[...named].map(([name, alternative]) => ({ if: { not: isOneOf([name]) }, else: alternative })),
      { if: isOneOf([...named.keys()]), else: alternatives },
    ],
  }
}

/** Fills in defaults before a value is judged: of alternatives, those of the one that the value has, and of no other. */
function createFiller(model: Model, judge: Judge): (schema: Node, value: unknown) => void {
  const fillable = new WeakMap<Schema, boolean>()
  const hasDefaults = (schema: Schema) => {
    const found = fillable.get(schema) ?? schemasWithin(model, schema).some(one => one.default !== undefined)
    fillable.set(schema, found)
    return found
  }
  return (schema, value) => {
    const seen = new Map<object, Set<Schema>>()
    const fill = (node: Node, value: unknown): void => {
      const schema = model.resolve(node)
      if (typeof value !== 'object' || value === null || value instanceof Bytes || !hasDefaults(schema))
        return
      const known = seen.get(value) ?? new Set()
      if (known.has(schema)) return
      seen.set(value, known.add(schema))
      for (const part of schema.allOf ?? []) fill(part, value)
      for (const one of alternativesOf(schema, value)) fill(one, value)
      if (Array.isArray(value)) for (const item of value) fill(schema.items ?? {}, item)
      else fillMembers(schema, value as Record<string, unknown>)
    }
    const fillMembers = (
      { properties = {}, additionalProperties: others }: Schema,
      object: Record<string, unknown>,
    ) => {
      for (const [name, property] of Object.entries(properties)) {
        const { default: usual } = property as Schema // a reference has none
        if (Object.hasOwn(object, name)) fill(property, object[name])
        else if (usual !== undefined) object[name] = structuredClone(usual)
      }
      if (typeof others !== 'object') return
      for (const [name, member] of Object.entries(object))
        if (!Object.hasOwn(properties, name)) fill(others, member)
    }
    fill(schema, value)
  }

  function alternativesOf({ oneOf = [], anyOf = [], discriminator }: Schema, value: object): Node[] {
    const name = discriminator && (value as Record<string, string>)[discriminator.propertyName]
    const told = discriminator && namedAlternatives([...oneOf, ...anyOf], discriminator).get(name ?? '')
    if (told) return [told]
    const [one, ...others] = oneOf.filter(alternative => judge(alternative, value).length === 0)
    const any = anyOf.find(alternative => judge(alternative, value).length === 0)
    return [...(one && others.length === 0 ? [one] : []), ...(any ? [any] : [])]
  }
}
