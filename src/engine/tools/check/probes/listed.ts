import { typesIn, valuesIn } from 'spec-served-document/model'
import type { Parameter } from 'spec-served-document/types'
import { isSameName, offset, pageNumber } from '../../records/conventions.ts'
import {
  type Endpoint,
  type Interface,
  type Kind,
  needsNothing,
  type Shape,
} from '../../records/interface.ts'
import type { Body } from '../../records/messages.ts'
import { sizeOf } from '../promises.ts'
import { type Exchange, identifierIn } from '../sending.ts'
import type { Session } from '../session.ts'
import { LeftOut } from '../summary.ts'

/** The number of records that a list has at least, where the check may make some. */
const enough = 3
/** The size of a page that shows all, in a document that bounds none. */
const wide = 100
/** How many values of a parameter are tried. */
const tried = 6

/** A list of records, and how it is read. */
interface Listed {
  session: Session
  endpoint: Endpoint
  size: Parameter | undefined
  /** the most items that a page may have */
  most: number
  read(query?: Body): Promise<Exchange>
  /** the identifiers of the items in a reply, as texts */
  idsIn(exchange: Exchange): string[]
}

/**
 * Holds a list of any service to what the names of its parameters say. It shows each record once. An offset and a number
 * of a page lead to later records. A parameter that is called as a property, with the same values, selects by it.
 */
export async function probeListed(session: Session, endpoint: Endpoint): Promise<void> {
  const { contract, world } = session
  const kind = contract.kinds.find(({ list }) => list === endpoint)
  if (!kind) return
  const made: string[] = []
  if (world.hands.writes)
    for (let count = 0; count < enough; count++) made.push(String((await session.make(kind.parameter)).id))
  const list = listedBy(session, endpoint, kind)
  const whole = await list.read()
  const { status, body } = whole.reply
  if (status !== 200) throw new LeftOut(`${endpoint.id} is answered ${status}`)
  const items = itemsIn(body)
  const ids = list.idsIn(whole)
  if (!items || ids.length < items.length) throw new LeftOut(`${endpoint.id} shows no identifiers`)
  const texts = items.map(item => JSON.stringify(item))
  const twice = texts.find((text, index) => texts.indexOf(text) < index)
  session.hold(whole, `a record stands twice in it: ${twice}`, twice === undefined)
  const isWhole = list.size ? ids.length < list.most : !endpoint.parameters.some(leadsOn)
  // Records of another one may have been made for one of their own.
  if (isWhole && made.length > 0 && needsNothing(endpoint))
    session.hold(
      whole,
      `it shows none of the records that were just made: ${made}`,
      made.some(id => ids.includes(id)),
    )
  await holdStarts(list, ids)
  for (const parameter of endpoint.parameters) await holdFilter(list, parameter, isWhole ? items : [])
}

function listedBy(session: Session, endpoint: Endpoint, { maker }: Kind): Listed {
  const { contract } = session
  const size = sizeOf(contract, endpoint)
  const { maximum = wide } = contract.shape(size?.schema)
  const most = Number(maximum)
  const { query } = session.least(endpoint)
  return {
    ...{ session, endpoint, size, most },
    read: (more = {}) =>
      session.ask(endpoint, { query: { ...query, ...(size && { [size.name]: most }), ...more } }),
    idsIn: ({ reply: { status, body } }) =>
      status === 200
        ? (itemsIn(body) ?? []).flatMap(
            item => identifierIn({ endpoint: maker, reply: shownAs(item) })?.toString() ?? [],
          )
        : [],
  }
}

/** An item of a list, as if it were the reply to its creation. */
const shownAs = (body: unknown): Exchange['reply'] => ({
  status: 200,
  headers: {},
  text: '',
  length: 0,
  body,
})

/** Whether a parameter asks for a part of a list. */
const leadsOn = ({ in: place, name }: Parameter) =>
  place === 'query' && (offset.test(name) || pageNumber.test(name) || /cursor|token|after|before/i.test(name))

/** The items of a list: the reply, or the only list in it. */
export function itemsIn(body: unknown): unknown[] | undefined {
  const lists = [body, ...Object.values(Object(body))].filter(Array.isArray)
  return Array.isArray(body) ? body : lists.length === 1 ? lists[0] : undefined
}

/** An offset of 1 leads to the second record, and so does the second page of one record each. */
async function holdStarts({ session, endpoint, size, read, idsIn }: Listed, ids: readonly string[]) {
  const [, second] = ids
  if (!size || second === undefined) return
  const { minimum = 1 } = session.contract.shape(size.schema)
  if (Number(minimum) > 1) return
  for (const parameter of endpoint.parameters.filter(one => one.in === 'query' && !one.required)) {
    const { name } = parameter
    const isPage = pageNumber.test(name)
    const shape = session.contract.shape(parameter.schema)
    if (!(isPage || offset.test(name)) || !typesIn(shape).includes('integer')) continue
    // Pages count from 1 or from 0, as the document says.
    const first = Number(shape.minimum ?? shape.default ?? Number.NaN)
    if (isPage && first !== 0 && first !== 1) continue
    const value = isPage ? first + 1 : 1
    const part = await read({ [name]: value, ...(isPage && { [size.name]: 1 }) })
    if (part.reply.status !== 200) continue
    const [found] = idsIn(part)
    // A list without an order of its own tells nothing.
    const [, next] = idsIn(await read())
    const what = `${name}=${value}${isPage ? ` with ${size.name}=1` : ''} begins with ${found}, and the second record is ${second}`
    session.hold(part, what, next !== second || found === second)
  }
}

/** A parameter that is called as a property of the records, and has no value that the property has not, selects by it. */
async function holdFilter(
  { session, endpoint, read }: Listed,
  parameter: Parameter,
  all: readonly unknown[],
) {
  if (parameter.in !== 'query') return
  const { contract } = session
  const shape = contract.shape(parameter.schema)
  const isList = shape.type === 'array'
  const values = valuesIn(isList ? contract.shape(shape.items) : shape) ?? []
  const [property, own] = propertyOf(contract, endpoint, parameter.name) ?? []
  if (property === undefined || !own || values.length < 2) return
  const known = valuesIn(own) ?? []
  if (!values.every(value => known.includes(value))) return
  for (const value of values.slice(0, tried)) {
    const part = await read({ [parameter.name]: isList ? [value] : value })
    const items = part.reply.status === 200 ? itemsIn(part.reply.body) : undefined
    if (!items) continue
    const others = items.map(item => Object(item)[property]).filter(one => one != null && one !== value)
    const asked = `${parameter.name}=${value}`
    session.hold(part, `${asked} gives records with ${property} ${others[0]}`, others.length === 0)
    const isThere = all.some(item => Object(item)[property] === value)
    session.hold(part, `${asked} gives none, and the list has some`, !isThere || items.length > 0)
  }
}

/** The property of a list's items that is called as a parameter, with its schema. */
function propertyOf(contract: Interface, { gives }: Endpoint, name: string): [string, Shape] | undefined {
  const lists = [gives, ...Object.values(gives.properties ?? {}).map(contract.shape)]
  const { items } = lists.find(one => one.type === 'array') ?? {}
  const { properties = {} } = contract.shape(items)
  const found = Object.keys(properties).find(isSameName(name))
  return found === undefined ? undefined : [found, contract.shape(properties[found])]
}
