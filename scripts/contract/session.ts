import fc from 'fast-check'
import { responseFor } from '../../src/document/model.ts'
import { isObject } from '../../src/document/pointer.ts'
import { rateLimitsOf } from '../../src/engine/extensions.ts'
import { fields, identifier, saneRequestId, usualKeyField } from './conventions.ts'
import type { Coverage } from './coverage.ts'
import { createExamination } from './examine.ts'
import { type Endpoint, type Interface, shapeOf } from './interface.ts'
import { createHistory, type History } from './laws/history.ts'
import type { Report } from './report.ts'
import { type Draft, referencesIn, toWire, type WireRequest, withIdentifiers } from './requests.ts'
import type { SecondOracle } from './second-oracle.ts'
import { type Drawing, type Override, valuesOf } from './values.ts'
import type { WireReply } from './wire.ts'
import { type Hands, LeftOut, need, type Quotas, type World } from './world.ts'

/** A request that was sent, what came back, and what of it is not as the document says. */
export interface Exchange {
  endpoint: Endpoint
  /** with references in place of identifiers */
  drawn: Draft
  draft: Draft
  request: WireRequest
  reply: WireReply
  faults: string[]
  /** where the faults contradict what went before: all that had changed something by then, this one last */
  steps?: readonly Exchange[]
}

/** A record that the service holds. */
export interface Stored {
  /** value of its path parameter */
  id: number | string
  body: unknown
}

export interface Sending {
  /** the API key; null for none */
  key?: string | null
  headers?: Record<string, string>
  mediaType?: string | undefined
}

/** A way of calling a service by its document, which takes note of whatever is wrong with a reply in itself. */
export interface Session extends Pick<Report, 'add' | 'hold' | 'holdOf' | 'quietly' | 'attempt' | 'probe'> {
  contract: Interface
  world: World
  /** What is in hand of the service. @throws LeftOut where it is not */
  readonly clock: NonNullable<Hands['clock']>
  readonly keys: NonNullable<Hands['keys']>
  readonly database: NonNullable<Hands['database']>
  readonly restart: NonNullable<Hands['restart']>
  /** with every scope and more quota than any check uses; null where none is in hand */
  key: string | null
  coverage: Coverage
  seed: number
  now(): Date
  drawing(endpoint: Endpoint): Drawing
  /** Random valid requests of an operation. */
  drafts(endpoint: Endpoint, override?: Override): fc.Arbitrary<Draft>
  /** One of these, another each time and the same in each run of one seed; `plain`: nothing that may be left out. */
  draw(endpoint: Endpoint, override?: Override, plain?: boolean): Draft
  /** Sends a request, with records made for its references. */
  exchange(endpoint: Endpoint, draft: Partial<Draft>, sending?: Sending): Promise<Exchange>
  /**
   * Sends requests until one is taken; after some tries, or a fault of the service, gives the last one.
   * @param draw makes them; the least that a request must hold, unless told
   */
  taken(endpoint: Endpoint, draw?: () => Draft, sending?: (attempt: number) => Sending): Promise<Exchange>
  /** Has each request that some work sends followed up in full. */
  thoroughly(work: () => Promise<void>): Promise<void>
  /** Holds all lists against all that was made and removed. */
  conclude(): Promise<void>
  /** Sends a request that is ready. */
  sendRaw(endpoint: Endpoint, request: WireRequest, draft: Draft): Promise<Exchange>
  /** Sends a request that is ready several times at once. */
  together(endpoint: Endpoint, request: WireRequest, draft: Draft, times: number): Promise<Exchange[]>
  /** What is wrong with an error that belongs to no operation, as the document has errors. */
  examineError(reply: WireReply): string[]
  /**
   * Makes a new record of those that a path parameter names; finds one where requests must not write.
   * @param draw makes the requests for it; the least that they must hold, unless told
   */
  make(parameter: string, draw?: (maker: Endpoint) => Draft): Promise<Stored>
}

/** Thrown when the service can't even be brought to where a check begins. */
export class Unreachable extends Error {
  /** what it was asked for, if it was asked */
  readonly exchange: Exchange | undefined
  constructor(message: string, exchange?: Exchange) {
    super(message)
    this.exchange = exchange
  }
}

/** The status whose error every operation declares. */
const errorStatus = 400
const safe = new Set(['GET', 'HEAD', 'OPTIONS'])
/** How many valid requests the rules of the business may decline. */
const tries = 250

