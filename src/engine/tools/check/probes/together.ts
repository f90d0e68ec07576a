import fc from 'fast-check'
import { isObject } from 'spec-served-document/pointer'
import { codes, fields } from '../../records/conventions.ts'
import { effectsOf, isSame, operandOf } from '../../records/effects.ts'
import { type Endpoint, type Interface, type Kind, takesField } from '../../records/interface.ts'
import { type Draft, recordIn } from '../../records/messages.ts'
import { uniqueCodesOf } from '../../records/unique-codes.ts'
import { choosingForms } from '../forms.ts'
import { type Exchange, identifierIn } from '../sending.ts'
import type { Session } from '../session.ts'
import { valuesOf } from '../values.ts'
import { need, type World } from '../world.ts'
import { itemsOf } from './pages.ts'
import { isRepeated } from './retries.ts'
import { uniqueTexts } from './unique.ts'

/** How many requests are sent at once, and how often: whether the service meets them in one turn is chance. */
const many = 5
const rounds = { own: 10, running: 2 }
/** How many values are tried to find one that changes a record. */
const samples = 10

/**
 * Sends the same request several times at once. The service takes each as if it came alone. It makes a record for each
 * success, and gives a unique value once. Only one of two removals finds something. The same with one Idempotency-Key
 * makes one record.
 */
export async function probeTogether(session: Session, endpoints: readonly Endpoint[]) {
  await session.eachAtOnce(session.contract.kinds, async kind => {
    const { maker, remover } = kind
    if (endpoints.includes(maker)) {
      await session.attempt(() => makeTogether(session, maker))
      await session.attempt(() => repeatTogether(session, maker))
      await session.attempt(() => repeatAtTwo(session, maker))
      if (uniqueCodesOf(maker).length > 0) await session.attempt(() => nameTogether(session, kind))
    }
    if (remover && endpoints.includes(remover))
      await session.attempt(() => removeTogether(session, kind, remover))
  })
}

const times = <Of>(item: Of): Of[] => Array.from({ length: many }, () => item)
const isTaken = ({ reply }: Exchange) => reply.status < 300

async function makeTogether(session: Session, maker: Endpoint): Promise<void> {
  // A body that was accepted once may be accepted for another record, unless a value in it is unique.
  for (const drawn of [await session.plain(maker), session.least(maker)]) {
    let taken = 0
    for (let round = 0; round < session.either(rounds); round++)
      if (await areTaken(session, maker, drawn)) taken++
    if (taken > 0) return
  }
}

/** Sends a request at once with others like it. @returns whether any is taken */
async function areTaken(session: Session, maker: Endpoint, drawn: Draft): Promise<boolean> {
  const draft = await session.placed(drawn)
  const before = await countsOf(session, maker, draft.body)
  const sent = await session.together(times({ endpoint: maker, draft }))
  const made = sent.filter(isTaken)
  const ids = new Set(made.map(identifierIn))
  for (const exchange of sent) {
    const { status } = exchange.reply
    session.hold(exchange, `of ${many} at once it is answered ${status}`, status < 500)
    const what = `of ${many} at once ${made.length} are taken, which make ${ids.size} records`
    session.hold(exchange, what, ids.size === made.length)
  }
  const after = await countsOf(session, maker, draft.body)
  for (const [name, { value, change }] of before) {
    const due = value + change * made.length
    const is = after.get(name)?.value
    const what = `${made.length} of ${many} at once are taken, and ${name} becomes ${is} instead of ${due}`
    session.holdOf(maker, what, is === due, made[0])
  }
  return made.length > 0
}

/** The numbers of other records that a request changes, and by how much. */
async function countsOf(session: Session, maker: Endpoint, body: unknown) {
  const scope = { body: recordIn(body), path: {}, before: {} }
  const counts = new Map<string, { value: number; change: number }>()
  for (const { of, becomes = {} } of effectsOf(maker))
    for (const [name, wanted] of Object.entries(becomes)) {
      const [[parameter = '', operand = null] = []] = Object.entries(of)
      if (!isObject(wanted)) continue
      const change = 'plus' in wanted ? operandOf(wanted.plus, scope) : operandOf(wanted.minus, scope)
      const value = await numberOf(session, parameter, operandOf(operand, scope), name)
      if (value !== undefined && typeof change === 'number')
        counts.set(`${name} of {${parameter}}`, { value, change: 'minus' in wanted ? -change : change })
    }
  return counts
}

