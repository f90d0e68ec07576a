import type { Ajv, ErrorObject, FuncKeywordDefinition, ValidateFunction } from 'ajv'
import { type Model, namedAlternatives, partsOf, schemaKeywords, takesNull, typesIn } from '../model.ts'
import { isObject } from '../pointer.ts'
import type { Reference, Schema } from '../types.ts'
import { createEvaluated, type Takes } from './evaluated.ts'
import { addExactKeywords, exactOf, exactText } from './exact-keywords.ts'
import type { Fault } from './faults.ts'
import { describe, inexact, within } from './faults.ts'
import { createAjv, type Schema as JsonSchema, toJsonSchema, withoutExcessItems } from './json-schema.ts'
import { bytesIn } from './media-types.ts'
import { shapeOf } from './values.ts'
import { isInt64, Longs, parseExactly } from './whole-numbers.ts'

/** Requests need no `readOnly` properties, and responses no `writeOnly` ones (OpenAPI 3.0.3, 4.7.24.2). */
export type Direction = 'request' | 'response'

type Node = Schema | Reference

/** The schemas of a document. Each component is compiled once, when the first value needs it. */
export interface Schemas {
  readonly model: Model
  /**
   * Returns the faults of a value. A valid request gets its missing defaults, and bigints at their places, and loses its
   * `readOnly` properties.
   */
  check(schema: Node, value: unknown, direction?: Direction): readonly Fault[]
  /** The same for a value that may be a bigint itself: returns it, too. */
  take(schema: Node, value: unknown, direction?: Direction): { value: unknown; faults: readonly Fault[] }
  /** Whether whole numbers within a schema are bigints, in a project that asks for that. */
  hasBigints(schema: Node): boolean
}

/** Bytes, such as an uploaded file. JSON has no bytes; `type: string, format: binary` stands for them. */
export class Bytes {
  readonly data: Buffer
  /** the client's name for the file, without directories */
  readonly filename: string | undefined
  /** media type */
  readonly type: string
  constructor(data: Buffer, type: string, filename?: string) {
    this.data = data
    this.type = type
    this.filename = filename
  }
}

export function createSchemas(model: Model): Schemas {
  const hasBigints = model.hasBigints ? bigintsIn(model) : () => false
  const take: Schemas['take'] = (schema, value, direction = 'request') => {
    const held = { value }
    const errors = judges[direction](
      schema,
      value,
      hasBigints(schema) ? { held, isCopied: false } : undefined,
    )
    return { value: held.value, faults: errors.length === 0 ? noFaults : describe(errors) }
  }
  const judges = {
    request: createJudge(model, 'request', take, hasBigints),
    response: createJudge(model, 'response', take, hasBigints),
  }
  return {
    model,
    check(schema, value, direction = 'request') {
      // A reply belongs to its handler, and stays as it is.
      const isCopied = direction === 'response'
      const isExact = isCopied ? model.hasBigints : hasBigints(schema)
      const exact = isExact ? { held: { value }, isCopied } : undefined
      const errors = judges[direction](schema, value, exact)
      return errors.length === 0 ? noFaults : describe(errors)
    },
    take,
    hasBigints,
  }
}

/** Returns a function that says whether a schema has whole numbers of 64 bits. It remembers the result of each. */
function bigintsIn(model: Model): Schemas['hasBigints'] {
  const known = new WeakMap<Node, boolean>()
  const search = (node: Node, seen: Set<Schema>): boolean => {
    const schema = model.resolve<Schema>(node)
    if (seen.has(schema)) return false
    seen.add(schema)
    const below = [
      ...schemaKeywords.one.map(keyword => schema[keyword]),
      ...[...schemaKeywords.list, ...schemaKeywords.map].flatMap(keyword =>
        Object.values(schema[keyword] ?? {}),
      ),
    ]
    return isInt64(schema) || below.some(child => isObject(child) && search(child as Node, seen)) // by the keywords
  }
  return schema => {
    const found = known.get(schema) ?? search(schema, new Set())
    known.set(schema, found)
    return found
  }
}

const noFaults: readonly Fault[] = []

type KeywordCheck = ReturnType<NonNullable<FuncKeywordDefinition['compile']>>

