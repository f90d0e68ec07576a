import { isDeepStrictEqual } from 'node:util'
import type fc from 'fast-check'
import { responseFor, typesIn } from '../../../src/document/model.ts'
import type { Parameter } from '../../../src/document/types.ts'
import { begunTexts, foldText, identifier, nextIn, sameTexts } from '../conventions.ts'
import { type Endpoint, requiredQuery, type Shape, shapeOf, shapeOfSuccess } from '../interface.ts'
import type { Session } from '../session.ts'
import { valuesOf } from '../values.ts'
import { holdDifference } from './differences.ts'
import { fill, makeAlike } from './filling.ts'
import { probeLists } from './lists.ts'
import { type Answer, meaningsFor } from './meanings.ts'
import { chooseBase, type Item, itemsOf, page, walk } from './pages.ts'

/** Values in a list that may have any number. */
const mostListed = 100
/** At most this many values are tried of a parameter. */
const triedValues = 8

/**
 * Shows of each query parameter what it does: on a store that holds records of many kinds, its replies must be what one
 * of the usual meanings (a filter by equality, beginning, bound or list; an order; a size of pages; a cursor) makes of
 * the whole list, and not all the same.
 */
export async function probeQueries(session: Session, endpoints: readonly Endpoint[]) {
  const asked = endpoints.filter(({ parameters }) => parameters.some(parameter => parameter.in === 'query'))
  if (asked.length === 0) return
  for (const parameter of session.contract.makers.keys())
    await session.attempt(() => fill(session, parameter))
  for (const endpoint of asked)
    await session.attempt(() =>
      endpoint.method === 'GET' && isList(session, endpoint)
        ? probeList(session, endpoint)
        : probeOther(session, endpoint),
    )
}

function isList({ contract: { model } }: Session, endpoint: Endpoint): boolean {
  return shapeOfSuccess(model, endpoint).type === 'array'
}

/** Where no list shows what a parameter means, it must at least make a difference. */
async function probeOther(session: Session, endpoint: Endpoint): Promise<void> {
  for (const parameter of endpoint.parameters)
    if (parameter.in === 'query') await probeDifference(session, endpoint, parameter)
}

async function probeDifference(
  session: Session,
  endpoint: Endpoint,
  { name, schema = {} }: Parameter,
): Promise<void> {
  const at = ['query', name]
  const send = (value: fc.Arbitrary<unknown>) =>
    session.exchange(endpoint, session.draw(endpoint, { at, value }, true))
  await holdDifference(
    session,
    endpoint,
    `the query parameter ${name}`,
    send,
    valuesOf(session.drawing(endpoint), schema, at),
  )
}

async function probeList(session: Session, endpoint: Endpoint): Promise<void> {
  await chooseBase(session, endpoint, async () => {
    for (const parameter of session.contract.makers.keys()) await fill(session, parameter)
  })
  await makeAlike(session, endpoint)
  const whole = await walk(session, endpoint, {})
  const required = requiredQuery(endpoint)
  // There is no list without them that they could be seen to keep a part of.
  for (const parameter of required) await probeDifference(session, endpoint, parameter)
  const parameters = endpoint.parameters.filter(
    parameter => parameter.in === 'query' && !required.includes(parameter),
  )
  for (const { name, schema = {} } of parameters) {
    const shape = shapeOf(session.contract.model, schema)
    const fault = isCursor(endpoint, name)
      ? await cursorFault(session, endpoint, name, whole)
      : await meaningFault(session, endpoint, name, shape, whole)
    const shown =
      fault === undefined
        ? undefined
        : await page(session, endpoint, { [name]: valuesFor(session, endpoint, name, shape, whole)[0] })
    session.holdOf(endpoint, `the query parameter ${name} ${fault}`, fault === undefined, shown)
    const lists = valuesFor(session, endpoint, name, shape, whole).filter(value => Array.isArray(value))
    await holdRepeated(session, endpoint, name, lists[1])
    if (shape.default === undefined) continue
    const [given, left] = [
      await page(session, endpoint, { [name]: shape.default }),
      await page(session, endpoint, {}),
    ]
    session.hold(
      given,
      `left out, the query parameter ${name} is not ${shape.default}`,
      isDeepStrictEqual(itemsOf(given), itemsOf(left)),
    )
  }
  const tried = parameters.map(({ name, schema = {} }) => ({
    name,
    values: valuesFor(session, endpoint, name, shapeOf(session.contract.model, schema), whole),
  }))
  const { headers = {} } = responseFor(endpoint, endpoint.success) ?? {}
  const hasPages = Object.keys(headers).some(name => /^(link|x-next-.*)$/i.test(name))
  if (hasPages) await session.probe('pages of lists', () => probeLists(session, endpoint, tried))
}

/** A list that is given item by item, in repeated parameters, is read as a whole or refused: no item is dropped. */
async function holdRepeated(session: Session, endpoint: Endpoint, name: string, list: unknown) {
  if (list === undefined) return
  const whole = await page(session, endpoint, { [name]: list })
  const url = whole.request.url.replace(
    new RegExp(`([?&])${name}=([^&]*)`),
    (_, start: string, text: string) =>
      text
        .split(',')
        .map((item, index) => `${index === 0 ? start : '&'}${name}=${item}`)
        .join(''),
  )
  const repeated = await session.sendRaw(endpoint, { ...whole.request, url }, whole.draft)
  const { status } = repeated.reply
  session.hold(
    repeated,
    `the parameter ${name}, repeated for each item, is answered otherwise than once with all of them`,
    status === 400 || isDeepStrictEqual(itemsOf(repeated), itemsOf(whole)),
  )
}

