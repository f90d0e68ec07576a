import { wordsIn } from '../../records/conventions.ts'
import type { Shape } from '../../records/interface.ts'
import type { Listed, Several } from './listed.ts'
import { propertiesOf, type Selection, usableOf, valueAt } from './selecting.ts'

/** A start of time after which nothing shown is, and an end before which nothing is. */
const bounds = { from: '2200-01-01', until: '1900-01-01' } as const
const boundWords = {
  from: /^(since|from|after|start|begin|gte?|min|newer)$/,
  until: /^(until|till|to|before|end|lte?|max|older)$/,
} as const
const sides = ['from', 'until'] as const

/** A parameter of a day or an instant that is called as a bound of them takes away what is beyond it, by all its times. */
export async function checkInstants(list: Listed, whole: Several): Promise<void> {
  const { session, endpoint, read, itemsOf } = list
  const others = usableOf(session, endpoint, whole)
  const { shape } = session.contract
  const isTime = ({ format, anyOf, oneOf }: Shape): boolean =>
    format === 'date' || format === 'date-time' || [anyOf ?? [], oneOf ?? []].flat().map(shape).some(isTime)
  const properties = propertiesOf(session.contract, endpoint)
  const times = properties.flatMap(([name, schema]) => (isTime(schema) ? [name] : []))
  const isTimeOf = (time: string, isDay: boolean) =>
    JSON.stringify(properties.find(([property]) => property === time)?.[1] ?? {}).includes('"date"') === isDay
  for (const { in: place, name, schema } of endpoint.parameters) {
    const words = name
      .replace(/([a-z])([A-Z])/g, '$1_$2')
      .toLowerCase()
      .split(/[^a-z]+/)
    const [side, ...more] = sides.filter(candidate => words.some(word => boundWords[candidate].test(word)))
    const declared = shape(schema)
    if (place !== 'query' || !side || more.length > 0 || !isTime(declared) || times.length === 0) continue
    const isDay = JSON.stringify(declared).includes('"date"')
    const value = isDay ? bounds[side] : `${bounds[side]}T00:00:00Z`
    const instantOf = (item: unknown) => (time: string) => Date.parse(String(valueAt(time)(item)))
    const isPast = (item: unknown) => (time: string) => valueAt(time)(item) !== null || !happening.test(time)
    const keepsTo = async (chosen: readonly Selection[]) => {
      const query = Object.fromEntries(chosen.map(one => [one.name, one.isList ? [one.value] : one.value]))
      const part = await read({ ...query, [name]: value })
      // A record without one of its times may last on.
      const beyond = itemsOf(part)?.find(item =>
        times
          .filter(isPast(item))
          .map(instantOf(item))
          .every(instant => (side === 'from' ? instant < Date.parse(value) : instant > Date.parse(value))),
      )
      const asked = chosen.map(one => `${one.name}=${one.value}&`).join('')
      const what = `${asked}${name}=${value} gives a record of another time: ${JSON.stringify(beyond)}`
      session.hold(part, what, beyond === undefined)
      return beyond === undefined
    }
    if (await keepsTo([])) for (const other of others) await keepsTo([other])
    const alike = times.filter(time => isTimeOf(time, isDay))
    await holdEdge(list, whole, name, alike, isDay)
  }
}

/** Names of times at which something happens to a record, which has none of them before. */
const happening =
  /^(created|updated|modified|changed|sent|paid|published|shipped|delivered|cancell?ed|approved|completed|deleted)/i

/** A record of the very day or instant of a bound is kept or not, as the description of the parameter says. */
async function holdEdge(
  { session, endpoint, readSeveral }: Listed,
  whole: Several,
  name: string,
  times: readonly string[],
  isDay: boolean,
): Promise<void> {
  const described = endpoint.parameters.find(parameter => parameter.name === name)
  const text = `${described?.description ?? ''} ${Reflect.get(described?.schema ?? {}, 'description') ?? ''}`
  const isInclusive = within.test(text)
  // One of a span may bound by the other end of it.
  if (isInclusive === beyond.test(text) || /\b(begin|began|start|end|finish)(s|ed|ning)?\b/i.test(text))
    return
  const [first = ''] = wordsIn(name)
  const [time, ...more] = times.length === 1 ? times : times.filter(other => wordsIn(other).includes(first))
  if (time === undefined || more.length > 0) return
  const edge = whole.items.findLast(item => typeof valueAt(time)(item) === 'string')
  const value = String(valueAt(time)(edge))
  const id = whole.ids[whole.items.indexOf(edge)]
  const isForm = isDay ? /^\d{4}-\d\d-\d\d$/.test(value) : !Number.isNaN(Date.parse(value))
  if (edge === undefined || id === undefined || !isForm) return
  const { first: part, ids, isAll } = await readSeveral({ [name]: value })
  if (part.reply.status !== 200 || !isAll) return
  const what = `${name}=${value} ${isInclusive ? 'lacks' : 'gives'} ${id}, of which ${time} is just that`
  session.hold(part, what, ids.includes(id) === isInclusive)
}

const within =
  /\b(inclusive(ly)?|included|on (or|this day|that day)|or (earlier|later|on)|at or|(not|no) (before|after|later|earlier)( than)?|at the (latest|earliest)|up to and including)\b/i
const beyond =
  /\b(exclusive(ly)?|excluded|strictly|(?<!(not|no|or|on or) )(before|after|earlier than|later than) (this|that|the))\b/i