/** How a session goes about it. */
export interface Way {
  /** whether the caller's key is the only record that there is */
  alone?: boolean
  /** whether each request is followed up in full, all along */
  thorough?: boolean
  /** judges replies as well */
  oracle?: SecondOracle | undefined
}

export async function openSession(
  contract: Interface,
  world: World,
  seed: number,
  coverage: Coverage,
  report: Report,
  { alone = false, thorough = false, oracle }: Way = {},
): Promise<Session> {
  const newKey = () => (world.hands.keys ? issueAmpleKey(contract, world) : world.given[0])
  // The first record of each kind is changed and removed by edges of identifiers: it is not the key in use.
  if (!alone) await newKey()
  const key = (await newKey()) ?? null
  const keyOf = keyring(world.hands.keys ? [] : world.given)
  const now = () => world.hands.clock?.now() ?? new Date()
  // Where its key is the only record, another one would be in the way.
  const reading = alone ? null : ((await newKey()) ?? null)
  const readingAt = (url: string) => {
    const known = world.given.length > 1 ? readerAt(contract, url) : undefined
    return keyHeader(contract, (known && keyOf.now(known)) ?? reading)
  }
  const history = alone
    ? undefined
    : createHistory(contract, world, readingAt, world.hands.keys ? keyHeader(contract, key) : {})
  const follow: History['around'] = async (endpoint, draft, request, send) =>
    history ? history.around(endpoint, draft, request, send) : { reply: await send(), faults: [] }
  history?.followAll(thorough)
  const trace: Exchange[] = []
  const examination = createExamination(contract.model, oracle)
  const shared = new Map<string, Stored>()
  const made = new Set<string>()
  let draws = seed
  let requests = 0

  const session: Session = {
    ...report,
    contract,
    world,
    get clock() {
      return need(world, 'clock')
    },
    get keys() {
      return need(world, 'keys')
    },
    get database() {
      return need(world, 'database')
    },
    get restart() {
      return need(world, 'restart')
    },
    key,
    coverage,
    seed,
    now,
    drawing: endpoint => ({
      model: contract.model,
      reference: name => contract.referenceIn(endpoint, name),
    }),
    drafts: (endpoint, override) =>
      // A request object holds the three places and the body, if there is one.
      valuesOf(session.drawing(endpoint), endpoint.request, [], override) as fc.Arbitrary<Draft>,
    draw(endpoint, override, plain = false) {
      draws += 1
      const [draft] = fc.sample(session.drafts(endpoint, override), { seed: draws, numRuns: 1 })
      if (!draft) throw new Error(`No request of ${endpoint.id} could be drawn`)
      return plain ? onlyRequired(contract, endpoint, draft, override) : draft
    },
    async exchange(endpoint, { path = {}, query = {}, header = {}, ...body }, sending = {}) {
      const drawn = { path, query, header, ...body }
      const draft = safe.has(endpoint.method) ? drawn : await withoutOthers(endpoint, drawn)
      const identifiers = new Map<string, unknown>()
      for (const parameter of referencesIn(draft)) {
        const known = safe.has(endpoint.method) ? shared.get(parameter) : undefined
        const record = known ?? (await session.make(parameter))
        if (endpoint.method !== 'DELETE') shared.set(parameter, record)
        identifiers.set(parameter, record.id)
      }
      const own = withIdentifiers(draft, identifiers)
      const request = toWire(endpoint, own, sending.mediaType)
      for (;;) {
        const given = sending.key === undefined ? (keyOf.now(endpoint) ?? key) : sending.key
        const headers = { ...request.headers, ...keyHeader(contract, given), ...sending.headers }
        const exchange = await session.sendRaw(endpoint, { ...request, headers }, own)
        const isRefused = exchange.reply.status === 403 && sending.key === undefined
        if (!isRefused || !keyOf.next(endpoint)) return { ...exchange, drawn }
      }
    },
    async taken(endpoint, draw = () => session.draw(endpoint, undefined, true), sending) {
      for (let attempt = 1; ; attempt++) {
        const exchange = await session.exchange(endpoint, draw(), sending?.(attempt))
        const { status } = exchange.reply
        if (status < 400 || status >= 500 || attempt === tries) return exchange
      }
    },
    async thoroughly(work) {
      history?.followAll(true)
      await work().finally(() => history?.followAll(thorough))
    },
    async conclude() {
      if (history) for (const { endpoint, message } of await history.conclude()) report.add(endpoint, message)
    },
    async sendRaw(endpoint, request, draft) {
      requests += 1
      const requestId = `check-${requests}`
      let causes: string[] = []
      const { reply, faults } = await follow(endpoint, draft, request, async () => {
        const reply = await world.send({
          ...request,
          headers: { [fields.requestId]: requestId, ...request.headers },
        })
        causes = world.takeLog().map(cause => `the log says: ${cause}`)
        return reply
      })
      coverage.note(endpoint, reply)
      const exchange: Exchange = {
        endpoint,
        drawn: draft,
        draft,
        request,
        reply,
        // What the service itself calls a fault explains the reply.
        faults:
          causes.length > 0
            ? causes
            : [
                ...(await examination.reply(endpoint, request, reply)),
                ...idFaults(endpoint, request, reply, requestId),
                ...faults,
              ],
      }
      if (faults.length > 0) exchange.steps = [...trace, exchange]
      if (!safe.has(request.method) && reply.status < 400) trace.push(exchange)
      for (const parameter of contract.makers.keys()) {
        const id = identifierIn(contract, parameter, exchange)
        if (id !== undefined) made.add(`${parameter} ${id}`)
      }
      report.note(exchange)
      return exchange
    },
    async together(endpoint, request, draft, times) {
      const atOnce = (one: WireRequest) => Promise.all(Array.from({ length: times }, () => world.send(one)))
      await atOnce({ method: 'OPTIONS', url: request.url, headers: {} }) // with so many connections they come at once
      const replies = await atOnce(request)
      const causes = world.takeLog().map(cause => `the log says: ${cause}`)
      const exchanges: Exchange[] = []
      for (const reply of replies) {
        history?.note(endpoint, draft, reply)
        const faults = [...causes, ...(await examination.reply(endpoint, request, reply))]
        exchanges.push({ endpoint, drawn: draft, draft, request, reply, faults })
      }
      for (const exchange of exchanges) report.note(exchange)
      return exchanges
    },
    examineError(reply) {
      const some = contract.endpoints.find(({ statuses }) => statuses.includes(errorStatus))
      if (!some) return ['the document has no error']
      // An error is an error, whoever answers: the one of an invalid request stands for all.
      coverage.note(some, { ...reply, status: errorStatus })
      return examination.error(some, reply)
    },
    async make(parameter, draw) {
      const maker = contract.makers.get(parameter)
      if (!maker) throw new Unreachable(`No operation makes what {${parameter}} names`)
      if (!world.hands.writes) return find(parameter, maker.path)
      const made = await session.taken(maker, draw && (() => draw(maker)))
      const id = identifierIn(contract, parameter, made)
      if (made.reply.status === maker.success && id !== undefined) return { id, body: made.reply.body }
      throw new Unreachable(['it makes no record', ...made.faults].join('; '), made)
    },
  }
  return session

  /** A request that may change something, with records of the session in place of those that somebody else has made. */
  async function withoutOthers(endpoint: Endpoint, draft: Draft): Promise<Draft> {
    if (world.hands.emptiness) return draft
    const own = async (values: unknown) => {
      if (!isObject(values)) return values
      const entries = Object.entries(values).map(async ([name, value]) => {
        const parameter = contract.referenceIn(endpoint, name)
        const isPlain = typeof value === 'number' || typeof value === 'string'
        if (parameter === undefined || !isPlain || made.has(`${parameter} ${value}`)) return [name, value]
        const url = `${contract.makers.get(parameter)?.path}/${encodeURIComponent(value)}`
        const { status } = await world.send({ method: 'GET', url, headers: { ...readingAt(url) } })
        return [name, status < 300 ? (await session.make(parameter)).id : value]
      })
      return Object.fromEntries(await Promise.all(entries))
    }
    const path = await own(draft.path)
    return 'body' in draft ? { ...draft, path, body: await own(draft.body) } : { ...draft, path }
  }

  /** The first record of a list. */
  async function find(parameter: string, path: string): Promise<Stored> {
    const list = contract.at('GET', path)
    const { reply } = list ? await session.exchange(list, session.draw(list, undefined, true)) : {}
    const [body] = Array.isArray(reply?.body) ? reply.body : []
    const id = isObject(body) ? (body[parameter] ?? body[identifier.one]) : undefined
    if (typeof id === 'string' || typeof id === 'number') return { id, body }
    throw new LeftOut(`needs a record of {${parameter}} that is there, or --writes`)
  }
}