/** A parameter takes a cursor when replies hand one out for it. */
function isCursor(endpoint: Endpoint, name: string): boolean {
  const { headers = {} } = responseFor(endpoint, endpoint.success) ?? {}
  return Object.keys(headers).some(header => header.toLowerCase() === nextIn(name))
}

async function cursorFault(
  session: Session,
  endpoint: Endpoint,
  name: string,
  whole: readonly Item[],
): Promise<string | undefined> {
  const items: Item[] = []
  let cursor: string | undefined
  do {
    const exchange = await page(session, endpoint, cursor === undefined ? {} : { [name]: cursor })
    session.hold(exchange, 'a cursor was not taken', exchange.reply.status === 200)
    items.push(...itemsOf(exchange))
    cursor = exchange.reply.headers[nextIn(name)]
  } while (cursor !== undefined && items.length <= whole.length)
  return isDeepStrictEqual(items, whole) ? undefined : 'does not lead through the whole list'
}

async function meaningFault(
  session: Session,
  endpoint: Endpoint,
  name: string,
  shape: Shape,
  whole: readonly Item[],
): Promise<string | undefined> {
  const answers: { value: unknown; answer: Answer }[] = []
  for (const value of valuesFor(session, endpoint, name, shape, whole)) {
    const first = await page(session, endpoint, { [name]: value })
    const all = await walk(session, endpoint, { [name]: value })
    answers.push({ value, answer: { page: itemsOf(first), all } })
  }
  const properties = [...new Set(whole.flatMap(item => Object.keys(item)))]
  const meanings = meaningsFor(name, properties).filter(({ fits }) =>
    answers.every(({ value, answer }) => fits(whole, value, answer)),
  )
  if (meanings.length === 0 || answers.length === 0) return 'has no meaning that explains its replies'
  const differs = meanings.some(({ shows }) => {
    const distinct = new Set(answers.map(({ answer }) => JSON.stringify(answer[shows])))
    return distinct.size >= (shape.enum ? answers.length : 2)
  })
  return differs ? undefined : 'has values that make no difference'
}

/** Values of a parameter that should tell: those of the enumeration, or those that the records have. */
function valuesFor(
  { contract }: Session,
  endpoint: Endpoint,
  name: string,
  shape: Shape,
  whole: readonly Item[],
): unknown[] {
  if (shape.enum) return [...shape.enum]
  if (shape.type === 'boolean') return [true, false]
  const reference = contract.referenceIn(endpoint, name)
  const isOf = (type: string | undefined) => (value: unknown) =>
    type === 'integer' ? Number.isInteger(value) : typeof value === type
  const held = (property: string) => whole.map(item => item[property]).filter(value => value !== undefined)
  if (shape.type === 'array') {
    const ids = held(identifier.one)
    return ids.length > 3 ? [[ids[0]], [ids[1], ids[3]], ids.slice(0, shape.maxItems ?? mostListed)] : []
  }
  const properties = [...new Set(whole.flatMap(item => Object.keys(item)))]
  const own = properties.includes(name) ? [name] : reference !== undefined ? [reference] : properties
  // What most of the records have in common tells most.
  const values = byFrequency(own.flatMap(held).filter(isOf(typesIn(shape)[0])))
  const beginnings = values
    .filter(value => typeof value === 'string')
    .map(text => swapCase([...text][0] ?? ''))
  const known: readonly unknown[] = sameTexts.flat()
  const retold = values
    .filter(value => typeof value === 'string' && known.includes(value))
    .flatMap(text => [String(text).toUpperCase(), String(text).normalize('NFC'), foldText(String(text))])
  const begun = begunTexts.flatMap(({ texts, beginning }) => (values.includes(texts[0]) ? [beginning] : []))
  const longest = values
    .filter(value => typeof value === 'string')
    .sort((one, other) => other.length - one.length)
    .slice(0, 1)
  const small = shape.type === 'integer' && !properties.includes(name) ? [2, 7, 30] : []
  const spread = values.filter((_, index) => index % Math.ceil(values.length / triedValues) === 0)
  return [
    ...new Set([...small, ...beginnings.slice(0, triedValues), ...spread, ...retold, ...begun, ...longest]),
  ].filter(value => allows(shape, value))
}

/** Each value once, the most frequent first. */
function byFrequency(values: readonly unknown[]): unknown[] {
  const counts = new Map<unknown, number>()
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1)
  return [...counts].sort(([, one], [, other]) => other - one).map(([value]) => value)
}

const swapCase = (text: string) => (text === text.toLowerCase() ? text.toUpperCase() : text.toLowerCase())

function allows(
  { minimum = -Infinity, maximum = Infinity, minLength = 0, maxLength = Infinity }: Shape,
  value: unknown,
) {
  if (typeof value === 'number') return value >= Number(minimum) && value <= Number(maximum)
  return typeof value !== 'string' || (value.length >= minLength && value.length <= maxLength)
}
