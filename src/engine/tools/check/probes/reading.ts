import { codes, mostDetails, pointersIn } from '../../records/conventions.ts'
import type { Endpoint } from '../../records/interface.ts'
import { recordIn } from '../../records/messages.ts'
import { isTried } from '../sampling.ts'
import type { Exchange } from '../sending.ts'
import type { Session } from '../session.ts'
import { isEncoded, oddProperties, oddText, readingsOf } from '../strict.ts'

/** Sends an operation the corpus of inputs that lenient readers let pass, and all faults of a request at once. */
export async function probeReading(session: Session, endpoint: Endpoint) {
  const taken = await session.taken(endpoint)
  const headers = { ...taken.request.headers, ...session.keyHeader(session.key) }
  const valid = { ...taken, request: { ...taken.request, headers } }
  const readings = [...readingsOf(session.drawing(endpoint), endpoint, valid.request)]
  for (const [index, { name, request, due, namedPointer: named, isExact }] of readings.entries()) {
    if (!isTried(session, kindOf(name), index)) continue
    if (!isEncoded(request.url.split('?')[0] ?? '')) {
      const sent = { request, reply: await session.world.send(request) }
      session.holdError(`${endpoint.id}: ${name}`, sent, codes.invalid)
      continue
    }
    const exchange = await session.again(valid, request)
    if (due === 'read') {
      holdRead(session, exchange, name)
      continue
    }
    const refusal = due === 'refused' ? codes.invalid : codes.tooLarge
    session.holdRefusal(exchange, name, refusal)
    if (named === undefined || !session.isRefused(exchange, refusal)) continue
    const pointers = pointersIn(exchange.reply.body)
    const isWithin = (pointer: string) => pointer.startsWith(`${named}/`) || `/body${pointer}` === named
    const isNamed = pointers.some(candidate => candidate === named || (!isExact && isWithin(candidate)))
    session.hold(
      exchange,
      `the refusal of ${name} names ${pointers.join(' ') || 'nothing'} instead of ${named}`,
      isNamed,
    )
  }
  for (const name of endpoint.makes ? oddProperties(session.drawing(endpoint), endpoint) : []) {
    // A rule between values may refuse the rest of a request.
    const exchange = await session.taken(endpoint, () => session.least(endpoint, { [name]: oddText }))
    holdRead(session, exchange, `${name} as ${JSON.stringify(oddText)}`)
  }
  if (endpoint.takes.type === 'object') await probeAll(session, valid)
  if (endpoint.takes.type === 'array') await probeItems(session, valid)
}

/** A reading, whatever part of the request it is of. */
const kindOf = (name: string) =>
  name
    .replace(/^.* as /, 'as ')
    .replace(/^\?[^=[\s]+/, '?')
    .replace(/^\S+ twice/, 'twice')

/** A request is taken, or refused by a rule between records. */
function holdRead(session: Session, exchange: Exchange, name: string) {
  const { status } = exchange.reply
  const isRead = status < 500 && ![400, 413, 415].includes(status)
  session.hold(exchange, `${name} is answered ${status}`, isRead)
}

/** Several faults are told at once, up to so many of them. */
async function probeAll(session: Session, valid: Exchange) {
  /** Names that are not declared, each so many times. A repeated name is a fault of its own, before all others. */
  const ask = async (count: number, times: number) => {
    const unknown = Array.from({ length: count * times }, (_, index) => `"unknown${index % count}":0`)
    const body = `${valid.request.body?.replace(/\}$/, '')}${valid.request.body === '{}' ? '' : ','}${unknown.join()}}`
    const exchange = await session.again(valid, { body })
    const due = Math.min(count, mostDetails)
    session.holdSame(
      exchange,
      `of ${count} faults, the number that the refusal names`,
      pointersIn(exchange.reply.body).length,
      due,
    )
  }
  for (const times of [1, 2]) for (const count of [3, mostDetails + 1]) await ask(count, times)
}

/** The same fault in two items is told of both, and of many items up to so many times. */
async function probeItems(session: Session, valid: Exchange) {
  const { shape } = session.contract
  const { items, maxItems = Infinity } = valid.endpoint.takes
  const properties = Object.entries(maxItems > 1 ? (shape(items).properties ?? {}) : {})
  const names = properties.flatMap(([name, schema]) => (shape(schema).nullable ? [] : name))
  const first = recordIn(JSON.parse(valid.request.body ?? '[]'))
  const ask = (item: object, count: number) =>
    session.again(valid, { body: JSON.stringify(Array.from({ length: count }, () => item)) })
  const many = Math.min(maxItems, mostDetails + 1)
  if (names.length * many > mostDetails) {
    const exchange = await ask({ ...first, ...Object.fromEntries(names.map(name => [name, null])) }, many)
    const what = `of faults in ${many} items, the number that the refusal names`
    session.holdSame(exchange, what, pointersIn(exchange.reply.body).length, mostDetails)
  }
  for (const name of names) {
    const exchange = await ask({ ...first, [name]: null }, 2)
    const pointers = pointersIn(exchange.reply.body)
    for (const named of [`/0/${name}`, `/1/${name}`])
      session.hold(
        exchange,
        `the refusal of null as ${name} of two items names ${pointers.join(' ')}`,
        pointers.includes(named),
      )
  }
}