/** Of several credentials the one that is let in where a scope is required: the first that was not refused there. */
function keyring(keys: readonly string[]) {
  const at = new Map<unknown, number>()
  const scopeOf = ({ operation }: Endpoint) => operation['x-required-scope']
  const now = (endpoint: Endpoint) => keys[at.get(scopeOf(endpoint)) ?? 0]
  return {
    now,
    /** Goes on to the next one. @returns whether there is one */
    next(endpoint: Endpoint): boolean {
      const index = (at.get(scopeOf(endpoint)) ?? 0) + 1
      if (index < keys.length) at.set(scopeOf(endpoint), index)
      return index < keys.length
    },
  }
}

/** The operation that reads at a URL. */
function readerAt({ endpoints }: Interface, url: string): Endpoint | undefined {
  const [path = ''] = url.split('?')
  return endpoints.find(
    one => one.method === 'GET' && new RegExp(`^${one.path.replace(/\{\w+\}/g, '[^/]+')}$`).test(path),
  )
}

/** A key of the plan whose keys have their own quotas. */
export function issueCustomKey(
  { model }: Interface,
  world: World,
  quotas: Quotas,
  scopes?: readonly string[],
): Promise<string> {
  const keys = need(world, 'keys')
  const [plan] =
    Object.entries(rateLimitsOf(model.document)?.plans ?? {}).find(([, { custom }]) => custom) ?? []
  if (plan === undefined) throw new Unreachable('No plan of x-rate-limits lets a key have its own quotas')
  return keys.issue({ plan, quotas, ...(scopes && { scopes }) })
}