async function numberOf(session: Session, parameter: string, id: unknown, name: string) {
  for (const reader of session.contract.readers(parameter)) {
    const { [name]: value } = recordIn((await session.on(reader, id)).reply.body)
    if (typeof value === 'number') return value
  }
  return undefined
}

async function removeTogether(session: Session, { parameter }: Kind, remover: Endpoint): Promise<void> {
  const path = session.pathOf(parameter, (await session.make(parameter)).id)
  const sent = await session.together(times({ endpoint: remover, draft: { path, query: {}, header: {} } }))
  const taken = sent.filter(isTaken).length
  for (const exchange of sent) {
    session.hold(exchange, `of ${many} removals at once ${taken} are taken`, taken === 1)
    if (!isTaken(exchange)) session.holdStatus(exchange, `one of ${many} removals at once`, 404)
  }
}

/** One Idempotency-Key makes one record, however often it comes at once. @param servers take turns; one unless told */
async function repeatTogether(session: Session, maker: Endpoint, servers: Pick<World, 'send'>[] = []) {
  if (!takesField(maker, fields.retryKey)) return
  const all = [session.world, ...servers]
  const where = servers.length > 0 ? ' at two servers' : ''
  for (let round = 0; round < session.either(rounds); round++) {
    // A draft that was accepted once may be refused, as it holds a unique value.
    const drawn = round % 2 === 0 ? await session.plain(maker) : session.least(maker)
    const draft = await session.placed(drawn)
    const key = { [fields.retryKey]: `at-once-${round}-of-${maker.id}${where}` }
    const sent = await session.together(times({ endpoint: maker, draft }), key, all)
    const ids = new Set(sent.filter(isTaken).map(identifierIn))
    const what = `of ${many} at once with one key${where} it`
    for (const exchange of sent) {
      session.hold(exchange, `${what} makes ${ids.size} records`, ids.size < 2)
      const isRunning = session.isRefused(exchange, codes.running)
      const isOne = isTaken(exchange) || isRunning || (ids.size === 0 && exchange.reply.status < 500)
      session.hold(exchange, `${what} is answered ${exchange.reply.status}`, isOne)
    }
    const [first] = sent.filter(isTaken)
    for (const server of first ? all : [])
      for (const again of await session.together([{ endpoint: maker, draft }], key, [server]))
        session.hold(
          again,
          `${what} is not repeated afterwards`,
          first !== undefined && isRepeated(again, first),
        )
  }
}

/** The same at two servers on one database. */
async function repeatAtTwo(session: Session, maker: Endpoint): Promise<void> {
  if (!takesField(maker, fields.retryKey)) return
  const twin = await need(session.world, 'twin')()
  await repeatTogether(session, maker, [twin]).finally(twin.close)
}

/** Gives two records at once a value that only one may have. */
async function nameTogether(session: Session, kind: Kind): Promise<void> {
  const { maker, parameter, changers } = kind
  for (const { name } of await uniqueTexts(session, kind))
    for (const endpoint of changers.filter(({ path }) => path === `${maker.path}/{${parameter}}`))
      for (let round = 0; round < session.either(rounds) / 2; round++) {
        const ids = [(await session.make(parameter)).id, (await session.make(parameter)).id]
        const value = recordIn(session.least(maker).body)[name]
        const drafts = ids.map(id => {
          const draft = session.least(endpoint, { [name]: value })
          return { endpoint, draft: { ...draft, path: { [parameter]: id }, header: {} } }
        })
        const sent = await session.together(drafts)
        // Another record may have the value already.
        const taken = sent.filter(isTaken).length
        for (const exchange of sent) {
          const { status } = exchange.reply
          session.hold(
            exchange,
            `of two that take one ${name} at once it is answered ${status}`,
            status < 500,
          )
          session.hold(exchange, `of two that take one ${name} at once ${taken} are taken`, taken < 2)
        }
      }
}

/** Reads several records, or a list by several filters, at once. Each reply is the one that its request has alone. */
export async function probeReadsTogether(session: Session, endpoint: Endpoint): Promise<void> {
  const drafts = await (endpoint.record === undefined
    ? filteredBy(session, endpoint)
    : recordsOf(session, endpoint.record))
  // The use of a list’s records may change meanwhile.
  const shownBy = (exchange: Exchange) =>
    endpoint.record === undefined
      ? [exchange.reply.status, itemsOf(exchange)]
      : [exchange.reply.status, exchange.reply.headers.etag, exchange.reply.body]
  const alone = new Map<Draft, unknown>()
  for (const draft of drafts) alone.set(draft, shownBy(await session.exchange(endpoint, draft)))
  for (const order of [drafts.toReversed(), [...drafts, ...drafts.toReversed()]])
    for (const exchange of await session.together(order.map(draft => ({ endpoint, draft }))))
      session.holdSame(
        exchange,
        'as others are read at once, it',
        shownBy(exchange),
        alone.get(exchange.draft),
      )
}

