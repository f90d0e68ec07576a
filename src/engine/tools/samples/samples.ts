import { isDeepStrictEqual } from 'node:util'
import { exampleIn, namedAlternatives, partsOf } from 'spec-served-document/model'
import { matcherOf } from 'spec-served-document/pattern'
import { isObject } from 'spec-served-document/pointer'
import { heightsIn } from 'spec-served-document/reading/height'
import type { Reference, Schema, SchemaType } from 'spec-served-document/types'
import type { Direction, Schemas } from 'spec-served-document/values/schemas'
import { type Joined, joinedOf, numberWithin } from './joined.ts'
import { drawingEnd, textsFor } from './sample-texts.ts'

type Node = Schema | Reference
type Candidate = () => unknown

/** Below this, only what is demanded is built, and of alternatives first the flattest. */
const fullDepth = 3
/** The limit of depth: a property that only one direction demands, or null could end, may demand itself. */
const deepest = 25
/**
 * The limit of work for a whole value, in characters that are written or checked: about a second. Beyond it nothing is
 * built that need not be, and the first of several values is taken unseen.
 */
const workLimit = 2_000_000
/** The cost of a part of a value, and of a schema that was not checked before: it is compiled. */
const [partCost, schemaCost] = [100, 1_000]
/** The most items of a list, and the most names that are made for an object. */
const mostMembers = 100
/** The further variations of a value that are tried, if the first does not fit. */
const variations = [1, 2, 3, 4, 5, 10, 50]

export interface Drawing {
  /** whether properties that need not be there are */
  isFull: boolean
  /** request by default */
  direction?: Direction
  /** Whether examples come first, at any depth; by default they are the last resort. */
  isLikeExamples?: boolean
  /** By default nothing is left to chance: the same schema gives the same value. */
  chance?: Chance
  /** the place of the value in a whole one */
  place?: readonly string[]
}

/** Decides what schemas leave open, so that each value is another one. `at` is the place of a part in the whole value. */
export interface Chance {
  /** Returns a number below `count`. */
  pick(count: number): number
  /** Returns the part of a value that is there in any case, if there is one. */
  chosen(path: readonly string[]): string | undefined
  /** Returns what stands at a place, if its schema does not say it. */
  instead(path: readonly string[], joined: Joined, isDeep: boolean): { value: unknown } | undefined
  /** Whether a value may stand at a place. Its schema is kept by construction, and not tried. */
  takes(path: readonly string[], value: unknown): boolean
  scalar(path: readonly string[], joined: Joined): unknown
  /** Whether an object has a property. */
  has(path: readonly string[], property: Node, isDemanded: boolean, isDeep: boolean): boolean
  /** Returns the number of items of a list. */
  length(path: readonly string[], lists: Joined['lists'], isDeep: boolean): number
}

/** A value, and whether it fits its schema. */
export interface Sample {
  value: unknown
  fits: boolean
}

/** Draws a value that a schema takes, by what its keywords say. The same schema gives the same value. */
export function sampler(schemas: Schemas, drawing: Drawing): (schema: Node) => unknown {
  const draw = drawer(schemas, drawing)
  return schema => draw(schema).value
}

