import fc from 'fast-check'
import { noSegment } from 'spec-served-document/formats/writing'
import { toRegExp } from 'spec-served-document/pattern'
import { isObject } from 'spec-served-document/pointer'
import { identifier, isOneOf, keyName, referredIn, wordsIn } from '../records/conventions.ts'
import { type Endpoint, type Interface, needsNothing, type Place, type Shape } from '../records/interface.ts'
import { itemsIn } from './items.ts'
import { keyOf, type Values } from './learnt.ts'
import { ample } from './preparing.ts'
import { referencesIn } from './requests.ts'
import { isSafe } from './sending.ts'
import type { Session } from './session.ts'
import { Reference } from './values.ts'

/** A scalar value of a request. */
interface Part {
  /** with the part of the request first, and `*` for the items of a list */
  place: readonly string[]
  name: string
  shape: Shape
  isRequired: boolean
}

/** A text or a number that replies show, and where. */
interface Known {
  list: string
  name: string
  value: string | number
}

/** How many values are tried at a place, and how many records of a list are looked at. */
const most = { values: 8, known: 40 }
/** How deep in a request values are looked for. */
const deepest = 4
const day = 86_400_000

const pools = new WeakMap<Session, Promise<Known[]>>()

/** Values to try at a place of a request: of the operation, or of one that makes what it names. */
export interface Candidate {
  of: Endpoint
  key: string
  values: Values
}

/** The values to try, those of the parts that a refusal names first, and those of records that the request names last. */
export async function candidatesFor(
  session: Session,
  endpoint: Endpoint,
  refusal: string,
): Promise<Candidate[]> {
  const said = ` ${wordsIn(refusal).join(' ')} `
  const ranked = partsIn(session, endpoint)
    .map(part => ({ part, rank: mention(part.name, said) }))
    .filter(({ part, rank }) => part.isRequired || rank === 2)
    .toSorted((a, b) => b.rank - a.rank)
  const found: Candidate[] = []
  for (const { part } of ranked)
    for (const values of (await valuesFor(session, endpoint, part, said)).slice(0, most.values))
      found.push({ of: endpoint, key: keyOf(part.place), values })
  return [...found, ...ampleRecords(session, endpoint)]
}

/** Ample numbers for the records that a request names. */
function ampleRecords(session: Session, endpoint: Endpoint): Candidate[] {
  const { contract } = session
  return [...referencesIn(session.simple(endpoint))].flatMap(parameter => {
    const maker = contract.makers.get(parameter)
    const parts = maker ? partsIn(session, maker).filter(({ place }) => place[0] === 'body') : []
    return parts.flatMap(({ place, name, shape: { type, maximum = Infinity } }): Candidate[] => {
      const isNumber = (type === 'integer' || type === 'number') && !contract.referenceIn(endpoint, name)
      const least = Math.min(ample, Number(maximum))
      const values = fc.integer({ min: least, max: Math.min(Number(maximum), least + 99) })
      return maker && isNumber ? [{ of: maker, key: keyOf(place), values }] : []
    })
  })
}

/** How surely a text names something: 2 by its whole name, 1 by a word of it. @param said in words, with blanks around */
function mention(name: string, said: string): number {
  const words = wordsIn(name)
  if (said.includes(` ${words.join(' ')} `)) return 2
  return words.some(word => word.length > 2 && (said.includes(` ${word} `) || said.includes(` ${word}s `)))
    ? 1
    : 0
}

/** The scalar values of an operation's path, query and body. */
function partsIn({ contract }: Session, endpoint: Endpoint): Part[] {
  const { request } = endpoint
  const found: Part[] = []
  const walk = (schema: Shape, place: readonly string[], isRequired: boolean): void => {
    const { properties, items, required = [] } = schema
    if (place.length > deepest) return
    if (items) walk(contract.shape(items), [...place, '*'], isRequired)
    else if (properties)
      for (const [name, part] of Object.entries(properties))
        walk(contract.shape(part), [...place, name], isRequired && required.includes(name))
    else found.push({ place, name: place.findLast(step => step !== '*') ?? '', shape: schema, isRequired })
  }
  for (const place of ['path', 'query', 'body'] satisfies Place[]) {
    const schema = request.properties[place]
    if (schema) walk(contract.shape(schema), [place], true)
  }
  const isFree = (name: string) => !contract.makers.has(name) && leavesRecords(contract, endpoint)
  return found.filter(({ place: [part], name }) => (part !== 'path' || isFree(name)) && /^\w/.test(name))
}

/**
 * Whether an operation reads a record that its path names, or adds something below it. The check changes and removes only
 * records that it has made.
 */
export const leavesRecords = ({ endpointFor }: Interface, { method, path, makes }: Endpoint): boolean =>
  isSafe(method) || (method === 'POST' && (makes !== undefined || endpointFor('GET', path) !== undefined))

/** The values that a part may want, the likeliest first. */
async function valuesFor(
  session: Session,
  endpoint: Endpoint,
  { place, name, shape }: Part,
  said: string,
): Promise<Values[]> {
  const { type, format, enum: choices } = shape
  if (choices || type === 'boolean') return (choices ?? [true, false]).map(choice => fc.constant(choice))
  if (format === 'date' || format === 'date-time') return days(format)
  const isFresh = type === 'string' && isTaken.test(said) && isLike(shape, 'abcdefghij')
  if (isFresh) return [words]
  const isName = type === 'string' || type === 'integer'
  const records = isName ? await namesOf(session, endpoint, place, name, shape, said) : []
  return [...records, ...(type === 'integer' || type === 'number' ? numbers(shape) : [])]
}

