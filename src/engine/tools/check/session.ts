import { AsyncLocalStorage } from 'node:async_hooks'
import fc from 'fast-check'
import { isObject } from 'spec-served-document/pointer'
import { identifier, withoutEnd } from '../records/conventions.ts'
import { effectsOf } from '../records/effects.ts'
import type { Endpoint, Interface } from '../records/interface.ts'
import { type Body, type Draft, recordIn } from '../records/messages.ts'
import type { Coverage } from './coverage.ts'
import { type Examples, noExamples, valuesOfPath } from './examples.ts'
import { createFitting } from './fitting.ts'
import { createHolds } from './holding.ts'
import { createHistory } from './invariants/history.ts'
import { itemsIn } from './items.ts'
import {
  type Credential,
  canBeMet,
  credentialFor,
  issueKey,
  keyHeader,
  keyring,
  type Secret,
  withCredential,
} from './keys.ts'
import { createLanes, type Stored, type Use } from './lanes.ts'
import { isLearntWithin, learntAt } from './learnt.ts'
import { makePrepared, type Preparation, preparationFor } from './preparing.ts'
import { declaresEffects } from './promises.ts'
import { reach } from './reaching.ts'
import { isWritable, referencesIn, toWire, withIdentifiers } from './requests.ts'
import type { SecondOracle } from './second-oracle.ts'
import { asIdentifier, canIdentify, createSender, type Exchange, identifierIn, isSafe } from './sending.ts'
import { inOrder } from './spans.ts'
import { LeftOut, type Report, Unreachable } from './summary.ts'
import { createTurns, inTurns } from './turns.ts'
import { type Drawing, type Override, Reference, valuesOf } from './values.ts'
import { need, type Quotas, type World } from './world.ts'

/** A thing for the check's own service, and another one for a service that runs elsewhere. */
export interface Either<Of> {
  own: Of
  running: Of
}

export interface Sending {
  /** the API key; null for none */
  key?: Secret | null
  headers?: Record<string, string>
  mediaType?: string | undefined
  /** whether it breaks a rule of the document, so that it changes no record: any will do */
  isToBeRefused?: boolean
}

/** How many valid requests the rules of the business may decline. */
const tries = 250

/** The same in a document of others, which may have rules that no request keeps by chance. */
const fewTries = 20

/** After so many refusals a request of simple values is sent to a service of others. */
const surprising = 2
/** After so many refusals another state of the record is looked for. */
const stubborn = 4
/** How many requests on records of their own are sent at once to a service that runs elsewhere. */
const mostAtOnce = 8
/** How many properties of a new record are tried as its identifier. */
const mostNames = 8

/** How a session goes about it. */
export interface Way {
  /** whether the caller's key is the only record that there is */
  alone?: boolean
  /** whether each request is followed up in full, all along */
  thorough?: boolean
  /** judges replies as well */
  oracle?: SecondOracle | undefined
  examples?: Examples | undefined
}

/** Calls a service by its document, and notes whatever is wrong with a reply in itself. */
export type Session = Awaited<ReturnType<typeof openSession>>

