import { isDeepStrictEqual } from 'node:util'
import { responseFor, typesIn } from 'spec-served-document/model'
import { begunTexts, foldText, identifier, nextIn, parameters, sameTexts } from '../../records/conventions.ts'
import { type Endpoint, requiredQuery, type Shape } from '../../records/interface.ts'
import type { Session } from '../session.ts'
import { numberBounds } from '../values.ts'
import { nextPage } from '../wire.ts'
import { checkDifference } from './differences.ts'
import { fill, makeAlike } from './filling.ts'
import { changeLast, probeLists } from './lists.ts'
import { type Answer, meaningsFor } from './meanings.ts'
import { type Item, itemsOf, openList, type PagedList } from './pages.ts'

/** Values in a list that may have any number. */
const mostListed = 100
/** At most this many values are tried of a parameter. */
const triedValues = { own: 8, running: 4 }
/** At most this many pages are read of each length. */
const fewPages = 8

/**
 * Shows what each query parameter does, on a store that holds records of many kinds. Its replies must be what a usual
 * meaning makes of the whole list, and not all the same. The meanings: a filter (by equality, beginning, bound or
 * list), an order, a size of pages, a cursor.
 */
export async function probeQueries(session: Session, endpoints: readonly Endpoint[]) {
  const fillAll = async () => {
    for (const kind of session.contract.kinds) await session.attempt(() => fill(session, kind))
  }
  await fillAll()
  const lists: PagedList[] = []
  for (const endpoint of endpoints)
    await session.attempt(async () => {
      const isList = endpoint.method === 'GET' && endpoint.gives.type === 'array'
      const queries = endpoint.parameters.filter(({ in: place }) => place === 'query')
      // There is no list without them that they could be seen to keep a part of.
      for (const { name, schema = {} } of isList ? requiredQuery(endpoint) : queries)
        await checkDifference(session, endpoint, `the query parameter ${name}`, ['query', name], schema)
      if (!isList || queries.length === 0) return
      const list = await openList(session, endpoint, fillAll)
      const kind = session.contract.kinds.find(({ maker }) => maker.path === endpoint.path)
      if (kind) await makeAlike(session, kind)
      lists.push(list)
    })
  // From here on nothing is written until all lists are read.
  await session.eachAtOnce(lists, list => session.attempt(() => probeList(list)))
  if (!session.world.hands.writes) return
  for (const list of lists.filter(hasPages)) await session.attempt(() => changeLast(list))
}

/** Whether replies of a list lead to further pages. */
const hasPages = ({ endpoint }: PagedList) =>
  fieldsOf(endpoint).some(name => /^(link|x-next-.*)$/i.test(name))
const fieldsOf = (endpoint: Endpoint) => Object.keys(responseFor(endpoint, endpoint.success)?.headers ?? {})

async function probeList(list: PagedList) {
  const { session, endpoint } = list
  const whole = await list.walk()
  const tried = endpoint.parameters
    .filter(({ in: place, required }) => place === 'query' && !required)
    .map(({ name, schema }) => {
      const shape = session.contract.shape(schema)
      return { name, shape, values: valuesFor(session, endpoint, name, shape, whole) }
    })
  for (const parameter of tried) {
    const { name, shape, values } = parameter
    // A parameter takes a cursor when replies hand one out for it.
    const isCursor = fieldsOf(endpoint).some(header => header.toLowerCase() === nextIn(name))
    const { fault, value } = await (isCursor
      ? cursorFault(list, name, whole)
      : meaningFault(list, parameter, whole))
    const shown = fault === undefined ? undefined : await list.page({ [name]: value })
    session.holdOf(endpoint, `the query parameter ${name} ${fault}`, fault === undefined, shown)
    await holdRepeated(list, name, values.filter(candidate => Array.isArray(candidate))[1])
    if (shape.default === undefined) continue
    const [withDefault, left] = [await list.page({ [name]: shape.default }), await list.page()]
    const isUsual = isDeepStrictEqual(itemsOf(withDefault), itemsOf(left))
    session.hold(withDefault, `left out, the query parameter ${name} is not ${shape.default}`, isUsual)
  }
  if (hasPages(list)) await session.probe('pages of lists', () => probeLists(list, tried))
}

/** A list in repeated parameters is read as a whole or refused: no item is dropped. */
async function holdRepeated({ session, endpoint, page }: PagedList, name: string, items: unknown) {
  if (items === undefined) return
  const whole = await page({ [name]: items })
  const [path, query] = whole.request.url.split('?')
  const search = [...new URLSearchParams(query)].flatMap(([key, text]) =>
    (key === name ? text.split(',') : [text]).map((item): [string, string] => [key, item]),
  )
  const repeated = await session.again(whole, { url: `${path}?${new URLSearchParams(search)}` })
  const isSame = isDeepStrictEqual(itemsOf(repeated), itemsOf(whole))
  const what = `the parameter ${name}, repeated for each item, is not what it is once with all of them`
  session.hold(repeated, what, repeated.reply.status === 400 || isSame)
  if (
    repeated.reply.status === 400 ||
    endpoint.parameters.every(parameter => parameter.name !== parameters.limit)
  )
    return
  const first = await session.again(repeated, { url: `${repeated.request.url}&${parameters.limit}=1` })
  const next = nextPage(first.request.url, first.reply)
  const second = next === undefined ? first : await session.again(first, { url: next })
  const isNext = isDeepStrictEqual(itemsOf(second), itemsOf(whole).slice(1, 2))
  session.hold(second, `the second page with ${name} repeated is not the second item`, isNext)
}