/** Draws values as `sampler` does, and tells whether they fit. Of a value that can't be made comes the nearest. */
export function drawer(
  schemas: Pick<Schemas, 'model' | 'check'>,
  { isFull, direction = 'request', isLikeExamples = false, chance, place = [] }: Drawing,
): (schema: Node) => Sample {
  const { model } = schemas
  const heightOf = heightsIn(model)
  const marker = direction === 'request' ? 'readOnly' : 'writeOnly'
  const flatDepth = chance ? fullDepth + 2 : fullDepth // a request and its places are two levels more
  let work = 0
  /** Takes from what is left of the work. @returns whether there was enough */
  const spend = (cost: number) => {
    work += cost
    return work <= workLimit
  }
  let drawnUntil = 0
  /** how many parts of the value do not fit */
  let misfits = 0
  const checked = new WeakSet<object>()
  const path = [...place]
  /** Builds a part of the value that is being built. */
  const part = (name: string, node: Node, depth: number, variation: number) => {
    path.push(name)
    const value = build(node, depth, variation)
    path.pop()
    return value
  }
  const isValid = (schema: Node, value: unknown) => {
    if (chance) return chance.takes(path, value)
    if (!spend(sizeOf(value) + (checked.has(schema) ? 0 : schemaCost + 4 * sizeOf(schema)))) return false
    checked.add(schema)
    return schemas.check(schema, structuredClone(value), direction).length === 0 // a check fills in defaults
  }

  /**
   * Returns the first candidate that fits, else the first. That is built only once, as each level would double the work.
   * @param others further candidates, which are tried only if all parts of the first could be made
   */
  const firstValid = (
    schema: Node,
    choices: readonly Candidate[],
    others: readonly Candidate[] = [],
  ): unknown => {
    const before = misfits
    let nearest: unknown
    let isMade = true
    for (const [index, candidate] of [...choices, ...others].entries()) {
      if (index > 0 && (work > workLimit || (index >= choices.length && !isMade))) break
      misfits = before
      const value = candidate()
      if (index === 0) {
        nearest = value
        isMade = misfits === before
      }
      if (value !== undefined && isValid(schema, value)) {
        misfits = before
        return value
      }
    }
    misfits = before + 1
    return nearest
  }

  const build = (node: Node, depth: number, variation: number): unknown => {
    const schema = model.resolve(node)
    const joined = joinedOf(model, schema)
    const { parts, isNullable, values } = joined
    const none = () => (isNullable ? null : undefined)
    const replacement = chance?.instead(path, joined, depth >= flatDepth)
    if (replacement) return replacement.value
    if (depth > deepest || !spend(partCost)) return none()
    if (heightOf(schema) === Infinity) return undefined // it has no value at all
    const examples = parts.map(exampleIn).filter(example => example !== undefined)
    for (const example of isLikeExamples ? examples : []) if (isValid(schema, example)) return example
    const offered = [...parts.map(described => described.default), ...examples].map(value => () => value)
    if (values) {
      const listed = values.filter(value => value !== null)
      const turned = [
        ...listed.slice(chance?.pick(listed.length) ?? variation % (listed.length || 1)),
        ...listed,
      ]
      return firstValid(schema, [
        ...turned.map(value => () => (spend(sizeOf(value)) ? value : undefined)),
        none,
      ])
    }
    const [split, ...more] = alternativesOf(parts, depth, variation)
    if (split) return firstValid(schema, [split, ...more, ...offered, none])
    const usual = plain(joined, depth, variation)
    const varied = (chance ? [] : variations).flatMap(by => plain(joined, depth, variation + by))
    return firstValid(schema, [...usual, ...offered, none], varied)
  }

  /** Values of the alternatives in the first keyword that has some: each together with all other parts. */
  const alternativesOf = (parts: readonly Schema[], depth: number, variation: number): Candidate[] => {
    const without = (changed: Schema, keyword: string) =>
      parts.map(other => ({ ...bare(other), ...(other === changed && { [keyword]: undefined }) }))
    for (const owner of parts)
      for (const keyword of ['oneOf', 'anyOf'] as const) {
        const branches = owner[keyword] ?? []
        if (branches.length === 0) continue
        const rest = without(owner, keyword)
        const first = chance?.pick(branches.length) ?? 0
        const ordered =
          depth < flatDepth
            ? [...branches.slice(first), ...branches.slice(0, first)]
            : branches.toSorted((a, b) => heightOf(a) - heightOf(b))
        const made = ordered.map(branch => oneSchema([...rest, branch, ...nameOf(owner, branch)]))
        const choice = (schema: Node, by: number) => () => build(schema, depth + 1, by)
        const choices = made.map(schema => choice(schema, variation))
        if (keyword === 'anyOf') return choices
        const further = made
          .slice(0, 5)
          .flatMap(schema => variations.map(by => choice(schema, variation + by)))
        const named = made.map((schema, i) => oneSchema([schema, { required: namesOf(branches[i] ?? {}) }]))
        const whole = named.map(schema => choice(schema, variation))
        return [...choices, ...least(made, depth), ...whole, ...candidates(branches, choices[0]), ...further]
      }
    const owner = parts.find(candidate => candidate.if)
    if (!owner) return []
    const { if: condition = {}, then: met = {}, else: unmet = {} } = owner
    const rest = without(owner, 'if')
    return [
      () => build(oneSchema([...rest, condition, met]), depth + 1, variation),
      () => build(oneSchema([...rest, unmet]), depth + 1, variation),
    ]
  }

  /** The properties that an alternative describes: with all of them it may fit no other. */
  const namesOf = (branch: Node): string[] =>
    partsOf(model, branch)
      .flatMap(({ properties = {} }) => Object.keys(properties))
      .slice(0, 20)

  /** Values of alternatives with what they demand alone: the rest may belong to another alternative. */
  const least = (made: readonly Node[], depth: number): Candidate[] =>
    made.map(schema => () => build(schema, Math.max(depth + 1, flatDepth), 0))

  /** Values of an alternative that no other takes: they have a property of another one, with a wrong type. */
  const candidates = (branches: readonly Node[], choice: Candidate | undefined): Candidate[] =>
    branches
      .flatMap(branch =>
        partsOf(model, branch).flatMap(branchPart => Object.entries(branchPart.properties ?? {})),
      )
      .slice(0, 20)
      .map(([name, property]) => () => {
        const value = choice?.()
        const wrong = [null, 'text', 0].find(candidate => !isValid(property, candidate))
        return isObject(value) && !Object.hasOwn(value, name) && wrong !== undefined
          ? { ...value, [name]: wrong }
          : undefined
      })

  /** Values of each type that is allowed, by the keywords for it. */
  const plain = (joined: Joined, depth: number, variation: number): Candidate[] => {
    const ways: Record<SchemaType, () => Candidate[]> = {
      object: () => [
        () => object(joined, depth, variation),
        ...(isFull && depth < flatDepth ? [() => object(joined, flatDepth, variation)] : []),
      ],
      array: () => [() => array(joined, depth, variation)],
      boolean: () => [() => variation % 2 === 0],
      integer: () => [() => numberWithin(joined.numbers, variation)],
      number: () => [() => numberWithin(joined.numbers, variation)],
      string: () => (spend(joined.texts.least) ? textsFor(joined, variation, drawnUntil) : []),
    }
    return joined.types.flatMap(type =>
      chance && type !== 'object' && type !== 'array'
        ? [() => chance.scalar(path, joined)]
        : (ways[type]?.() ?? []),
    )
  }

  /** The schema of a property by all parts; undefined if a part allows no such property. */
  const propertyOf = (parts: readonly Schema[], name: string): Node | undefined => {
    const found: Node[] = []
    for (const { properties = {}, patternProperties = {}, additionalProperties = {} } of parts) {
      const declared = Object.hasOwn(properties, name) ? [properties[name] ?? {}] : []
      const matching = Object.entries(patternProperties).filter(([pattern]) => isMatch(pattern, name))
      const described = [...declared, ...matching.map(([, schema]) => schema)]
      if (described.length === 0 && additionalProperties === false) return undefined
      if (described.length > 0) found.push(...described)
      else if (typeof additionalProperties === 'object') found.push(additionalProperties)
    }
    return oneSchema(found.filter(schema => Object.keys(schema).length > 0))
  }

  const isElsewhere = (property: Node) =>
    joinedOf(model, property).parts.some(joinedPart => joinedPart[marker] === true)

  const object = (joined: Joined, depth: number, variation: number): object | undefined => {
    const { parts, objects } = joined
    const { described, most } = objects
    spend(described.length)
    const demanded = new Set(objects.required)
    const chosen = chance?.chosen(path)
    if (chosen !== undefined) demanded.add(chosen)
    const value = new Map<string, unknown>()
    const add = (name: string, isDemanded: boolean) => {
      const property = propertyOf(parts, name) ?? (name === chosen ? {} : undefined)
      if (!property || value.has(name) || isElsewhere(property)) return
      if (chance && !chance.has([...path, name], property, isDemanded, isDeep)) return
      const before = misfits
      const made = part(name, property, depth + 1, variation)
      // A property that can't be made is left out, if it may be.
      if (!isDemanded && misfits > before) misfits = before
      else if (made !== undefined) {
        value.set(name, made)
        // A property may demand others (JSON Schema 2020-12 Validation, section 6.5.4).
        for (const { dependentRequired } of parts)
          for (const required of namesIn(dependentRequired, name)) add(required, true)
      } else if (isDemanded) misfits++
    }
    const isDeep = !isFull || depth >= flatDepth
    for (const name of demanded) add(name, true)
    for (const name of described) {
      if (isDeep ? value.size >= objects.least : value.size >= most) break
      add(name, false)
    }
    for (const name of value.size < objects.least ? namesFor(parts) : [])
      if (value.size < objects.least) add(name, false)
    const triggered = parts.flatMap(({ dependentSchemas = {} }) =>
      Object.entries(dependentSchemas).flatMap(([name, schema]) => (value.has(name) ? [schema] : [])),
    )
    if (triggered.length === 0) return Object.fromEntries(value)
    const others = parts.map(other => ({ ...bare(other), dependentSchemas: {} }))
    const whole = build(oneSchema([...others, ...triggered]), depth + 1, variation)
    return isObject(whole) ? whole : undefined
  }

  /** Names for an object that must have more properties than are described. */
  const namesFor = (parts: readonly Schema[]): string[] => {
    const patterns = parts.flatMap(({ patternProperties = {} }) => Object.keys(patternProperties))
    const forms = parts.flatMap(({ propertyNames }): Node[] =>
      isObject(propertyNames) ? [propertyNames] : [],
    )
    const numbered = Array.from({ length: mostMembers }, (_, i) => i)
    const made = [
      ...(forms.length > 0 ? [oneSchema([...forms, { type: 'string' }])] : []),
      ...patterns.map((pattern): Schema => ({ type: 'string', pattern })),
    ]
    const drawn = made.flatMap(form => numbered.slice(0, 20).map(n => build(form, deepest, n)))
    const usual = numbered.map(n => (n < 26 ? String.fromCharCode(97 + n) : `a${n}`))
    const fits = (name: unknown) => forms.every(form => isValid(form, name))
    return [...drawn, ...usual].filter(name => typeof name === 'string').filter(fits)
  }

  const array = ({ parts, lists }: Joined, depth: number, variation: number): unknown[] => {
    const { least: leastItems, isUnique, items } = lists
    const contained = parts.flatMap(({ contains, minContains = 1 }) =>
      contains ? Array.from({ length: Math.min(Number(minContains), mostMembers) }, () => contains) : [],
    )
    const places = Math.max(0, ...parts.map(({ prefixItems = [] }) => prefixItems.length))
    const itemAt = (index: number): Node => {
      const itemSchemas = parts.flatMap(({ prefixItems = [], items: rest }): Node[] => {
        const itemSchema = prefixItems[index] ?? rest
        return itemSchema ? [itemSchema] : []
      })
      const special = contained[index - places]
      return oneSchema(special ? [...itemSchemas, special] : itemSchemas.length > 0 ? itemSchemas : items)
    }
    const held = contained.length && places + contained.length
    const usual = depth < flatDepth ? Math.max(1, places + contained.length) : held
    const length =
      chance?.length(path, { ...lists, least: Math.max(leastItems, held) }, depth >= flatDepth) ??
      Math.min(Math.max(leastItems, usual), lists.most, mostMembers)
    const values: unknown[] = []
    for (let n = variation; values.length < length && n < variation + length + mostMembers; n++) {
      const before = misfits
      const value = part(values.length === 0 ? '0' : '*', itemAt(values.length), depth + 1, n)
      const isDouble = isUnique && values.some(earlier => isDeepStrictEqual(earlier, value))
      if (value !== undefined && !isDouble) values.push(value)
      else if (!isDouble) break
      if (misfits === before) continue
      if (values.length <= leastItems) break
      values.pop()
      misfits = before
      break
    }
    if (values.length < Math.min(leastItems, length)) misfits++
    return values
  }

  return schema => {
    work = 0
    misfits = 0
    drawnUntil = drawingEnd()
    const value = build(schema, 0, 0)
    const fits = value !== undefined && schemas.check(schema, structuredClone(value), direction).length === 0
    return { value, fits }
  }
}