/** A reply has the request's own id. */
function* idFaults(endpoint: Endpoint, { headers }: WireRequest, reply: WireReply, own: string) {
  const declared = Object.keys(responseFor(endpoint, reply.status)?.headers ?? {})
  if (!declared.some(name => name.toLowerCase() === fields.requestId)) return
  const sent = headers[fields.requestId] ?? own
  if (saneRequestId.test(sent) && reply.headers[fields.requestId] !== sent)
    yield `its request id ${sent} comes back as ${reply.headers[fields.requestId]}`
}

/** A key whose quota no check uses up. */
export const issueAmpleKey = (contract: Interface, world: World, scopes?: readonly string[]) =>
  issueCustomKey(contract, world, { minute: 1_000_000, day: 1_000_000_000 }, scopes)

/** The header that carries the API key, as the document's security scheme says. */
export function keyHeader({ model }: Interface, key: string | null): Record<string, string> {
  if (key === null) return {}
  const declared = Object.values(model.document.components?.securitySchemes ?? {})
  const schemes = declared.map(scheme => model.resolve(scheme))
  const name = schemes.find(scheme => scheme.in === 'header')?.name ?? usualKeyField
  return { [name.toLowerCase()]: key }
}

/** The request without what may be left out of it, but for what is asked for. */
function onlyRequired(
  { model }: Interface,
  endpoint: Endpoint,
  draft: Draft,
  override: Override | undefined,
): Draft {
  const places = endpoint.request.properties
  const least = (place: keyof Draft) => {
    const value = draft[place]
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
    const { required = [] } = shapeOf(model, places[place] ?? {})
    const kept = override?.at[0] === place ? [...required, override.at[1]] : required
    return Object.fromEntries(Object.entries(value).filter(([name]) => kept.includes(name)))
  }
  return {
    ...draft,
    query: least('query') as Draft['query'], // an object without some of its properties
    header: least('header') as Draft['header'], // likewise
    ...('body' in draft && { body: least('body') }),
  }
}

/** The identifier of the record that a reply's Location leads to. */
export function identifierIn(
  { endpoints }: Interface,
  parameter: string,
  { endpoint, reply }: Exchange,
): string | number | undefined {
  const location = reply.headers.location
  const item = endpoints.find(
    ({ record, path }) => record === parameter && path === `${endpoint.path}/{${parameter}}`,
  )
  if (location === undefined || !item) return undefined
  const prefix = item.path.slice(0, item.path.lastIndexOf('/') + 1)
  if (!location.startsWith(prefix)) return undefined
  const id = decodeURIComponent(location.slice(prefix.length))
  return /^\d+$/.test(id) ? Number(id) : id
}