/** A missing property with its default, a property that must not be sent: undefined, or a whole number of 64 bits. */
interface Change {
  object: Record<string, unknown>
  name: string
  value: unknown
  isWhole?: true
  /** the schema of a default in which whole numbers are bigints */
  schema?: Node
}

interface Judgement {
  errors: ErrorObject[]
  changes: ReadonlySet<Change> | undefined
}

/** The state while a value is checked. */
interface Judging {
  /** results by schema and object: alternatives would check their common parts again and again */
  known: Map<Schema, Map<unknown, Judgement>> | undefined
  /** changes to make if the value is valid */
  changes: Set<Change> | undefined
  /** the bigints in the value */
  longs: Longs | undefined
}

/** A value whose whole numbers are bigints. */
interface Exact {
  held: { value: unknown }
  isCopied: boolean
}

type Judge = (schema: Node, value: unknown, exact: Exact | undefined) => ErrorObject[]

function createJudge(
  model: Model,
  direction: Direction,
  take: Schemas['take'],
  hasBigints: Schemas['hasBigints'],
): Judge {
  let ajv: Ajv | undefined
  const rewrite = rewriter(model, direction, hasBigints)
  const evaluatedIn = createEvaluated(model)
  const compiled = new WeakMap<Schema, ValidateFunction>()
  /** Equal parameters stand in many operations, each written out. */
  const byText = new Map<string, ValidateFunction>()

  function compile(schema: Schema): ValidateFunction {
    const check = compiled.get(schema)
    if (check) return check
    ajv ??= addKeywords(createAjv({ openapi: model.document.openapi, verbose: true }), model, judge)
    const converted = toJsonSchema(withoutRest(schema), rewrite)
    const jsonSchema = withoutExcessItems(converted) as JsonSchema // an object is converted to an object
    const text = JSON.stringify(jsonSchema)
    const validate = byText.get(text) ?? ajv.compile(jsonSchema)
    byText.set(text, validate)
    compiled.set(schema, validate)
    return validate
  }

  function judge(schema: Schema, outer: Judging, ...args: Parameters<KeywordCheck>): Judgement {
    const [value] = args
    outer.known ??= new Map()
    const { known } = outer
    const before = known.get(schema)?.get(value)
    if (before) return before
    const judging: Judging = { known, changes: undefined, longs: outer.longs }
    const validate = compile(schema)
    // Each alternative reports the faults of the common parts.
    const errors = validate.call(judging, ...args) === true ? [] : [...new Set(validate.errors)]
    if (typeof value === 'object' && isAboutRest(schema)) errors.push(...judgeRest(schema, judging, ...args))
    const judgement = { errors, changes: errors.length > 0 ? undefined : judging.changes }
    // Null may stand at several places, each of which has a fault of its own.
    if (typeof value === 'object' && value !== null)
      known.set(schema, (known.get(schema) ?? new Map()).set(value, judgement))
    return judgement
  }

  /** Checks the members that no other keyword evaluates (JSON Schema 2020-12 Core, section 11). */
  function judgeRest(schema: Schema, judging: Judging, ...args: Parameters<KeywordCheck>): ErrorObject[] {
    const [value, { instancePath: path } = { instancePath: '' }] = args
    const rest = Array.isArray(value) ? schema.unevaluatedItems : schema.unevaluatedProperties
    if (value === null || rest === undefined || rest === true) return []
    const judged = (node: Node, name?: string): Judgement => {
      if (name === undefined) return judge(model.resolve(node), judging, ...args)
      const below = { parentData: value, parentDataProperty: name, rootData: value, dynamicAnchors: {} }
      return judge(model.resolve(node), judging, value[name], { ...below, instancePath: within(path, name) })
    }
    const takes: Takes = (...member) => judged(...member).errors.length === 0
    const evaluated = evaluatedIn(withoutRest(schema), value, takes)
    return Object.keys(value).flatMap(name => {
      if (evaluated.has(name)) return []
      const error = { keyword: 'rest', schemaPath: '', params: {}, instancePath: path }
      if (!rest && Array.isArray(value))
        return { ...error, instancePath: within(path, name), message: 'must not be there' }
      if (!rest) {
        const properties = Object.fromEntries(shapeOf(model, schema).properties)
        return { ...error, params: { additionalProperty: name }, parentSchema: { properties } }
      }
      const { errors, changes } = judged(rest, name)
      addAll(judging, changes)
      return errors
    })
  }

  /** The components by the nodes that refer to them. */
  const resolved = new WeakMap<Node, Schema>()
  function resolve(node: Node): Schema {
    if (typeof node.$ref !== 'string') return node as Schema // it is no reference
    const target = resolved.get(node) ?? model.resolve(node)
    resolved.set(node, target)
    return target
  }

  /** Returns the value of a default, with bigints at their places. */
  function defaultIn({ schema, value }: Change): unknown {
    if (!schema) return structuredClone(value)
    const part = partsOf(model, schema).find(candidate => candidate.default !== undefined)
    return part ? take(schema, parseExactly(exactText(part, 'default'))).value : value
  }

  function judgeExactly(schema: Schema, { held, isCopied }: Exact): ErrorObject[] {
    const longs = new Longs(held, 'value', isCopied)
    const place = { instancePath: '', parentData: held, parentDataProperty: 'value' }
    const context = { ...place, rootData: held, dynamicAnchors: {} }
    const judging: Judging = { known: undefined, changes: undefined, longs }
    const { errors, changes = new Set<Change>() } = judge(schema, judging, held.value, context)
    const whole = [...changes].filter(({ isWhole }) => isWhole)
    const isTaken = (holder: unknown, name: string) =>
      whole.some(change => change.object === holder && change.name === name)
    const paths = errors.length > 0 ? [] : [...longs.inexact(isTaken)]
    if (errors.length + paths.length > 0) {
      longs.restore()
      return [...errors, ...paths.map(inexactAt)]
    }
    for (const { object, name, value } of whole) object[name] = value
    apply([...changes].filter(({ isWhole }) => !isWhole))
    return noErrors
  }

  function apply(changes: Iterable<Change>): void {
    for (const change of changes) {
      const { object, name, value } = change
      if (value === undefined) delete object[name]
      else if (!Object.hasOwn(object, name)) object[name] = defaultIn(change)
    }
  }

  return (node, value, exact) => {
    const schema = resolve(node)
    if (exact) return judgeExactly(schema, exact)
    const judging: Judging = { known: undefined, changes: undefined, longs: undefined }
    // Most values are valid: only the others are judged with all that it takes to tell their faults.
    let changes: ReadonlySet<Change> | undefined
    if (!isAboutRest(schema) && compile(schema).call(judging, value) === true) changes = judging.changes
    else {
      const judgement = judge(schema, { known: undefined, changes: undefined, longs: undefined }, value)
      if (judgement.errors.length > 0) return judgement.errors
      changes = judgement.changes
    }
    if (changes) apply(changes)
    return noErrors
  }
}