/** Words of a refusal that another record has a value already, and values that hardly any has. */
const isTaken = / (taken|duplicate|unique|already (exists|in use|used)) /
const words = fc.string({
  unit: fc.constantFrom(...'abcdefghijklmnopqrstuvwxyz'),
  minLength: 10,
  maxLength: 10,
})

/** Days and instants before today, soon after it, and later. */
function days(format: string): Values[] {
  const today = Math.floor(Date.now() / day) * day
  const within = (from: number, to: number) =>
    fc.integer({ min: from, max: to }).map(count => {
      const text = new Date(today + count * day).toISOString()
      return format === 'date' ? text.slice(0, 10) : text.replace('.000Z', 'Z')
    })
  return [within(-900, -1), within(2, 28), within(30, 900)]
}

/** Numbers of other sizes than the simplest. */
function numbers({ minimum = 0, maximum = Infinity, multipleOf = 1 }: Shape): Values[] {
  const sizes = [10, 100, 1_000, ample, 100 * ample].map(size => Math.ceil(size / multipleOf) * multipleOf)
  const fitting = [...sizes.filter(size => size >= minimum && size <= maximum), minimum]
  return fitting.map(size => fc.constant(size))
}

/** The records that a part may name: new ones where requests can make them, or those that lists show. */
async function namesOf(
  session: Session,
  endpoint: Endpoint,
  place: readonly string[],
  name: string,
  shape: Shape,
  said: string,
): Promise<Values[]> {
  const { contract } = session
  const singular = place[0] === 'body' ? name.replace(/s$/, '') : name
  const referred = referredIn(singular) ?? singular
  const isOf = (list: string) =>
    isOneOf(list, referred) || isOneOf(list, wordsIn(singular).slice(0, -1).join('_'))
  const makers = contract.kinds.filter(
    ({ parameter, path }) =>
      parameter !== endpoint.makes &&
      place[0] !== 'path' &&
      (isOf(path) || mention(parameter, ` ${wordsIn(singular).join(' ')} `) === 2),
  )
  // The client gives a new record its own.
  const isOwn = endpoint.makes !== undefined && (name === endpoint.makes || isOf(endpoint.path))
  if (isOwn && place[0] === 'body') return []
  // The check makes those itself.
  if (contract.referenceIn(endpoint, name) !== undefined && place[0] !== 'path') return []
  const known = (await poolOf(session)).filter(
    ({ value }) =>
      (typeof value === 'string') === (shape.type === 'string') &&
      !noSegment.test(String(value)) &&
      isLike(shape, value),
  )
  const above = endpoint.path.slice(0, Math.max(0, endpoint.path.indexOf(`/{${name}}`)))
  const groups = Map.groupBy(known, ({ list, name: property }) => `${list} ${property}`)
  const others = [...groups.values()].filter(([first]) => !isOfOthers(first))
  const ranked = others.map(group => ({ group, rank: rankOf(group[0]) }))
  return [
    ...makers.map(({ parameter }) => fc.constant<unknown>(new Reference(parameter))),
    ...ranked
      .filter(({ rank }) => rank > 0)
      .toSorted((a, b) => b.rank - a.rank)
      .map(({ group }) => fc.constantFrom<unknown>(...new Set(group.map(({ value }) => value)))),
  ]

  /** Whether it is of the records that the operation makes, or names one that the check makes itself, and others have made. */
  function isOfOthers(shown: Known | undefined): boolean {
    const isMade = contract.kinds.some(({ list }) => list?.path === shown?.list)
    const isOwnList = endpoint.makes !== undefined && shown?.list === endpoint.path
    return isOwnList || (isMade && keyName.test(shown?.name ?? ''))
  }

  /** How likely a part names what a list shows as a property. */
  function rankOf({ list, name: property }: Known = { list: '', name: '', value: '' }): number {
    const isOfList = place[0] === 'path' ? list === above : isOf(list)
    const isKey = property === identifier.one || property === name || wordsIn(name).at(-1) === property
    if (isOfList) return isKey || keyName.test(property) ? 4 : 3
    if (place[0] === 'path') return 0
    if (property === name) return 3
    const word = wordsIn(list).at(-1) ?? ''
    const isSaid = word.length > 3 && said.includes(` ${word.slice(0, 4)}`)
    return keyName.test(property) ? (isSaid ? 2 : 1) : 0
  }
}

/** Whether a text has the pattern and the length of a schema. */
function isLike(
  { pattern = '', minLength = 0, maxLength = Infinity }: Shape,
  value: string | number,
): boolean {
  const { length } = [...String(value)]
  return length >= minLength && length <= maxLength && toRegExp(pattern)?.test(String(value)) !== false
}

/** The texts and numbers that lists and other reads show, which ask for nothing. */
function poolOf(session: Session): Promise<Known[]> {
  const before = pools.get(session)
  if (before) return before
  const pool = readPool(session)
  pools.set(session, pool)
  return pool
}

async function readPool(session: Session): Promise<Known[]> {
  const found: Known[] = []
  for (const reader of session.contract.endpoints.filter(needsNothing)) {
    const { reply } = await session.quietly(() => session.ask(reader))
    const records = reply.status < 300 ? (itemsIn(reply.body, reader.path) ?? [reply.body]) : []
    for (const record of records.slice(0, most.known).filter(isObject))
      for (const [name, value] of Object.entries(record))
        if (typeof value === 'string' || typeof value === 'number')
          found.push({ list: reader.path, name, value })
  }
  return found
}