/** The characters of a value as JSON. */
const sizeOf = (value: unknown) => JSON.stringify(value)?.length ?? 0

const isMatch = (pattern: string, name: string) => matcherOf(pattern).test(name)

const namesIn = (dependent: unknown, name: string): string[] => {
  const names: unknown = isObject(dependent) && Object.hasOwn(dependent, name) ? dependent[name] : []
  return Array.isArray(names) ? names.filter(entry => typeof entry === 'string') : []
}

/** A part of a schema by itself: its own parts stand beside it, and what is left over by all can't be told of one. */
const bare = ({ allOf: _, unevaluatedItems: __, unevaluatedProperties: ___, ...part }: Schema): Schema => part

/** Returns a schema of the discriminator, whose value names the chosen alternative. */
function nameOf({ oneOf = [], anyOf = [], discriminator }: Schema, branch: Node): Schema[] {
  if (!discriminator) return []
  const named = [...namedAlternatives([...oneOf, ...anyOf], discriminator)]
  const [name] = named.findLast(([, alternative]) => alternative === branch) ?? []
  const { propertyName } = discriminator
  if (name === undefined) return []
  // The names of a mapping are texts, and the property may be a number or a boolean.
  const values = /^(true|false|-?(0|[1-9]\d{0,14})(\.\d{1,9})?)$/.test(name)
    ? [name, JSON.parse(name)]
    : [name]
  return [{ type: 'object', required: [propertyName], properties: { [propertyName]: { enum: values } } }]
}

/** A schema that demands what all of these do. */
function oneSchema(schemas: readonly Node[]): Node {
  const [first] = schemas
  return schemas.length === 1 && first ? first : { allOf: [...schemas] }
}
