import { fields, parameters } from '../conventions.ts'
import { type Endpoint, type Interface, needsNothing, recordUrl } from '../interface.ts'
import type { Draft, WireRequest } from '../requests.ts'
import { pagesFrom, type WireReply } from '../wire.ts'
import type { World } from '../world.ts'
import { createInventory } from './inventory.ts'
import { createRecordModel, type Named, type Seen } from './model.ts'
import { absenceFaults, echoFaults, pointerFaults, recordFaults } from './replies.ts'
import { createVersions, withoutUse } from './versions.ts'

/** How many requests of a kind are followed up in full; of those after them, one in so many. */
const followed = { first: 8, every: 12 }

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
} as const

/**
 * Keeps all that one session has seen of the service. A contradiction is a fault, whichever probe comes upon it.
 * @param headersAt the header fields for reading a URL: those of a caller of its own, whose quota nobody looks at
 * @param usual the key with which most requests are sent; a call with another key may change that key's record
 */
export function createHistory(
  contract: Interface,
  world: World,
  headersAt: (url: string) => Readonly<Record<string, string>>,
  usual: Readonly<Record<string, string>>,
) {
  const { endpoints, makers } = contract
  const versions = createVersions()
  const model = createRecordModel(contract, read)
  const inventory = createInventory(contract, read, world.hands.emptiness === true)
  const kinds = new Map<string, number>()
  const lists = endpoints.filter(
    one => needsNothing(one) && one.parameters.some(({ name }) => name === parameters.cursor),
  )
  /** The last page of each list, from the last time it was read to its end. */
  const tails = new Map<string, string>()
  // A document that tells no effects says nothing of what else a request changes.
  const tellsEffects = endpoints.some(({ operation }) => 'x-effects' in operation)
  const now = () => world.hands.clock?.now() ?? new Date()
  let time = now().getTime()
  let isThorough = false

  async function read(url: string): Promise<WireReply> {
    const reply = await world.send({ method: 'GET', url, headers: { ...headersAt(url) } })
    world.takeLog() // what goes wrong is told of the request that was to be checked
    return reply
  }

  function isFollowed(kind: string): boolean {
    const count = (kinds.get(kind) ?? 0) + 1
    kinds.set(kind, count)
    return isThorough || count <= followed.first || count % followed.every === 0
  }

  /** Takes up faults with the invariant that they break. */
  async function take(
    faults: string[],
    invariant: keyof typeof invariants,
    found: Iterable<string> | AsyncIterable<string>,
  ) {
    for await (const fault of found) faults.push(`${fault} [${invariants[invariant]}]`)
  }

  /** Reads records at all their URLs. */
  async function look(named: readonly Named[], faults: string[]): Promise<Seen> {
    const seen = new Map<string, WireReply>()
    for (const { parameter, id } of named)
      for (const url of contract.readers(parameter).map(reader => recordUrl(reader, id))) {
        if (seen.has(url)) continue
        const reply = await read(url)
        await take(faults, 'versions', versions.note(url, reply))
        seen.set(url, reply)
      }
    return seen
  }

  /** Reads what a refusal may not change: the records that a request names, and the newest of each list. */
  async function snapshot(seen: Seen): Promise<Map<string, string>> {
    const texts = new Map<string, string>()
    for (const [url, { status, text, headers }] of seen)
      texts.set(url, `${status} ${headers.etag ?? ''} ${withoutUse(text)}`)
    for (const { path } of lists) {
      for await (const { url, reply } of pagesFrom(tails.get(path) ?? path, read)) {
        tails.set(path, url)
        texts.set(path, withoutUse(reply.text))
      }
    }
    return texts
  }

  const propertiesShown = (endpoint: Endpoint) => new Set(Object.keys(endpoint.gives.properties ?? {}))

  /** Compares the reply of a write with what is read after it. */
  async function readBack(endpoint: Endpoint, sentTo: string, reply: WireReply, faults: string[]) {
    const { location } = reply.headers
    const url = location ?? sentTo.split('?')[0] ?? ''
    const reader = endpoints.find(
      ({ method, record, path }) =>
        method === 'GET' &&
        record !== undefined &&
        path === (location ? `${endpoint.path}/{${record}}` : endpoint.path),
    )
    if (!reader) return
    const found = await read(url)
    const isGone = endpoint.method === 'DELETE'
    if (!isGone) await take(faults, 'versions', versions.note(url, found))
    if (found.status !== (isGone ? 404 : reader.success))
      faults.push(`it is ${isGone ? 'gone' : 'stored'}, and yet GET ${url} is answered ${found.status}`)
    else if (!isGone) {
      const written = { ...reply, properties: propertiesShown(endpoint) }
      const invariant = recordFaults(written, { ...found, properties: propertiesShown(reader) }, url)
      await take(faults, 'records', invariant)
    }
  }

  /** Sends a write, and looks at what it touches before and after. */
  async function aroundWrite(
    endpoint: Endpoint,
    draft: Draft,
    request: WireRequest,
    send: () => Promise<WireReply>,
  ) {
    const faults: string[] = []
    const lookAt = (named: readonly Named[]) => look(named, faults)
    const isWatched = isFollowed(`${endpoint.id} ${Object.keys(Object(draft.body))}`)
    const before = isWatched ? await model.before(endpoint, draft, lookAt) : undefined
    const earlier = before && (await snapshot(before.seen))
    versions.write()
    const reply = await send()
    const isReplay = reply.headers[fields.replayed] !== undefined
    if (reply.status >= 500 || world.isDisturbed()) return { reply, faults }
    if (reply.status < 400) {
      inventory.note(endpoint, draft, reply)
      const atOnce = world.hands.clock ? 1_000 : 60_000
      if (!isReplay) await take(faults, 'echoes', echoFaults(contract, endpoint, draft, reply, now(), atOnce))
      if (isFollowed(`${endpoint.id} ${reply.status}`)) {
        await readBack(endpoint, request.url, reply, faults)
        await lookAt(model.namedBy(endpoint, draft))
      }
      if (before && tellsEffects) await take(faults, 'effects', model.faults(endpoint, before, reply, lookAt))
      return { reply, faults }
    }
    if (before && earlier) {
      await take(faults, 'codes', model.refusalFaults(endpoint, before, reply))
      await take(faults, 'refusals', differences(earlier, await snapshot(await lookAt(before.named))))
    }
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
    /** Whether each request is followed up in full from now on, or some of them. */
    followAll(on: boolean): void {
      isThorough = on
    },
    /** Reads all lists, and tells where they are not what was made and is left. */
    conclude: async () => (world.isDisturbed() ? [] : inventory.conclude()),
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
      if (now().getTime() !== time || !isUsual) versions.write()
      time = now().getTime()
      const isRead = /^(GET|HEAD|OPTIONS)$/.test(request.method)
      if (!isRead && !world.isDisturbed()) return aroundWrite(endpoint, draft, request, send)
      const reply = await send()
      if (!isRead && reply.status < 400) inventory.note(endpoint, draft, reply)
      if (world.isDisturbed()) return { reply, faults: [] }
      const faults: string[] = []
      const isLasting = makers.has(endpoint.record ?? '')
      await take(faults, 'versions', versions.note(request.url, reply, isLasting))
      return { reply, faults }
    },
  }
}

function* differences(one: ReadonlyMap<string, string>, other: ReadonlyMap<string, string>) {
  const brief = (text = 'nothing') => (text.length > 160 ? `${text.slice(0, 160)}…` : text)
  for (const [url, text] of other)
    if (one.has(url) && one.get(url) !== text)
      yield `it was refused, but GET ${url} changes from ${brief(one.get(url))} to ${brief(text)}`
}