export async function openSession(
  contract: Interface,
  opened: World,
  seed: number,
  coverage: Coverage,
  report: Report,
  { alone = false, thorough = false, oracle, examples = noExamples }: Way = {},
) {
  const lanes = createLanes(parameter => session.make(parameter))
  const world: World = {
    ...opened,
    send(request) {
      if (!isSafe(request.method)) lanes.noteWrite()
      return opened.send(request)
    },
  }
  const newKey = async (): Promise<Secret | null> =>
    (world.hands.keys ? await issueKey(contract, world) : world.credentials[0]) ?? null
  // Edges of identifiers change and remove the first record of each kind. It must not be the key in use.
  if (!alone) await newKey()
  const key = await newKey()
  const keyOf = keyring(world.hands.keys ? [] : world.credentials)
  // If its key is the only record, another key would be in the way.
  const reading = alone ? null : await newKey()
  const readingAt = (url: string) => {
    if (contract.guided && world.credentials.length === 0) return credentialFor(contract, reading)
    const reader = readerAt(contract, url)
    const credential = credentialFor(contract, (reader && keyOf.now(reader)) ?? reading, reader)
    const { headers, query } = reader && !contract.guided ? demandedBy(reader) : credential
    return {
      ...credential,
      headers: { ...headers, ...credential.headers },
      query: { ...query, ...credential.query },
    }
  }
  const demands = new Map<Endpoint, Pick<Credential, 'headers' | 'query'>>()
  /** The query and the header fields that an operation demands, with the same values each time. */
  function demandedBy(reader: Endpoint): Pick<Credential, 'headers' | 'query'> {
    const cached = demands.get(reader)
    if (cached) return cached
    const { query, header } = session.least(reader)
    const path = Object.fromEntries(
      [...reader.path.matchAll(/\{([^{}]+)\}/g)].map(([, name = '']) => [name, '1']),
    )
    const { url, headers } = toWire(reader, { path, query, header })
    const demanded = { headers, query: Object.fromEntries(new URLSearchParams(url.split('?')[1])) }
    demands.set(reader, demanded)
    return demanded
  }
  const usual = world.hands.keys ? keyHeader(contract, key) : {}
  const turns = createTurns()
  const history = alone
    ? undefined
    : createHistory(contract, world, readingAt, usual, coverage.keptFaults, turns, lanes)
  if (thorough) history?.followAll()
  const sender = createSender(contract, world, { coverage, report, history, oracle, turns })
  // A service that the check runs itself shares its processor. Of others it is not known what their requests share.
  const width = contract.guided && !world.hands.emptiness ? mostAtOnce : 1
  const { fits, fitted } = createFitting(contract.model)
  /** the parameters whose records are being made, each for the one before it */
  const making = new AsyncLocalStorage<readonly string[]>()
  let draws = seed
  const prepared = new Map<Endpoint, Stored>()

  const session = {
    ...report,
    ...sender,
    ...createHolds(contract, world, report, sender),
    contract,
    world,
    /** A control over the service. @throws LeftOut if it is missing */
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
    /** @throws Unreachable where the document has none */
    get limits() {
      if (contract.limits) return contract.limits
      throw new Unreachable('the document has no x-rate-limits')
    },
    get costly() {
      if (contract.costly) return contract.costly
      throw new Unreachable('no operation needs nothing but a credential')
    },
    /** The header field of an API key. */
    keyHeader: (secret: Secret | null) => keyHeader(contract, secret),
    /** A new key, with every scope unless told. @param quotas those that no check uses up, unless told */
    newKey: (quotas?: Quotas, scopes?: readonly string[]) =>
      turns.beside(() => issueKey(contract, world, quotas, scopes)),
    /** how many things are done at once */
    width,
    /** One thing for the check's own service, and another one for a service that runs elsewhere, which takes its time. */
    either: <Of>({ own, running }: Either<Of>): Of => (world.hands.emptiness ? own : running),
    /**
     * Does the same with each of some: with several at once where the service runs elsewhere. The work of none may change
     * what that of another looks at.
     */
    eachAtOnce: <Of, To>(all: readonly Of[], work: (item: Of) => Promise<To>) =>
      inTurns(all, width, work, lanes.run),
    /** with every scope and more quota than any check uses; null where none is in hand */
    key,
    seed,
    drawing: (endpoint: Endpoint): Drawing => ({
      model: contract.model,
      reference(name, type, part) {
        const parameter = contract.referenceIn(endpoint, name)
        if (parameter === undefined || part === 'path') return isPlainType(type) ? parameter : undefined
        const ofRecords = contract.makers.get(parameter)?.identifiers?.type
        return type === 'integer' || (!contract.guided && type === 'string' && ofRecords === type)
          ? parameter
          : undefined
      },
      // Nobody makes these; in our own document they are examples and nothing else.
      knownValues: name =>
        contract.guided || contract.makers.has(name) ? [] : valuesOfPath(examples, endpoint, name),
      ...(!contract.guided && {
        learntAt: place => learntAt(endpoint, place),
        isLearntWithin: place => isLearntWithin(endpoint, place),
      }),
    }),
    /** whether a draft is what the document allows, by the engine's validation */
    fits,
    /**
     * Random valid requests of an operation.
     * @param isPlain whether they hold nothing that may be left out
     * @param isSimple whether each value is the simplest of its schema
     */
    drafts(endpoint: Endpoint, override?: Override, isPlain = false, isSimple = false) {
      const drawing = { ...session.drawing(endpoint), isPlain, isSimple, override }
      return valuesOf(drawing, endpoint.request, []) as fc.Arbitrary<Draft> // of such an object
    },
    /** One of these, another each time and the same in each run of one seed. */
    draw(endpoint: Endpoint, override?: Override, isPlain = false, isSimple = false): Draft {
      draws += 1
      const drafts = session.drafts(endpoint, override, isPlain, isSimple)
      const [draft] = fc.sample(drafts, { seed: draws, numRuns: 1 })
      if (!draft) throw new Error(`No request of ${endpoint.id} could be drawn`)
      if (contract.guided || override) return draft
      const ordered = inOrder(contract, endpoint, fitted(endpoint, draft, isPlain), isSimple)
      return { ...ordered, ...examples.requests.get(endpoint.id) }
    },
    /** The least that a request must hold. @param more further properties of its body, if it has one */
    least(endpoint: Endpoint, more?: Body, override?: Override): Draft {
      const draft = session.draw(endpoint, override, true)
      return more && 'body' in draft ? { ...draft, body: { ...recordIn(draft.body), ...more } } : draft
    },
    /** The least that a request must hold, with the simplest values: rules that no schema says decline them most seldom. */
    simple: (endpoint: Endpoint, override?: Override): Draft => session.draw(endpoint, override, true, true),
    /** The least that a request must hold, of a kind that the service takes. */
    plain: async (endpoint: Endpoint): Promise<Draft> => (await session.taken(endpoint)).drawn,
    /** Sends requests at once. */
    together(
      drafts: readonly Pick<Exchange, 'endpoint' | 'draft'>[],
      headers = {},
      servers?: readonly Pick<World, 'send'>[],
    ): Promise<Exchange[]> {
      return sender.sendAtOnce(
        drafts.map(({ endpoint, draft }) => {
          const authorized = withCredential(toWire(endpoint, draft), credentialFor(contract, key, endpoint))
          return {
            endpoint,
            draft,
            request: { ...authorized, headers: { ...authorized.headers, ...headers } },
          }
        }),
        servers,
      )
    },
    /** Sends the least that a request must hold, with some of its parts as they are given. */
    ask: (endpoint: Endpoint, parts: Partial<Draft> = {}, sending?: Sending) =>
      session.exchange(endpoint, { ...session.least(endpoint), ...parts }, sending),
    /** Sends a request about a record, without conditions; the least that it must hold, unless told. */
    on(endpoint: Endpoint, id: unknown, draft: Partial<Draft> = session.least(endpoint), sending?: Sending) {
      const names = namesIn(endpoint)
      const name = names.at(-1) ?? ''
      const above = names.length > 1 ? { ...session.least(endpoint).path, ...sender.pathOf(name, id) } : {}
      const path = { ...above, [name]: id }
      return session.exchange(endpoint, { ...draft, path, header: {} }, sending)
    },
    /** A request about new records in place of those that it refers to. @param endpoint asks for their state, unless any will do */
    async placed(draft: Draft, endpoint?: Endpoint): Promise<Draft> {
      const identifiers = new Map<string, unknown>()
      const preparation = endpoint && preparationFor(endpoint)
      for (const name of referencesIn(draft)) {
        const isPrepared = preparation?.parameter === name
        const record = isPrepared ? await makePrepared(session, preparation) : await session.make(name)
        identifiers.set(name, record.id)
      }
      return withIdentifiers(draft, identifiers)
    },
    /** Sends a request, with records made for its references. */
    async exchange(
      endpoint: Endpoint,
      { path = {}, query = {}, header = {}, ...others }: Partial<Draft>,
      sending: Sending = {},
    ): Promise<Exchange> {
      const drawn = { path, query, header, ...others }
      const [type = ''] = endpoint.mediaTypes
      if (others.body !== undefined && sending.mediaType === undefined && !isWritable(type))
        throw new LeftOut(`needs a body as ${type}, which the check can't write`)
      if (endpoint.secured && !canBeMet(contract, endpoint))
        throw new LeftOut(`${endpoint.id} demands two credentials in one place, which no request can hold`)
      const draft = isSafe(endpoint.method) ? drawn : await withoutOthers(endpoint, drawn)
      const identifiers = new Map<string, unknown>()
      const uses = [...referencesIn(draft)].map(name => [name, useOf(endpoint, name, sending)] as const)
      for (const [parameter, use] of uses) {
        const preparation = use === 'reads' ? undefined : preparationFor(endpoint)
        const isPrepared = preparation?.parameter === parameter
        const record = isPrepared
          ? await preparedFor(endpoint, preparation, use)
          : await lanes.record(parameter, use)
        identifiers.set(parameter, record.id)
      }
      const placed = withParents(draft, withIdentifiers(draft, identifiers), endpoint)
      const identified = await withFreeName(endpoint, placed)
      const request = toWire(endpoint, identified, sending.mediaType)
      for (;;) {
        const send = async (usedKey: Secret | null) => {
          const ready = withCredential(request, credentialFor(contract, usedKey, endpoint))
          const headers = { ...ready.headers, ...sending.headers }
          const sent = await session.sendRaw(endpoint, { ...ready, headers }, identified)
          if (usedKey !== null && endpoint.secured) world.noteReply?.(usedKey, sent)
          return sent
        }
        let exchange = await send(sending.key === undefined ? (keyOf.now(endpoint) ?? key) : sending.key)
        const isRefused = exchange.reply.status === 403 && sending.key === undefined
        const otherKeys = isRefused ? keyOf.othersFor(endpoint) : []
        if (isRefused && otherKeys.length === 0 && keyOf.next(endpoint)) continue
        // Another caller may have to do to a record what its own must not.
        for (const other of otherKeys) {
          const sent = await send(other)
          if ([401, 403, 404].includes(sent.reply.status)) continue
          keyOf.choose(endpoint, other)
          exchange = sent
          break
        }
        // A request that was taken all the same has changed them. What was declined may be for one that is gone.
        const { status } = exchange.reply
        const isDeclined = status >= 400 && status < 500
        if (isDeclined) prepared.delete(endpoint)
        for (const [parameter, use] of uses)
          if (use === 'names' ? isDeclined : status < 400 && sending.isToBeRefused)
            lanes.forget(parameter, use)
        return { ...exchange, drawn }
      }
    },
    /**
     * Sends requests until one is taken; after some tries gives the last one.
     * @param draw makes them; default: the least that a request must hold, and soon the simplest after failures and in a
     *   document of others
     */
    async taken(
      endpoint: Endpoint,
      draw = (attempt: number, failures: number) => session.inTurns(endpoint, attempt, failures),
      sending?: (attempt: number) => Sending,
    ): Promise<Exchange> {
      let failures = 0
      for (let attempt = 1; ; attempt++) {
        const exchange = await session.exchange(endpoint, draw(attempt, failures), sending?.(attempt))
        const { status } = exchange.reply
        if (status >= 500) failures++
        // Whom the service does not know, it does not know with another request either. A failure, which is reported, may be
        // that of one odd value.
        const isOver = status < 400 || status === 401 || failures === fewTries
        const isUnmade = status === 404 && namesIn(endpoint).some(name => !contract.makers.has(name))
        const mayBeState = !contract.guided && status >= 400 && status < 500 && (status !== 404 || isUnmade)
        if (!isOver && mayBeState && attempt === stubborn && (world.hands.writes || isSafe(endpoint.method)))
          await reach(session, endpoint)
        if (isOver || attempt === (contract.guided ? tries : fewTries)) return exchange
      }
    },
    /**
     * A request for an attempt: each other one has the simplest values after a failure, or in a document of others after
     * two refusals.
     */
    inTurns(endpoint: Endpoint, attempt: number, failures = 0, draw = () => session.least(endpoint)): Draft {
      const isSimple = contract.guided
        ? failures > 0 && attempt % 2 === 0
        : attempt > surprising && attempt % 2 === 1
      return isSimple ? session.simple(endpoint) : draw()
    },
    /** Has each request that some work sends followed up in full. */
    async thoroughly(work: () => Promise<void>): Promise<void> {
      await (history ? history.thoroughly(work) : work())
    },
    /** Holds all lists against all that was made and removed. */
    async conclude(): Promise<void> {
      for (const { endpoint, message } of (await history?.conclude()) ?? []) report.add(endpoint, message)
    },
    /**
     * Makes a new record of those that a path parameter names; finds one where requests must not write.
     * @param draw makes the requests for it; the least that they must hold, unless told
     */
    async make(parameter: string, draw?: (maker: Endpoint) => Draft): Promise<Stored> {
      const maker = contract.makers.get(parameter)
      if (!maker) throw new Unreachable(`No operation makes what {${parameter}} names`)
      if (!world.hands.writes) return find(parameter, contract.kindOf(parameter)?.path ?? maker.path)
      const outer = making.getStore() ?? []
      if (outer.includes(parameter))
        throw new Unreachable(`${maker.id} needs a {${parameter}}, which nothing else makes`)
      const made = await making.run([...outer, parameter], () =>
        session.taken(maker, (attempt, failures) =>
          session.inTurns(maker, attempt, failures, draw && (() => draw(maker))),
        ),
      )
      const id = await learnt(maker, made)
      const { status, body } = made.reply
      // A wrong status is told, and the record is there all the same.
      const isMade = contract.guided ? status === maker.success : status >= 200 && status < 300
      if (isMade && id !== undefined) return { id, body }
      const why =
        isMade && !contract.guided ? 'no property of its reply leads to what it made' : 'it makes no record'
      throw new Unreachable([why, ...made.faults].join('; '), made)
    },
  }
  return session

  /** A record in the state that an operation asks for. Requests that only name it share one, until one is declined. */
  async function preparedFor(endpoint: Endpoint, preparation: Preparation, use: Use): Promise<Stored> {
    const shared = use === 'names' ? prepared.get(endpoint) : undefined
    const record = shared ?? (await makePrepared(session, preparation))
    if (use === 'names') prepared.set(endpoint, record)
    return record
  }

  /** A request about a record below the one that it was made below, where no other one is asked for. */
  function withParents(drawn: Draft, identified: Draft, endpoint: Endpoint): Draft {
    const names = namesIn(endpoint)
    if (names.length < 2) return identified
    const path = { ...identified.path }
    for (const name of names.toReversed())
      for (const [parent, id] of Object.entries(sender.pathOf(name, path[name])))
        if (drawn.path[parent] instanceof Reference) path[parent] = id
    return { ...identified, path }
  }

  /** How a request treats a record that it refers to, as far as the document's effects say. */
  function useOf(endpoint: Endpoint, parameter: string, { isToBeRefused = false }: Sending): Use {
    const { method, path } = endpoint
    if (isSafe(method) || isToBeRefused) return 'reads'
    const isOfPath = path.includes(`{${parameter}}`)
    const isChanged = effectsOf(endpoint).some(({ of, becomes }) => becomes && parameter in of)
    if ((declaresEffects(contract) || !contract.guided) && !isOfPath && !isChanged) return 'names'
    return method === 'DELETE' ? 'removes' : 'changes'
  }

  /** A PUT that makes a record, under a name that nobody else has: it would replace that one. @throws LeftOut */
  async function withFreeName(endpoint: Endpoint, draft: Draft): Promise<Draft> {
    const { makes, method } = endpoint
    if (method !== 'PUT' || makes === undefined) return draft
    let named = draft
    for (let attempt = 0; attempt < fewTries; attempt++) {
      if (sender.isMade(makes, named.path[makes])) return named
      const { url } = toWire(endpoint, { path: named.path, query: {}, header: {} })
      const { status } = await world.send({ method: 'GET', url, ...readingAt(url) })
      if ([400, 404, 410, 422].includes(status)) return named
      named = { ...named, path: { ...named.path, [makes]: session.draw(endpoint).path[makes] } }
    }
    throw new LeftOut(`${endpoint.id} would replace records that others have made`)
  }

  /** A request that may change something, with records of the session in place of those that somebody else has made. */
  async function withoutOthers(endpoint: Endpoint, draft: Draft): Promise<Draft> {
    if (world.hands.emptiness) return draft
    const { id, record, method } = endpoint
    const isKnown = record === undefined || contract.makers.has(record) || examples.values.has(record)
    if (/^(PUT|PATCH|DELETE)$/.test(method) && !isKnown && !examples.requests.has(id))
      throw new LeftOut(`${id} needs a {${record}} that the check may change: name one by --examples`)
    const createWith = async (values: Record<string, unknown>) => {
      const entries = Object.entries(values).map(async ([name, value]) => {
        const parameter = contract.referenceIn(endpoint, name)
        const isPlain = typeof value === 'number' || typeof value === 'string'
        if (parameter === undefined || !isPlain || sender.isMade(parameter, value)) return [name, value]
        const url = contract.urlOf(contract.makers.get(parameter)?.path ?? '', parameter, value)
        const { status } = await world.send({ method: 'GET', url, ...readingAt(url) })
        return [name, status < 300 ? (await session.make(parameter)).id : value]
      })
      return Object.fromEntries(await Promise.all(entries))
    }
    const path = await createWith(draft.path)
    return isObject(draft.body) ? { ...draft, path, body: await createWith(draft.body) } : { ...draft, path }
  }

  /**
   * The identifier of a new record, and by which property replies show it, if its name does not tell: that of the same
   * value, or else the one whose value leads to the record.
   */
  async function learnt(maker: Endpoint, made: Exchange): Promise<string | number | undefined> {
    const { makes = '' } = maker
    const { draft, reply, request } = made
    const id = identifierIn(made)
    if (contract.guided || reply.status >= 300 || maker.method === 'PUT') return id
    // A reply to an addition may show the whole record.
    const { [maker.path.split('/').at(-1) ?? '']: items } = recordIn(reply.body)
    if (Array.isArray(items) && Object.values(draft.path).some(above => String(above) === String(id))) {
      const item = identifierIn({ endpoint: maker, reply: { ...reply, headers: {}, body: items.at(-1) } })
      if (item !== undefined) sender.noteMade(makes, item, draft.path)
      return item
    }
    if (identifierIn({ endpoint: maker, reply: { ...reply, headers: {} } }) !== undefined) return id
    const { reader } = contract.kindOf(makes) ?? {}
    const [sent, body] = [recordIn(draft.body), recordIn(reply.body)]
    const [wrapped, ...others] = Object.values(body).filter(isObject)
    const shown = { ...(others.length === 0 && wrapped), ...body }
    const all = Object.entries({ ...sent, ...shown }).filter(([, value]) => canIdentify(maker, value))
    // Those that the service has given come before those that the client has sent.
    const found = all.toSorted(([a], [b]) => Number(a in sent) - Number(b in sent))
    for (const [name, value] of found.slice(0, mostNames)) {
      if (id !== undefined ? String(value) !== String(id) : !reader) continue
      if (id === undefined && !(await leadsTo(request.url, makes, name, value))) continue
      maker.identifiedBy = name
      sender.noteMade(makes, asIdentifier(String(value)), draft.path)
      return asIdentifier(String(value))
    }
    return id
  }

  /** Whether a record is found by a value of one of its properties. */
  async function leadsTo(list: string, parameter: string, name: string, value: unknown): Promise<boolean> {
    const url = contract.urlOf(list.split('?')[0] ?? '', parameter, value)
    const { status, body } = await world.send({ method: 'GET', url, ...readingAt(url) })
    const records = [body, ...Object.values(recordIn(body))].map(recordIn)
    return status < 300 && records.some(record => String(record[name]) === String(value))
  }

  /** The first record of a list. */
  async function find(parameter: string, path: string): Promise<Stored> {
    const [example] = examples.values.get(parameter) ?? []
    if (typeof example === 'string' || typeof example === 'number') return { id: example, body: undefined }
    const list = contract.endpointFor('GET', path)
    const { reply } = list ? await session.ask(list) : {}
    const [body] = itemsIn(reply?.body, path) ?? []
    const id = isObject(body) ? (body[parameter] ?? body[identifier.one]) : undefined
    if (typeof id === 'string' || typeof id === 'number') return { id, body }
    throw new LeftOut(`needs a record of {${parameter}} that is there (--examples), or to write (--yes)`)
  }
}

/** The path parameters of an operation, in their order. */
const namesIn = ({ path }: Endpoint) => [...path.matchAll(/\{([^{}]+)\}/g)].map(match => match[1] ?? '')

const isPlainType = (type: string | undefined) => type === 'integer' || type === 'string'

/** The operation that reads at a URL. */
function readerAt({ endpoints }: Interface, url: string): Endpoint | undefined {
  const path = withoutEnd(url.split('?')[0] ?? '')
  return endpoints.find(
    endpoint =>
      endpoint.method === 'GET' &&
      new RegExp(`^${endpoint.path.replace(/\{[^{}]+\}/g, '[^/]+')}$`).test(path),
  )
}
