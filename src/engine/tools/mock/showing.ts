import { randomBytes, randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { responseFor, takesNull, typesIn } from 'spec-served-document/model'
import { isObject, pathOf } from 'spec-served-document/pointer'
import type { Reference, Response, Schema } from 'spec-served-document/types'
import type { Schemas } from 'spec-served-document/values/schemas'
import { createdAt, credential } from '../records/conventions.ts'
import type { State } from '../records/effects.ts'
import { type Endpoint, type Interface, type Shape, shapeOf } from '../records/interface.ts'
import { sampler } from '../samples/samples.ts'
import { textsMatching } from '../samples/texts-by-pattern.ts'
import { type Collection, shownBy } from './collections.ts'

/** Makes the values of records, and shows records as the document has them. */
export function createShowing({ model }: Interface, schemas: Schemas, now: () => Date) {
  const draw = sampler(schemas, { isFull: false, direction: 'response', isLikeExamples: true })
  const drawn = new WeakMap<object, unknown>()
  /** the number of texts that were drawn at random, which must differ */
  let texts = 0

  const faultsOf = (schema: Schema | Reference, value: unknown) =>
    schemas.check(schema, structuredClone(value), 'response') // which fills in defaults
  const fits = (schema: Schema | Reference, value: unknown) => faultsOf(schema, value).length === 0
  function sampleOf(schema: Schema | Reference): unknown {
    if (!drawn.has(schema)) drawn.set(schema, draw(schema))
    return structuredClone(drawn.get(schema))
  }

  /** A value of a required property that no request has given. */
  function valueFor(name: string, schema: Schema | Reference, examples: readonly unknown[]): unknown {
    const shape = shapeOf(model, schema)
    const exampleValues = examples.flatMap(example =>
      isObject(example) && name in example ? [example[name]] : [],
    )
    const isTime = shape.format === 'date-time' && /(created|updated|modified|changed)/i.test(name)
    if (isTime || name === createdAt) return now().toISOString()
    const usual = typesIn(shape)[0] === 'boolean' ? [false] : []
    return (
      [shape.default, ...exampleValues, ...usual].find(
        candidate => candidate !== undefined && fits(schema, candidate),
      ) ?? sampleOf(schema)
    )
  }

  /** A text that nobody can guess, by the pattern of its schema. */
  function secretFor({ pattern }: Schema): string {
    texts++
    const seed = randomBytes(4).readInt32LE() ^ texts
    const matching = pattern === undefined ? undefined : textsMatching(pattern)
    const [text = ''] = matching ? fc.sample(matching, { seed, numRuns: 1 }) : []
    return text || randomBytes(24).toString('base64url')
  }

  /** The properties of a shape that replies may have. */
  const shownIn = ({ properties = {} }: Shape) =>
    Object.entries(properties).filter(([, schema]) => shapeOf(model, schema).writeOnly !== true)

  return {
    fits,
    /** Returns the faults of the properties that a record has, as texts. */
    misfitsOf: (schema: Schema | Reference, state: State) =>
      faultsOf(schema, state)
        .filter(({ path }) => (pathOf(path)?.[0] ?? '') in state)
        .map(({ path, message }) => `${path} ${message}`),
    sampleOf,

    /** An identifier that no record has: the next number, or a text by its schema. */
    newId(schema: Schema | Reference | undefined, order: number): unknown {
      const shape = shapeOf(model, schema ?? {})
      const [type] = typesIn(shape)
      if (type === 'integer' || type === 'number') return Math.max(0, Number(shape.minimum ?? 1) - 1) + order
      if (shape.format === 'uuid') return randomUUID()
      if (shape.pattern !== undefined) return secretFor(shape)
      return schema && !fits(schema, String(order)) ? randomUUID() : String(order)
    },

    /** A record with all that its shapes require, so that each reply shows the same. */
    required(shapes: readonly Shape[], state: State, examples: readonly unknown[]): State {
      const whole: Record<string, unknown> = { ...state }
      for (const shape of shapes)
        for (const [name, schema] of shownIn(shape)) {
          const { format } = shapeOf(model, schema)
          const isLacking = whole[name] === undefined && shape.required?.includes(name)
          if (isLacking && format !== 'password' && !takesNull(shapeOf(model, schema)))
            whole[name] = valueFor(name, schema, examples)
        }
      return whole
    },

    /** The properties of a record that is made of a body, with those that only the service gives. */
    newState(shapes: readonly Shape[], body: State, examples: readonly unknown[]): State {
      const state: Record<string, unknown> = {}
      const declared = shapes.flatMap(shape => shownIn(shape))
      for (const [name, value] of Object.entries(body))
        if (declared.length === 0 || declared.some(([declaredName]) => declaredName === name))
          state[name] = value
      for (const shape of shapes)
        for (const [name, schema] of shownIn(shape)) {
          const { format, default: usual } = shapeOf(model, schema)
          const isSecret = format === 'password'
          if (state[name] !== undefined || isSecret) continue
          if (shape.required?.includes(name)) state[name] = valueFor(name, schema, examples)
          else if (usual !== undefined) state[name] = usual
        }
      return state
    },

    /** The properties of a record, without those that its shapes do not allow: these get other values where they are required. */
    fitting(shapes: readonly Shape[], state: State, examples: readonly unknown[]): State {
      const fit: Record<string, unknown> = { ...state }
      for (const shape of shapes)
        for (const [name, schema] of shownIn(shape)) {
          if (fit[name] === undefined || fits(schema, fit[name])) continue
          if (shape.required?.includes(name)) fit[name] = valueFor(name, schema, examples)
          else delete fit[name]
        }
      return fit
    },

    /** The secret that a reply of an operation shows once; undefined: it shows none. */
    secretOf(endpoint: Endpoint): { name: string; value: string } | undefined {
      for (const [name, schema] of shownIn(endpoint.gives)) {
        const shape = shapeOf(model, schema)
        const isGiven = Object.hasOwn(endpoint.takes.properties ?? {}, name)
        if (shape.format === 'password' && !isGiven) return { name, value: secretFor(shape) }
      }
      return undefined
    },

    /** The first characters of a secret. */
    preview: (secret: string) => ({ [credential.preview]: `${secret.slice(0, 13)}…` }),

    /** A record as a schema has it; undefined: it can't be shown that way. */
    show(schema: Schema | Reference, state: State, examples: readonly unknown[]): unknown {
      const shape = shapeOf(model, schema)
      const isOpen = !shape.properties || shape.oneOf || shape.anyOf
      const names = isOpen ? Object.keys(state) : shownIn(shape).map(([name]) => name)
      const value: Record<string, unknown> = {}
      for (const name of names) if (state[name] !== undefined) value[name] = state[name]
      for (const name of shape.required ?? []) {
        const property = shape.properties?.[name]
        if (value[name] !== undefined || !property) continue
        value[name] = takesNull(shapeOf(model, property)) ? null : valueFor(name, property, examples)
      }
      for (let round = 0; round < 3; round++) {
        const wrong = new Set(faultsOf(schema, value).map(({ path }) => pathOf(path)?.[0] ?? ''))
        if (wrong.size === 0) return value
        // A property that the schema does not allow gets another value, or is left out.
        for (const name of wrong) {
          const property = shape.properties?.[name]
          if (property && shape.required?.includes(name)) value[name] = valueFor(name, property, examples)
          else delete value[name]
        }
      }
      const whole = examples.find(example => isObject(example) && fits(schema, example)) ?? sampleOf(schema)
      if (!fits(schema, whole)) return undefined
      let mixed = whole
      for (const [name, stateValue] of Object.entries(isObject(whole) ? state : {}))
        if (fits(schema, { ...Object(mixed), [name]: stateValue }))
          mixed = { ...Object(mixed), [name]: stateValue }
      return mixed
    },
  }
}

/** The example records of a reply. */
export function examplesIn({ model }: Interface, response: Response | undefined): unknown[] {
  const [media] = Object.values(response?.content ?? {})
  const { example, examples = {} } = media ?? {}
  const named = Object.values(examples).map(item => model.resolve<{ value?: unknown }>(item).value)
  return [example, ...named].filter(candidate => candidate !== undefined)
}

/** The example records of a collection: those that its replies show, each identifier once. */
export function exampleRecords(
  contract: Interface,
  { list, reader, maker, identifier, parameter, shownIn }: Collection,
): State[] {
  const readers = shownIn.filter(candidate => candidate.method === 'GET')
  const wholes = [...new Set([list, reader, maker, ...readers])].flatMap(item =>
    item ? examplesIn(contract, responseFor(item, item.success)) : [],
  )
  const idOf = (record: State) => record[String(identifier)] ?? record[String(parameter)]
  const records = wholes.flatMap(whole => {
    const inner =
      isObject(whole) && identifier !== undefined && idOf(whole) === undefined
        ? Object.values(whole)
        : [whole]
    return inner.flat().filter(isObject)
  })
  if (identifier === undefined) return reader && records[0] ? [records[0]] : []
  const statesById = new Map<string, State>()
  for (const record of records) {
    const id = idOf(record)
    if (id === undefined || id === null || typeof id === 'object') continue
    statesById.set(String(id), { ...record, ...statesById.get(String(id)) })
  }
  return [...statesById.values()]
}

/** All shapes in which operations show the records of a collection. */
export const shapesOf = (contract: Interface, { identifier, parameter, shownIn }: Collection): Shape[] =>
  shownIn
    .flatMap(item => shownBy(contract, item))
    .filter(
      ({ properties = {} }) =>
        identifier === undefined || identifier in properties || `${parameter}` in properties,
    )