/** The fault of a number that is not at a place of whole numbers of 64 bits. */
const inexactAt = (instancePath: string): ErrorObject => ({
  keyword: 'exact',
  instancePath,
  schemaPath: '',
  params: {},
  message: inexact,
})

const noErrors: ErrorObject[] = []

function addAll(judging: Judging, changes: ReadonlySet<Change> | undefined): void {
  if (!changes) return
  judging.changes ??= new Set()
  for (const change of changes) judging.changes.add(change)
}

function addKeywords(
  ajv: Ajv,
  model: Model,
  judge: (schema: Schema, judging: Judging, ...args: Parameters<KeywordCheck>) => Judgement,
): Ajv {
  ajv.addKeyword({
    keyword: 'component',
    compile(node: Node) {
      const schema = model.resolve(node)
      const check: KeywordCheck = function (this: Judging, value, context) {
        const { errors, changes } = judge(schema, this, value, context)
        check.errors = [...errors]
        addAll(this, changes)
        return errors.length === 0
      }
      return check
    },
  })
  addExactKeywords(ajv, (judging: Judging, holder, name, value) => {
    judging.changes ??= new Set()
    judging.changes.add({ object: Object(holder), name: String(name), value, isWhole: true })
  })
  ajv.addKeyword({
    keyword: 'changes',
    type: 'object',
    validate(this: Judging, changes: readonly Omit<Change, 'object'>[], object: Change['object']) {
      for (const change of changes)
        if (Object.hasOwn(object, change.name) === (change.value === undefined)) {
          this.changes ??= new Set()
          this.changes.add({ object, ...change })
        }
      return true
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

const isAboutRest = (schema: Schema) => 'unevaluatedItems' in schema || 'unevaluatedProperties' in schema

const withoutRest = ({ unevaluatedItems: _, unevaluatedProperties: __, ...others }: Schema): Schema => others

/** Alternatives are checked separately. Only the matching alternative fills in its defaults. */
const apart = (component: Node): Schema => ({ component })

function rewriter(
  model: Model,
  direction: Direction,
  hasBigints: Schemas['hasBigints'],
): (schema: JsonSchema) => JsonSchema {
  const marker = direction === 'request' ? 'readOnly' : 'writeOnly'
  return (given: JsonSchema) => {
    const written = given as Schema // toJsonSchema visits schemas only
    const exact = model.hasBigints ? exactOf(written) : undefined
    const schema = exact?.without ?? written
    if (typeof schema.$ref === 'string' || isAboutRest(schema)) return { component: written }
    if (typesIn(schema).includes('string') && bytesIn(model, schema) !== undefined)
      return { binary: true, nullable: takesNull(schema) }
    const properties = (schema.required || schema.allOf ? partsOf(model, schema) : [schema]).flatMap(part =>
      Object.entries(part.properties ?? {}).map(([name, property]) => ({
        name,
        property,
        parts: partsOf(model, property),
      })),
    )
    const exempt = properties.filter(({ parts }) => parts.some(part => part[marker] === true))
    const due = withoutRequired(model, schema, new Set(exempt.map(({ name }) => name)))
    const { oneOf, anyOf, not, if: condition, ...others } = byDiscriminator(due) as Schema
    const changes = properties.flatMap(({ name, property, parts }): Omit<Change, 'object'>[] => {
      if (exempt.some(exemption => exemption.name === name)) return [{ name, value: undefined }]
      return parts
        .flatMap(({ default: value }) => {
          if (value === undefined) return []
          return { name, value, ...(hasBigints(property) && { schema: property }) }
        })
        .slice(0, 1)
    })
    return {
      ...others,
      ...exact?.with,
      ...(oneOf && { oneOf: oneOf.map(apart) }),
      ...(anyOf && { anyOf: anyOf.map(apart) }),
      ...(not && { not: apart(not) }),
      ...(condition && { if: apart(condition) }),
      ...(direction === 'request' && changes.length > 0 && { changes }),
    }
  }
}

/** One part of `allOf` may require a property that another part describes, also by reference. */
export function withoutRequired(model: Model, schema: Schema, exempt: ReadonlySet<string>): Schema {
  if (exempt.size === 0) return schema
  const { required, allOf } = schema
  const mayStay = (part: Node) =>
    partsOf(model, part).every(subschema => subschema.required?.every(name => !exempt.has(name)) ?? true)
  const without = (part: Node) =>
    mayStay(part) ? part : withoutRequired(model, model.resolve<Schema>(part), exempt)
  return {
    ...schema,
    ...(required && { required: required.filter(name => !exempt.has(name)) }),
    ...(allOf && { allOf: allOf.map(without) }),
  }
}

/** The values that a name stands for: itself, and the number or the truth value that is written so. */
function spellings(name: string): unknown[] {
  if (name === 'true' || name === 'false') return [name, name === 'true']
  return name !== 'NaN' && String(Number(name)) === name ? [name, Number(name)] : [name]
}

/** Only the alternative that the discriminator names applies (OpenAPI 3.0.3, 4.7.25). */
function byDiscriminator(schema: Schema): JsonSchema {
  const { discriminator, oneOf, anyOf, allOf = [], ...others } = schema
  if (!discriminator) return schema
  const named = namedAlternatives([...(oneOf ?? []), ...(anyOf ?? [])], discriminator)
  if (named.size === 0) return schema
  const { propertyName, defaultMapping } = discriminator
  const isOneOf = (names: string[]) => {
    const properties = { [propertyName]: { enum: names.flatMap(spellings) } }
    return { type: 'object', required: [propertyName], properties }
  }
  const alternatives = { ...(oneOf && { oneOf }), ...(anyOf && { anyOf }) }
  const unnamed = defaultMapping === undefined ? alternatives : { $ref: defaultMapping }
  return {
    ...others,
    allOf: [
      ...allOf,
      ...[...named].map(([name, alternative]) => ({ if: { not: isOneOf([name]) }, else: alternative })),
      { if: isOneOf([...named.keys()]), else: unnamed },
    ],
  }
}
