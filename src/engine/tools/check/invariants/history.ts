import { AsyncLocalStorage } from 'node:async_hooks'
import { isDeepStrictEqual } from 'node:util'
import { fields, parameters } from '../../records/conventions.ts'
import {
  type Endpoint,
  type Interface,
  needsNothing,
  recordParameters,
  recordUrl,
} from '../../records/interface.ts'
import type { Draft, WireReply, WireRequest } from '../../records/messages.ts'
import { createRecordModel, type Named, type Seen } from '../../records/model.ts'
import type { Coverage } from '../coverage.ts'
import type { Credential } from '../keys.ts'
import type { createLanes } from '../lanes.ts'
import { declaresEffects, declaresField } from '../promises.ts'
import { identifierIn } from '../sending.ts'
import type { Turns } from '../turns.ts'
import { pagesFrom } from '../wire.ts'
import type { World } from '../world.ts'
import { createInventory } from './inventory.ts'
import { absenceFaults, echoFaults, pointerFaults, recordFaults } from './replies.ts'
import { createVersions, withoutUse } from './versions.ts'

interface Rate {
  first: number
  every: number
}

/**
 * How many requests of a kind are followed up in full; of those after them, one in so many. A running service takes its
 * time for each, and another run draws other requests. Of the service of a document of others, less is read each time.
 * A look at whole lists takes most, as nothing else may be done meanwhile.
 */
const followed = {
  own: { first: 8, every: 12, lists: { first: 8, every: 12 } },
  running: { first: 1, every: 20, lists: { first: 1, every: 60 } },
  ofOthers: { first: 8, every: 3, lists: { first: 8, every: 3 } },
} satisfies Record<string, Rate & { lists: Rate }>

/** The name of each invariant in a fault. */
export const invariants = {
  versions: 'an ETag stands for one content, and nothing changes without a write',
  records: 'the next read shows what the write answered',
  refusals: 'a refused request changes nothing',
  absences: 'a record that is not found can’t be read',
  effects: 'records become what the body and x-effects say, and everything else stays',
  codes: 'a code comes where x-effects has it, and only there',
  pointers: 'a refusal points at a value of the body, and a record that it calls missing is missing',
  echoes: 'the reply to a write shows what the client sent',
  kept: 'replies show what clients send, and defaults of what they leave out',
} as const

/**
 * Keeps all that one session has seen of the service. A contradiction is a fault, whichever probe comes upon it.
 * @param credentialAt the credentials for reading a URL: those of a caller of its own, whose quota nobody looks at
 * @param keptFaults follows properties through all sessions
 * @param turns writes beside each other, but for those that look at whole lists
 * @param lanes keep what was read after a write for the next one, of a service that runs elsewhere
 * @param usual the key with which most requests are sent; a call with another key may change that key's record
 */