async function cursorFault(
  { session, page }: PagedList,
  name: string,
  whole: readonly Item[],
): Promise<{ fault?: string; value?: unknown }> {
  const items: Item[] = []
  let query = {}
  for (;;) {
    const exchange = await page(query)
    session.holdStatus(exchange, 'a cursor')
    items.push(...itemsOf(exchange))
    const { [nextIn(name)]: cursor } = exchange.reply.headers
    if (cursor === undefined || items.length > whole.length) break
    query = { [name]: cursor }
  }
  return isDeepStrictEqual(items, whole) ? {} : { fault: 'does not lead through the whole list' }
}

/** Returns, in words, the fault in a parameter's effect on a list, and the value that shows it. */
async function meaningFault(
  { session, endpoint, page, walk }: PagedList,
  { name, shape, values }: { name: string; shape: Shape; values: readonly unknown[] },
  whole: readonly Item[],
): Promise<{ fault?: string; value?: unknown }> {
  const properties = [...new Set(whole.flatMap(item => Object.keys(item)))]
  let meanings = meaningsFor(name, properties)
  const answers: Answer[] = []
  // All pages together hold the same, however long they are.
  const isSized = endpoint.parameters.some(parameter => parameter.name === parameters.limit)
  const wide = isSized ? { [parameters.limit]: mostListed } : {}
  // Pages that are put together have a probe of their own. Here a few tell what the parameter means.
  const pages = name === parameters.limit ? fewPages : undefined
  const asked = await session.eachAtOnce(values, async value => {
    const query = { [name]: value }
    const answer = { page: itemsOf(await page(query)), all: await walk({ ...wide, ...query }, pages) }
    return { value, answer }
  })
  for (const { value, answer } of asked) {
    answers.push(answer)
    meanings = meanings.filter(({ fits }) => fits(whole, value, answer))
    if (meanings.length === 0) return { fault: 'has no meaning that explains its replies', value }
  }
  if (answers.length === 0) return { fault: 'has no meaning that explains its replies' }
  const differs = meanings.some(({ shows }) => {
    const distinct = new Set(answers.map(answer => JSON.stringify(answer[shows])))
    return distinct.size >= (shape.enum ? answers.length : 2)
  })
  return differs ? {} : { fault: 'has values that make no difference', value: values[0] }
}

/** Values of a parameter that should tell: those of the enumeration, or those that the records have. */
function valuesFor(
  { contract, either }: Session,
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
    return ids.length > 3 ? [[ids[0]], [ids[3], ids[1]], ids.slice(0, shape.maxItems ?? mostListed)] : []
  }
  const properties = [...new Set(whole.flatMap(item => Object.keys(item)))]
  const candidates = properties.includes(name) ? [name] : reference !== undefined ? [reference] : properties
  // The values that most records share tell the most.
  const values = byFrequency(candidates.flatMap(held).filter(isOf(typesIn(shape)[0])))
  const texts = values.filter(value => typeof value === 'string')
  const beginnings = texts.map(text => swapCase([...text][0] ?? ''))
  const knownTexts: readonly string[] = sameTexts.flat()
  const retold = texts
    .filter(text => knownTexts.includes(text))
    .flatMap(text => [text.toUpperCase(), text.normalize('NFC'), foldText(text)])
  const begun = begunTexts.flatMap(({ texts: alike, beginning }) =>
    values.includes(alike[0]) ? [beginning] : [],
  )
  const longest = texts.toSorted((a, b) => b.length - a.length).slice(0, 1)
  const small = shape.type === 'integer' && !properties.includes(name) ? [2, 7, 30] : []
  const most = either(triedValues)
  const spread = values.filter((_, index) => index % Math.ceil(values.length / most) === 0)
  // The least and the greatest that it takes: 0 is often taken for none.
  const { min, max } = numberBounds(shape)
  const ends = [min, max].filter(bound => bound !== undefined)
  const listed = [...spread, ...retold, ...begun, ...longest]
  // Lists are put together with the first of them, one of which is the whole text of many records.
  const first = [...small, ...beginnings.slice(0, 1), ...texts.slice(0, 1)]
  const all = [...first, ...beginnings.slice(0, most), ...listed, ...ends]
  return [...new Set(all)].filter(value => allows(shape, value))
}

/** Each value once, the most frequent first. */
const byFrequency = (values: readonly unknown[]) =>
  [...Map.groupBy(values, value => value).values()]
    .sort((a, b) => b.length - a.length)
    .map(([value]) => value)

const swapCase = (text: string) => (text === text.toLowerCase() ? text.toUpperCase() : text.toLowerCase())

function allows(
  { minimum = -Infinity, maximum = Infinity, minLength = 0, maxLength = Infinity }: Shape,
  value: unknown,
) {
  if (typeof value === 'number') return value >= Number(minimum) && value <= Number(maximum)
  return typeof value !== 'string' || (value.length >= minLength && value.length <= maxLength)
}
