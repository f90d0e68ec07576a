import { type AST, RegExpParser, visitRegExpAST } from '@eslint-community/regexpp'
import fc from 'fast-check'
import { exampleIn, namedAlternatives, partsOf, takesNull, typesIn, valuesIn } from '../../document/model.ts'
import { matcherOf, toRegExp } from '../../document/pattern.ts'
import { isObject } from '../../document/pointer.ts'
import type { Reference, Schema } from '../../document/types.ts'
import type { Direction, Schemas } from '../../service/values/schemas.ts'
import { shapeOf } from '../../service/values/values.ts'
import { heightsIn } from '../reading/height.ts'

type Node = Schema | Reference

/** Below this, only what is demanded is built, and of alternatives first the flattest. */
const fullDepth = 3
/** The limit of depth: a property that only one direction demands, or null could end, may demand itself. */
const deepest = 25
/**
 * The limit of work for a whole value, in characters that are written or checked: about a second. Beyond it nothing is
 * built that need not be, and the first of several values is taken unseen.
 */
const workLimit = 2_000_000
/** How long texts are drawn for the patterns of one value, in ms of this thread: none more is begun later. */
const patternsMs = 1_000
/** The cost of a part of a value, and of a schema that was not checked before: it is compiled. */
const [partCost, schemaCost] = [100, 1_000]

const formats: Record<string, string> = {
  'date-time': '2024-02-29T12:30:00Z',
  date: '2024-02-29',
  time: '12:30:00Z',
  duration: 'P1D',
  uuid: '7f8a1f9e-5b0c-4f4e-9f55-3a2b1c0d9e8f',
  email: 'rex@example.com',
  uri: 'https://example.com/a',
  url: 'https://example.com/a',
  'uri-reference': '/a',
  'uri-template': '/a',
  hostname: 'example.com',
  ipv4: '192.0.2.1',
  ipv6: '2001:db8::1',
  byte: 'dGV4dA==',
  'json-pointer': '/a',
  regex: 'a',
}

export interface Drawing {
  /** whether properties that need not be there are */
  isFull: boolean
  /** request by default */
  direction?: Direction
  /** Whether examples come first, at any depth; by default they are the last resort. */
  isLikeExamples?: boolean
}

