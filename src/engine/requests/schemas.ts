import type { Ajv, ErrorObject, FuncKeywordDefinition, ValidateFunction } from 'ajv'
import { type Model, partsOf, schemasWithin } from '../../document/model.ts'
import type { Reference, Schema } from '../../document/types.ts'
import { addTrials, type Trials } from './alternatives.ts'
import { describe, type Fault } from './faults.ts'
import { createAjv, type Schema as JsonSchema, toJsonSchema } from './json-schema.ts'

/** `readOnly` properties need not stand in a request, nor `writeOnly` ones in a response (OpenAPI 3.0.3, 4.7.24.2). */
export type Direction = 'request' | 'response'

/** The schemas of a document, ready to judge values. */
export interface Schemas {
  readonly model: Model
  /**
   * Lists what is wrong with a value, and fills in the defaults that it lacks. What a schema needs is compiled when it is
   * first asked, each component once, however many schemas refer to it.
   */
  check(schema: Schema | Reference, value: unknown, direction?: Direction): readonly Fault[]
  /** The same as Ajv tells it. */
  errorsOf(schema: Schema | Reference, value: unknown, direction?: Direction): readonly ErrorObject[]
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

/**
 * What is larger than this, in characters of texts and names, has only its first fault listed: to look for all costs time
 * and memory.
 */
const thoroughLimit = 100_000
/** What each value counts for, in characters. */
const valueSize = 10

const noErrors: readonly ErrorObject[] = Object.freeze([])

type KeywordCheck = ReturnType<NonNullable<FuncKeywordDefinition['compile']>>
type Compile = (schema: Schema | Reference) => ValidateFunction

export function createSchemas(model: Model): Schemas {
  const compilersOf = (direction: Direction) => ({
    quick: createCompiler(model, direction, false),
    thorough: createCompiler(model, direction, true),
  })
  const compilers = { request: compilersOf('request'), response: compilersOf('response') }
  const errorsOf: Schemas['errorsOf'] = (schema, value, direction = 'request') => {
    const { quick, thorough: compileThorough } = compilers[direction]
    if (quick(schema)(value)) return noErrors
    const thorough = (isLargerThan(thoroughLimit, value) ? quick : compileThorough)(schema)
    thorough(value)
    return thorough.errors ?? noErrors
  }
  return {
    model,
    errorsOf,
    check: (schema, value, direction) => describe(errorsOf(schema, value, direction)),
  }
}

/** Compiles what fills in defaults. */
function createCompiler(model: Model, direction: Direction, allErrors: boolean): Compile {
  const trials: Trials[] = []
  const rewrite = rewriter(model, direction, trials)
  const hasDefaults = new WeakMap<object, boolean>()
  const isToFill = (node: Schema | Reference): boolean => {
    const known = hasDefaults.get(node)
    const found = known ?? [...schemasWithin(model, node)].some(within => within.default !== undefined)
    hasDefaults.set(node, found)
    return found
  }
  const trial = lazyCompiler(model, rewrite, () => {
    const ajv = createAjv({ allErrors, useDefaults: false })
    addKeywords(ajv, $ref => trial({ $ref }))
    addTrials(ajv, trials, { trial, filling: () => undefined })
    return ajv
  })
  const filling = lazyCompiler(model, rewrite, () => {
    const ajv = createAjv({ allErrors })
    addKeywords(ajv, $ref => filling({ $ref }))
    addTrials(ajv, trials, { trial, filling: node => (isToFill(node) ? filling(node) : undefined) })
    return ajv
  })
  return filling
}

/** Ajv would compile all that a schema leads to, one inside the other; here a component waits until a value reaches it. */
function lazyCompiler(
  model: Model,
  rewrite: (schema: JsonSchema) => JsonSchema,
  createOwn: () => Ajv,
): Compile {
  let ajv: Ajv | undefined
  const compiled = new WeakMap<object, ValidateFunction>()
  const byText = new Map<string, ValidateFunction>()
  const compile: Compile = node => {
    const same = compiled.get(node)
    if (same) return same
    const schema = model.resolve(node)
    const known = compiled.get(schema)
    if (known) {
      compiled.set(node, known)
      return known
    }
    const own = toJsonSchema(schema, rewrite) as JsonSchema // of an object comes one
    const text = JSON.stringify(own)
    ajv ??= createOwn()
    const validate = byText.get(text) ?? ajv.compile(own)
    // Parameters of the same kind stand in many operations, each written out.
    if (text.length < valueSize * 100) byText.set(text, validate)
    compiled.set(schema, validate)
    compiled.set(node, validate)
    return validate
  }
  return compile
}

function addKeywords(ajv: Ajv, compile: ($ref: string) => ValidateFunction): void {
  ajv.addKeyword({
    keyword: 'component',
    schemaType: 'string',
    compile($ref: string) {
      let validate: ValidateFunction | undefined
      const check: KeywordCheck = (value, context) => {
        validate ??= compile($ref)
        const isValid = validate(value, context)
        check.errors = validate.errors ?? []
        return isValid
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
}

/** @param trials is given what is only tried on a value; in its place comes its number there */
function rewriter(model: Model, direction: Direction, trials: Trials[]): (schema: JsonSchema) => JsonSchema {
  const marker = direction === 'request' ? 'readOnly' : 'writeOnly'
  /** Those that say the same have one number, so that schemas that do are compiled once. */
  const numbers = new Map<string, number>()
  const isMarked = (property: Schema | Reference) =>
    partsOf(model, property).some(part => part[marker] === true)
  return (written: JsonSchema) => {
    const schema = written as Schema // toJsonSchema goes from schema to schema
    if (typeof schema.$ref === 'string') return { component: schema.$ref }
    if (schema.type === 'string' && schema.format === 'binary')
      return { binary: true, nullable: schema.nullable === true }
    const { oneOf, anyOf, not, discriminator, ...others } = schema
    if (!oneOf && !anyOf && !not) return demanded(schema)
    const tried = { oneOf, anyOf, not, discriminator }
    const text = JSON.stringify(tried)
    const number = numbers.get(text) ?? trials.push(tried) - 1
    numbers.set(text, number)
    return { ...demanded(others), trials: number }
  }
  /** A schema as it is for one direction. */
  function demanded(schema: Schema): Schema {
    if (!schema.required && !schema.allOf) return schema
    const properties = partsOf(model, schema).flatMap(part => Object.entries(part.properties ?? {}))
    const exempt = new Set(properties.flatMap(([name, property]) => (isMarked(property) ? [name] : [])))
    return exempt.size === 0 ? schema : withoutRequired(schema, exempt)
  }
}

/** A part of `allOf` may demand a property that another part describes. */
function withoutRequired(schema: Schema, exempt: ReadonlySet<string>): Schema {
  const isReference = typeof schema.$ref === 'string'
  if (isReference) return schema
  const { required, allOf } = schema
  return {
    ...schema,
    ...(required && { required: required.filter(name => !exempt.has(name)) }),
    ...(allOf && { allOf: allOf.map(part => withoutRequired(part as Schema, exempt)) }), // references come back as such
  }
}

/** Whether a value's size is above a limit; looks no further than that. */
function isLargerThan(limit: number, value: unknown): boolean {
  let size = 0
  const open: unknown[] = [value]
  while (open.length > 0) {
    const one = open.pop()
    size += typeof one === 'string' ? valueSize + one.length : valueSize
    if (size > limit) return true
    if (typeof one !== 'object' || one === null || one instanceof Uint8Array || one instanceof Bytes) continue
    for (const [name, child] of Object.entries(one)) {
      size += name.length
      open.push(child)
    }
  }
  return false
}
