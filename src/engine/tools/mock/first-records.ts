import type { Model } from 'spec-served-document/model'
import { conditionsHold, effectsOf, type State, stateAfter } from '../records/effects.ts'
import { shapeOf } from '../records/interface.ts'
import type { Collection } from './collections.ts'
import { type Keeping, outerValues } from './keeping.ts'
import { type Kept, recordLimits } from './records.ts'
import type { Refusals } from './refusals.ts'
import type { Seed } from './seed.ts'
import { exampleRecords, shapesOf } from './showing.ts'
import type { Telling } from './telling.ts'

/** The path of a list, as the document has it or as it is served, or its last name, by which a seed names a collection. */
export const collectionNames = ({ path, parameter }: Collection, { basePath }: Model): string[] => {
  const list = parameter === undefined ? path : path.slice(0, path.lastIndexOf('/'))
  const written = list.startsWith(`${basePath}/`) ? list.slice(basePath.length) : list
  return [written, list, list.slice(list.lastIndexOf('/') + 1)]
}

/**
 * Adds the records of a mock's start: those of a seed, else the document's examples and the records to which these refer.
 * Each keeps all that a reply shows of it: what `x-effects` say of a new record, what a schema requires, and defaults.
 * @returns the collections that the seed names
 */
export function addFirstRecords(
  { model, api, collections, records, showing, collectionOf }: Keeping,
  { uniqueOf }: Refusals,
  { examplesOf }: Telling,
  seed: Seed | undefined,
): Set<Collection> {
  const isSeeded = new Set<Collection>()
  const added: { collection: Collection; record: Kept }[] = []

  function add(collection: Collection, state: State): void {
    const { identifier, parameter, path } = collection
    const parameters = api.endpoints.find(endpoint => endpoint.path === path)?.parameters ?? []
    const example = (name: string) => {
      const { example: parameterExample, schema = {} } =
        parameters.find(candidate => candidate.in === 'path' && candidate.name === name) ?? {}
      return parameterExample ?? shapeOf(model, schema).example ?? showing.sampleOf(schema)
    }
    const id =
      parameter === undefined
        ? ''
        : identifier === undefined
          ? example(parameter)
          : (state[identifier] ?? state[parameter])
    const values = Object.fromEntries(
      [...path.matchAll(/\{([^{}]+)\}/g)].map(([, name = '']) => [name, example(name)]),
    )
    const place = outerValues(collection, { ...values, ...state })
    if (id === undefined || records.find(collection, place, id)) return
    added.push({ collection, record: records.add(collection, place, id, state) })
  }

  function completed(collection: Collection, { id, state }: Kept): State {
    const { identifier, parameter, shownIn, maker } = collection
    const shapes = shapesOf(api, collection)
    const named = [identifier, parameter].flatMap(name =>
      name !== undefined && shapes.some(({ properties = {} }) => name in properties) ? [[name, id]] : [],
    )
    const ownState = { ...state, ...Object.fromEntries(named) }
    const examples = [...shownIn, ...(maker ? [maker] : [])].flatMap(item => examplesOf(item, item.success))
    return showing.fitting(
      shapes,
      showing.newState(shapes, { ...made(collection, id, ownState), ...ownState }, examples),
      examples,
    )
  }
  /** The properties that the operation which makes such records gives each. */
  function made({ maker, parameter = '', identifier = '' }: Collection, id: unknown, state: State): State {
    const scope = { body: state, path: {}, before: {}, reply: { ...state, [identifier]: id } }
    const makingEffects = (maker ? effectsOf(maker) : []).filter(
      ({ of, when = {}, unless }) =>
        of[parameter] === `reply.${identifier}` && !unless && conditionsHold(when, state, scope),
    )
    return makingEffects.reduce((due, effect) => stateAfter(effect, due, scope), {})
  }

  /** Adds the records of other collections that a record names. */
  function addNamed(collection: Collection, { state }: Kept): void {
    const endpoint = collection.maker ?? collection.reader ?? collection.list
    for (const [name, id] of Object.entries(endpoint ? state : {})) {
      const parameter =
        endpoint && name !== collection.parameter ? api.referenceIn(endpoint, name) : undefined
      const other = parameter === undefined ? undefined : collectionOf(parameter)
      if (!other?.identifier || other === collection || !/^(string|number)$/.test(typeof id)) continue
      const { name: unique = '' } = uniqueOf(other) ?? {}
      const [example] = exampleRecords(api, other)
      const { [unique]: text, ...rest } = { ...example }
      add(other, {
        ...rest,
        ...(text !== undefined && { [unique]: `${text} ${id}` }),
        [other.identifier]: id,
      })
    }
  }

  for (const collection of collections) {
    const seeds = seed && [...new Set(collectionNames(collection, model))].flatMap(name => seed[name] ?? [])
    if (seeds?.length) isSeeded.add(collection)
    for (const state of seeds ?? (seed ? [] : exampleRecords(api, collection))) add(collection, state)
  }
  // The list grows while it is read.
  for (const { collection, record } of added) {
    record.state = completed(collection, record)
    if (!seed && added.length < recordLimits.records) addNamed(collection, record)
  }
  return isSeeded
}