/** Draws a value that a schema takes, by what its keywords say. The same schema gives the same value. */
export function sampler(
  schemas: Schemas,
  { isFull, direction = 'request', isLikeExamples = false }: Drawing,
): (schema: Node) => unknown {
  const { model } = schemas
  const heightOf = heightsIn(model)
  let work = 0
  /** Takes from what is left of the work. @returns whether there was enough */
  const spend = (cost: number) => {
    work += cost
    return work <= workLimit
  }
  let drawnUntil = 0
  const checked = new WeakSet<object>()
  /** the variation of properties */
  let shift = 0
  const shifted = (by: number, build: () => unknown) => () => {
    shift = by
    const value = build()
    shift = 0
    return value
  }
  const isValid = (schema: Node, value: unknown) => {
    if (!spend(sizeOf(value) + (checked.has(schema) ? 0 : schemaCost + 4 * sizeOf(schema)))) return false
    checked.add(schema)
    return schemas.check(schema, structuredClone(value), direction).length === 0 // a check fills in defaults
  }
  /** Returns a valid candidate, else the first. That is built only once, as each level would double the work. */
  const firstValid = (schema: Node, candidates: readonly (() => unknown)[]): unknown => {
    const [first, ...others] = candidates
    const usual = first?.()
    if (usual !== undefined && (others.length === 0 || isValid(schema, usual))) return usual
    for (const candidate of others) {
      const value = candidate()
      if (value !== undefined && isValid(schema, value)) return value
    }
    return usual
  }

  const build = (node: Node, depth: number, variation: number): unknown => {
    const schema = model.resolve(node)
    const parts = partsOf(model, schema)
    const merged = Object.assign({}, ...parts)
    const isNullable = parts.some(takesNull)
    if (depth > deepest || !spend(partCost)) return isNullable ? null : undefined
    if (heightOf(schema) === Infinity) return undefined // it has no value at all
    const example = isLikeExamples ? parts.map(exampleIn).find(one => one !== undefined) : undefined
    if (example !== undefined && isValid(schema, example)) return example
    const last = [() => merged.default, () => exampleIn(merged), () => (isNullable ? null : undefined)]
    const values = parts.flatMap(part => valuesIn(part) ?? []).filter(value => value !== null)
    if (values.length > 0)
      return firstValid(
        schema,
        [...values.slice(variation), ...values].map(
          value => () => (spend(sizeOf(value)) ? value : undefined),
        ),
      )
    for (const union of parts)
      for (const keyword of ['oneOf', 'anyOf'] as const) {
        const branches = union[keyword]
        if (!branches || branches.length === 0) continue
        const rest = parts.map(part => ({ ...part, allOf: [], ...(part === union && { [keyword]: [] }) }))
        const ordered = depth < fullDepth ? branches : branches.toSorted((a, b) => heightOf(a) - heightOf(b))
        const choices = ordered.map(
          branch => () => build(oneSchema([...rest, branch, ...nameOf(union, branch)]), depth + 1, variation),
        )
        return firstValid(schema, [
          ...choices,
          ...(keyword === 'oneOf' ? told(branches, choices[0]) : []),
          ...(keyword === 'oneOf'
            ? choices.slice(0, 5).flatMap(choice => [1, 2, 3, 4, 5].map(by => shifted(by, choice)))
            : []),
          ...last,
        ])
      }
    return firstValid(schema, [() => plain(schema, merged, depth, variation), ...last])
  }

  /** Values of an alternative that no other takes: they have a property of another one, with a wrong type. */
  const told = (branches: readonly Node[], choice: (() => unknown) | undefined): (() => unknown)[] =>
    branches
      .flatMap(branch => [...shapeOf(model, branch).properties])
      .slice(0, 20)
      .map(([name, property]) => () => {
        const value = choice?.()
        const wrong = [null, 'text', 0].find(one => !isValid(property, one))
        return isObject(value) && !Object.hasOwn(value, name) && wrong !== undefined
          ? { ...value, [name]: wrong }
          : undefined
      })

  const plain = (schema: Schema, merged: Schema, depth: number, variation: number): unknown => {
    const [type = 'minimum' in merged ? 'number' : 'string'] = shapeOf(model, schema).types
    switch (type) {
      case 'object':
        return object(schema, depth)
      case 'array':
        return array(schema, merged, depth)
      case 'boolean':
        return variation % 2 === 0
      case 'integer':
      case 'number':
        return number(merged, variation)
      default:
        return spend(Number(merged.minLength ?? 0)) ? text(merged, variation, drawnUntil) : undefined
    }
  }

  const object = (schema: Schema, depth: number): object => {
    const parts = partsOf(model, schema)
    const own = (name: string) =>
      parts.flatMap(({ properties = {} }): Node[] => {
        const property = Object.hasOwn(properties, name) ? properties[name] : undefined
        return property ? [property] : []
      })
    const marker = direction === 'request' ? 'readOnly' : 'writeOnly'
    const isElsewhere = (name: string) =>
      own(name).some(property => partsOf(model, property).some(part => part[marker] === true))
    const required = parts.flatMap(part => part.required ?? [])
    const optional =
      isFull && depth < fullDepth ? parts.flatMap(part => Object.keys(part.properties ?? {})) : []
    const names = [...new Set([...required, ...optional])].filter(name => !isElsewhere(name))
    const { others = {}, types } = shapeOf(model, schema)
    const least = Math.max(0, ...parts.map(part => Number(part.minProperties ?? 0)))
    const described = parts.flatMap(part => Object.keys(part.properties ?? {}))
    spend(described.length)
    const isShort = types.has('object') && names.length < least
    const known = isShort ? described.filter(name => !isElsewhere(name)) : []
    const more = isShort ? [...known, 'a', 'b', 'c'].filter(name => !names.includes(name)) : []
    const all = [...names, ...more.slice(0, Math.max(0, least - names.length))]
    const entries = all.flatMap(name => {
      const schemasOfIt = own(name)
      const value = build(schemasOfIt.length > 0 ? oneSchema(schemasOfIt) : others, depth + 1, shift)
      return value === undefined ? [] : [[name, value] as const]
    })
    return Object.fromEntries(entries)
  }

  const array = (schema: Schema, merged: Schema, depth: number): unknown[] => {
    const { minItems = 0, maxItems = 100, prefixItems = [], contains } = merged
    const first: readonly Node[] = contains ? [...prefixItems, contains as Node] : prefixItems // by the grammar
    const usual = depth < fullDepth ? Math.max(1, first.length) : 0
    const length = Math.min(Math.max(minItems, usual), maxItems, 100)
    const { items } = shapeOf(model, schema)
    const values = Array.from({ length }, (_, i) => build(first[i] ?? items, depth + 1, i))
    return values.filter(value => value !== undefined)
  }

  return schema => {
    work = 0
    drawnUntil = drawnMs + patternsMs
    return build(schema, 0, 0)
  }
}

/** The characters of a value as JSON. */
const sizeOf = (value: unknown) => JSON.stringify(value)?.length ?? 0