/** Requests for some new records. */
async function recordsOf({ make }: Session, record: string): Promise<Draft[]> {
  const ids = [(await make(record)).id, (await make(record)).id, (await make(record)).id]
  return ids.map(id => ({ path: { [record]: id }, query: {}, header: {} }))
}

/** The parameters by which a list of records selects or orders: those of few values, or of a property's name. */
export function selectionsOf({ kinds, shape }: Interface, endpoint: Endpoint) {
  if (!kinds.some(({ list }) => list === endpoint)) return []
  const properties = shape(endpoint.gives.items).properties ?? {}
  return endpoint.parameters.flatMap(({ in: place, name, schema }) => {
    const { type, enum: values } = shape(schema)
    const choices = values ?? (type === 'boolean' ? [true, false] : undefined)
    return place === 'query' && (choices || name in properties) ? [{ name, choices }] : []
  })
}

/** Requests for a list, each by two values of one of its filters. */
async function filteredBy(session: Session, endpoint: Endpoint): Promise<Draft[]> {
  const { parameter = '' } = session.contract.kinds.find(({ list }) => list === endpoint) ?? {}
  for (let made = 0; made < 2; made++) await session.make(parameter)
  const items = itemsOf(await session.ask(endpoint))
  return selectionsOf(session.contract, endpoint).flatMap(({ name, choices }) => {
    const shown = new Set(items.map(item => item[name]).filter(value => value !== undefined))
    const values = choices ?? [...shown]
    return values.slice(0, 2).map(value => ({ path: {}, query: { [name]: value }, header: {} }))
  })
}

/**
 * Brings a record into each state by several requests at once, none of which fails. Then it changes two properties at
 * once, each by a request of its own. In the end both are changed.
 */
export async function probeChangesTogether(session: Session, endpoint: Endpoint): Promise<void> {
  const { record = '', path } = endpoint
  const reader = session.contract.endpointFor('GET', path)
  const properties = sharedProperties(session, endpoint)
  for (const { override } of choosingForms(session.drawing(endpoint), endpoint))
    for (let round = 0; round < session.either(rounds) / 2; round++) {
      const draft = await session.placed({ ...session.least(endpoint, undefined, override), header: {} })
      for (const exchange of await session.together(times({ endpoint, draft }))) {
        const { status } = exchange.reply
        session.hold(exchange, `of ${many} at once it is answered ${status}`, status < 500)
      }
    }
  for (let round = 0; reader && round < (session.either(rounds) / 2) * properties.length; round++) {
    const { id } = await session.make(record)
    const read = () => session.on(reader, id)
    const before = recordIn((await read()).reply.body)
    const pair = [round, round + 1].flatMap(index => properties.slice(index % properties.length).slice(0, 1))
    const bodies = pair.flatMap(([name, schema]) => {
      const values = valuesOf(session.drawing(endpoint), schema, ['body', name])
      const drawn = fc.sample(values, { seed: session.seed + round, numRuns: samples })
      const [other = null] = drawn.filter(value => value !== null && !isSame(value, before[name]))
      return other === null ? [] : [{ [name]: other }]
    })
    const drafts = await Promise.all(
      bodies.map(body => session.placed({ path: { [record]: id }, query: {}, header: {}, body })),
    )
    const sent = await session.together(drafts.map(draft => ({ endpoint, draft })))
    if (sent.length < 2 || !sent.every(isTaken)) continue
    const after = await read()
    for (const [name] of pair) {
      const isChanged = !isSame(recordIn(after.reply.body)[name], before[name])
      const what = `as two properties are changed at once, ${name} stays what it was`
      session.holdOf(endpoint, what, isChanged, after)
    }
  }
}

/** Lists the properties of a change that the reader of its record shows. */
export const sharedProperties = ({ contract }: Pick<Session, 'contract'>, { path, takes }: Endpoint) =>
  Object.entries(takes.properties ?? {}).filter(
    ([name]) => name in (contract.endpointFor('GET', path)?.gives.properties ?? {}),
  )