export function createHistory(
  contract: Interface,
  world: World,
  credentialAt: (url: string) => Credential,
  usual: Readonly<Record<string, string>>,
  keptFaults: Coverage['keptFaults'],
  turns: Turns,
  lanes: ReturnType<typeof createLanes>,
) {
  const { endpoints, makers } = contract
  const versions = createVersions()
  const model = createRecordModel(contract, read)
  const inventory = createInventory(contract, read, world.hands.emptiness === true)
  const kinds = new Map<string, number>()
  const lists = endpoints.filter(
    endpoint => needsNothing(endpoint) && endpoint.parameters.some(({ name }) => name === parameters.cursor),
  )
  /** The last page of each list, from the last time it was read to its end. */
  const tails = new Map<string, string>()
  // A document that tells no effects says nothing of what else a request changes, nor one without ETags of versions.
  const isTold = declaresEffects(contract)
  const hasEffects = endpoints.some(({ operation }) => 'x-effects' in operation)
  const isVersioned = contract.guided || endpoints.some(endpoint => declaresField(endpoint, 'etag'))
  const now = () => world.hands.clock?.now() ?? new Date()
  // By this project’s guide nothing ends by itself within a second. Reading may change a record of others.
  const moment = () => Math.floor(now().getTime() / (world.hands.clock || !contract.guided ? 1 : 1_000))
  let time = moment()
  let isThorough = false
  const thoroughly = new AsyncLocalStorage<true>()

  async function read(url: string): Promise<WireReply> {
    const reply = await world.send({ method: 'GET', url, ...credentialAt(url) })
    world.takeLog() // what goes wrong is told of the request that was to be checked
    return reply
  }

  const rate = !contract.guided ? followed.ofOthers : world.hands.emptiness ? followed.own : followed.running
  function isSampled(kind: string, { first, every }: Rate = rate): boolean {
    const count = (kinds.get(kind) ?? 0) + 1
    kinds.set(kind, count)
    return count <= first || count % every === 0
  }
  /** Requests of one kind send the same properties; to a running service, all that send several are of one. */
  function kindOf({ id }: Endpoint, { body }: Draft): string {
    const names = Object.keys(Object(body))
    return `${id} ${rate === followed.running && names.length > 1 ? 'several' : names}`
  }
  const isFollowed = (kind: string) => isSampled(kind) || isThorough || thoroughly.getStore() === true

  /** Takes up faults with the invariant that they break. */
  async function take(
    faults: string[],
    invariant: keyof typeof invariants,
    found: Iterable<string> | AsyncIterable<string>,
  ) {
    for await (const fault of found) faults.push(`${fault} [${invariants[invariant]}]`)
  }

  /** Replies that were read before or after a write, by their URLs. Nobody writes until all is read, so each is read once. */
  type Fresh = Map<string, WireReply>

  async function readOnce(url: string, fresh: Fresh): Promise<WireReply> {
    const reply = fresh.get(url) ?? (await read(url))
    fresh.set(url, reply)
    return reply
  }

  /** Reads records at all their URLs. */
  async function look(named: readonly Named[], faults: string[], fresh: Fresh): Promise<Seen> {
    const urls = new Set(
      named.flatMap(({ parameter, id }) => contract.readers(parameter).map(reader => recordUrl(reader, id))),
    )
    const since = versions.settled() ?? -1
    const seen = new Map(await atOnce(urls, async url => [url, await readOnce(url, fresh)] as const))
    for (const [url, reply] of isVersioned ? seen : [])
      await take(faults, 'versions', versions.note(url, reply, true, since))
    return seen
  }

  /** Reads what a refusal may not change: the records that a request names, and the newest of each list. */
  async function snapshot(seen: Seen, targets: readonly Endpoint[]): Promise<Map<string, string>> {
    const texts = new Map<string, string>()
    for (const [url, { status, text, headers }] of seen)
      texts.set(url, `${status} ${headers.etag ?? ''} ${withoutUse(text)}`)
    const lasts = await atOnce(targets, async ({ path }) => {
      let text = ''
      for await (const { url, reply } of pagesFrom(tails.get(path) ?? path, read)) {
        tails.set(path, url)
        text = withoutUse(reply.text)
      }
      return [path, text] as const
    })
    return new Map([...texts, ...lasts])
  }

  const propertiesShown = (endpoint: Endpoint) => new Set(Object.keys(endpoint.gives.properties ?? {}))

  /** The properties that a client has sent, and that a reply to it shows as they were sent. */
  const propertiesKept = ({ body: sent }: Draft, { body }: WireReply) =>
    new Set(
      Object.keys(Object(sent)).filter(name => isDeepStrictEqual(Object(sent)[name], Object(body)[name])),
    )

  /** The place of the record that a write has made or changed; undefined where it can't be known. */
  function placeOf(endpoint: Endpoint, sentTo: string, reply: WireReply): string | undefined {
    const { location } = reply.headers
    if (contract.guided) return location ?? sentTo.split('?')[0]
    if (endpoint.method !== 'POST') return sentTo.split('?')[0]
    const id = identifierIn({ endpoint, reply })
    return id === undefined ? undefined : contract.urlOf(sentTo.split('?')[0] ?? '', endpoint.makes, id)
  }

  /** Compares the reply of a write with what is read after it. */
  async function readBack(
    endpoint: Endpoint,
    draft: Draft,
    sentTo: string,
    reply: WireReply,
    faults: string[],
    fresh: Fresh,
  ) {
    const url = placeOf(endpoint, sentTo, reply)
    const isNew = contract.guided ? reply.headers.location !== undefined : endpoint.method === 'POST'
    const reader =
      (isNew && !contract.guided && contract.kindOf(endpoint.makes)?.reader) ||
      endpoints.find(
        ({ method, record, path }) =>
          method === 'GET' &&
          record !== undefined &&
          path === (isNew ? `${endpoint.path}/{${record}}` : endpoint.path),
      )
    if (!contract.guided && isNew && recordParameters(contract, endpoint).size > 1) return
    // A 202 accepts work that is done later (RFC 9110, section 15.3.3).
    if (!reader || url === undefined || reply.status === 202) return
    const isGone = endpoint.method === 'DELETE'
    if (!contract.guided && isGone && !reader.statuses.some(status => status === 404 || status === 410))
      return
    const found = await readOnce(url, fresh)
    if (!isGone && isVersioned) await take(faults, 'versions', versions.note(url, found))
    const { location = '' } = reply.headers
    const shownId =
      isNew && !contract.guided ? identifierIn({ endpoint, reply: { ...reply, headers: {} } }) : undefined
    const ownUrl =
      shownId === undefined ? url : contract.urlOf(sentTo.split('?')[0] ?? '', endpoint.makes, shownId)
    if (reply.status === 201 && ownUrl !== url && found.status >= 400 && found.status < 500) {
      const { status } = await readOnce(ownUrl, fresh)
      if (status < 300)
        faults.push(`its Location ${location} is answered ${found.status}, and GET ${ownUrl} ${status}`)
    }
    const isLost = contract.guided
      ? found.status !== (isGone ? 404 : reader.success)
      : isGone
        ? found.status < 300 || found.status >= 500
        : found.status === 404 || found.status === 410 || found.status >= 500
    if (isLost)
      faults.push(`it is ${isGone ? 'gone' : 'stored'}, and yet GET ${url} is answered ${found.status}`)
    else if (!isGone && found.status < 300) {
      // For a 201 it leads to what was made (RFC 9110, section 10.2.2).
      if (
        !contract.guided &&
        isNew &&
        reply.status === 201 &&
        /^\/(?!\/)/.test(location) &&
        location !== url
      ) {
        const { status } = await readOnce(location, fresh)
        if (status === 404 || status === 410)
          faults.push(`its Location ${location} is answered ${status}, and GET ${url} ${found.status}`)
      }
      const shown = contract.guided ? propertiesShown(endpoint) : propertiesKept(draft, reply)
      const written = { ...reply, ...(!contract.guided && { headers: {} }), properties: shown }
      const invariant = recordFaults(written, { ...found, properties: propertiesShown(reader) }, url)
      await take(faults, 'records', invariant)
    }
  }

  /** Sends a write, and looks at what it touches before and after: alone where that is in whole lists. */
  function aroundWrite(
    endpoint: Endpoint,
    draft: Draft,
    request: WireRequest,
    send: () => Promise<WireReply>,
  ) {
    const isWatched = isFollowed(kindOf(endpoint, draft)) && isTold
    const near = isWatched && isSampled(`lists beside ${endpoint.id}`, rate.lists) ? lists : []
    const write = () => watchedWrite(endpoint, draft, request, send, isWatched, near)
    return near.length > 0 ? turns.alone(write) : turns.beside(write)
  }

  async function watchedWrite(
    endpoint: Endpoint,
    draft: Draft,
    request: WireRequest,
    send: () => Promise<WireReply>,
    isWatched: boolean,
    near: readonly Endpoint[],
  ) {
    const faults: string[] = []
    const isRunning = rate === followed.running
    const [earlierReplies, laterReplies]: [Fresh, Fresh] = [
      new Map(isRunning ? lanes.reads() : []),
      new Map(),
    ]
    const lookBefore = (named: readonly Named[]) => look(named, faults, earlierReplies)
    const lookAfter = (named: readonly Named[]) => look(named, faults, laterReplies)
    const before = isWatched ? await model.before(endpoint, draft, lookBefore) : undefined
    const earlier = before && (await snapshot(before.seen, near))
    const reply = await versions.writing(send)
    const isReplay = reply.headers[fields.replayed] !== undefined
    if (reply.status >= 500 || world.isDisturbed()) return { reply, faults }
    if (reply.status < 400) {
      inventory.note(endpoint, draft, reply)
      const soon = world.hands.clock ? 1_000 : 60_000
      if (!isReplay && isTold)
        await take(faults, 'echoes', echoFaults(contract, endpoint, draft, reply, now(), soon, request.body))
      if (!isTold) await take(faults, 'kept', keptFaults(endpoint, draft, reply))
      if (isFollowed(`${endpoint.id} ${reply.status}`)) {
        await readBack(endpoint, draft, request.url, reply, faults, laterReplies)
        if (isTold) await lookAfter(model.namedBy(endpoint, draft))
      }
      if (before && hasEffects)
        await take(faults, 'effects', model.faults(endpoint, before, reply, lookAfter))
      lanes.keepReads(laterReplies)
      return { reply, faults }
    }
    if (before && earlier) {
      await take(faults, 'codes', model.refusalFaults(endpoint, before, reply))
      await take(
        faults,
        'refusals',
        differences(earlier, await snapshot(await lookAfter(before.named), near)),
      )
      lanes.keepReads(laterReplies)
    }
    if (!contract.guided) return { reply, faults }
    if (!isReplay) await take(faults, 'pointers', pointerFaults(contract, endpoint, draft, reply, read))
    await take(faults, 'absences', absenceFaults(contract, endpoint, draft, reply, read))
    return { reply, faults }
  }

  return {
    /** Takes note of a reply that came together with others: what had been read before counts no more. */
    note(endpoint: Endpoint, draft: Draft, reply: WireReply): void {
      versions.write()
      if (reply.status < 400) inventory.note(endpoint, draft, reply)
    },
    /** Follows each request up in full from now on. */
    followAll(): void {
      isThorough = true
    },
    /** Follows each request up in full that some work sends. */
    thoroughly: <T>(work: () => Promise<T>): Promise<T> => thoroughly.run(true, work),
    /** Reads all lists, and tells where they are not what was made and is left. */
    conclude: async () => (world.isDisturbed() || !contract.guided ? [] : inventory.conclude()),
    /**
     * Sends a request, and holds its reply against all that was read before and is read after it.
     * @returns the reply, and what contradicts it, in words
     */
    async around(
      endpoint: Endpoint,
      draft: Draft,
      request: WireRequest,
      send: () => Promise<WireReply>,
    ): Promise<{ reply: WireReply; faults: string[] }> {
      const isUsual = Object.entries(usual).every(([name, value]) => request.headers[name] === value)
      // Some facts in a reply end by themselves, and a caller who is refused may be banned, which is shown.
      if (moment() !== time || !isUsual) versions.write()
      time = moment()
      const isRead = /^(GET|HEAD|OPTIONS)$/.test(request.method)
      if (!isRead && !world.isDisturbed()) return aroundWrite(endpoint, draft, request, send)
      const since = versions.settled()
      const reply = await send()
      if (!isRead && reply.status < 400) inventory.note(endpoint, draft, reply)
      if (world.isDisturbed()) return { reply, faults: [] }
      const faults: string[] = []
      const isLasting = makers.has(endpoint.record ?? '')
      if (isVersioned)
        await take(faults, 'versions', versions.note(request.url, reply, isLasting, since ?? -1))
      return { reply, faults }
    },
  }
}

/** Does the same with each of some at once. @returns what came of it, in their order */
const atOnce = <Of, To>(all: Iterable<Of>, work: (item: Of) => Promise<To>): Promise<To[]> =>
  Promise.all([...all].map(work))

function* differences(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>) {
  const brief = (text = 'nothing') => (text.length > 160 ? `${text.slice(0, 160)}…` : text)
  for (const [url, text] of after)
    if (before.has(url) && before.get(url) !== text)
      yield `it was refused, but GET ${url} changes from ${brief(before.get(url))} to ${brief(text)}`
}