/** Returns a schema of the discriminator, whose value names the chosen alternative. */
function nameOf({ oneOf = [], anyOf = [], discriminator }: Schema, branch: Node): Schema[] {
  if (!discriminator) return []
  const named = [...namedAlternatives([...oneOf, ...anyOf], discriminator)]
  const [name] = named.findLast(([, alternative]) => alternative === branch) ?? []
  const { propertyName } = discriminator
  return name === undefined
    ? []
    : [{ type: 'object', required: [propertyName], properties: { [propertyName]: { enum: [name] } } }]
}

/** A schema that demands what all of these do. */
function oneSchema(schemas: readonly Node[]): Node {
  const [first] = schemas
  return schemas.length === 1 && first ? first : { allOf: [...schemas] }
}

function number(schema: Schema, variation: number): number {
  const { multipleOf, exclusiveMinimum, exclusiveMaximum } = schema
  const minimum = typeof exclusiveMinimum === 'number' ? exclusiveMinimum : schema.minimum
  const maximum = typeof exclusiveMaximum === 'number' ? exclusiveMaximum : schema.maximum
  const step = multipleOf ?? (typesIn(schema).includes('number') ? 0.5 : 1)
  const least = minimum !== undefined && Math.ceil(minimum / step) * step
  const most = maximum !== undefined && Math.floor(maximum / step) * step
  // `true` excludes the bound of 3.0, a number is excluded itself.
  const isExcluded = (bound: number, exclusive?: boolean | number) =>
    exclusive === true || exclusive === bound
  if (least !== false) return least + (isExcluded(least, exclusiveMinimum) ? step : 0) + variation * step
  if (most !== false && most < 1 + variation)
    return most - (isExcluded(most, exclusiveMaximum) ? step : 0) - variation * step
  return step * (variation + 1)
}

/** @param until how far `drawnMs` may be for a text to be drawn for another pattern */
function text(schema: Schema, variation: number, until: number): string | undefined {
  const { pattern, format, minLength = 0, maxLength } = schema
  const least = Number(minLength)
  const most = Number(maxLength ?? Number.MAX_SAFE_INTEGER)
  if (typeof pattern === 'string') return matching(pattern, least, most, until)[variation]
  const formatted = formats[format ?? '']
  if (formatted !== undefined) return formatted
  const usual = variation === 0 ? 'text' : `t${variation}`
  return usual.padEnd(least, 'x').slice(0, most)
}

/** Texts that most patterns of letters take; as many as an array has items at most. */
const plainTexts = Array.from({ length: 100 }, (_, index) => (index === 0 ? 'text' : `t${index}`))

/** Texts by pattern and lengths: to draw from one that knows all of Unicode takes a second. */
const drawn = new Map<string, string[]>()
/** How long texts were drawn so far, in ms of this thread. */
let drawnMs = 0

function matching(pattern: string, least: number, most: number, until: number): string[] {
  const key = `${least} ${most} ${pattern}`
  const known = drawn.get(key)
  if (known || drawnMs > until) return known ?? []
  const before = process.threadCpuUsage()
  const texts = draw(pattern, least, most)
  const { user, system } = process.threadCpuUsage(before)
  drawnMs += (user + system) / 1_000
  drawn.set(key, texts)
  return texts
}

function draw(pattern: string, least: number, most: number): string[] {
  const expression = toRegExp(pattern)
  if (!expression) return []
  const matcher = matcherOf(pattern)
  const plain = plainTexts.map(one => one.padEnd(least, 'x'))
  if (plain.every(one => one.length <= most && matcher.test(one))) return plain
  try {
    const texts = fc.sample(fc.stringMatching(withoutLooks(expression)), { seed: 1, numRuns: 200 })
    const fitting = texts.filter(
      one => one.trim() !== '' && one.length >= least && one.length <= most && matcher.test(one),
    )
    // Texts of letters and digits come first: they can be written in every part of a request.
    return fitting.toSorted((a, b) => Number(/[^\w-]/.test(a)) - Number(/[^\w-]/.test(b)))
  } catch {
    return [] // it holds what fast-check does not draw
  }
}

/** A pattern without its lookarounds. Drawn texts that do not meet these are left out. */
function withoutLooks({ source, flags, unicode }: RegExp): RegExp {
  const looks: AST.Assertion[] = []
  visitRegExpAST(new RegExpParser().parsePattern(source, 0, source.length, unicode), {
    onAssertionEnter(node) {
      const isWithin = (looks.at(-1)?.end ?? 0) > node.start
      if (node.kind.startsWith('look') && !isWithin) looks.push(node)
    },
  })
  const text = looks.reduceRight((all, { start, end }) => `${all.slice(0, start)}${all.slice(end)}`, source)
  return new RegExp(text, flags)
}
