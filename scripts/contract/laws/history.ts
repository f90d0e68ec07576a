import { isObject } from '../../../src/document/pointer.ts'
import { fields, parameters } from '../conventions.ts'
import { type Endpoint, type Interface, requiredQuery, shapeOfSuccess } from '../interface.ts'
import type { Draft, WireRequest } from '../requests.ts'
import { nextPage, type WireReply } from '../wire.ts'
import type { World } from '../world.ts'
import { createInventory } from './inventory.ts'
import { createRecordModel } from './model.ts'
import { recordFaults } from './records.ts'
import { absenceFaults, echoFaults, pointerFaults } from './replies.ts'
import { createVersions, withoutUse } from './versions.ts'

/** How many requests of a kind are followed up in full; of those after them, one in so many. */
const followed = { first: 8, every: 12 }

/** What the laws are called where one of them is broken. */
const laws = {
  versions: 'an ETag stands for one content, and nothing changes without a write',
  records: 'what a write answers is what is read next',
  refusals: 'what is refused changes nothing',
  absences: 'what is not found is not there',
  effects: 'records become what the body and x-effects say, and all else stays',
  codes: 'a code is answered where x-effects has it, and there alone',
  pointers: 'what a refusal points at is there, and what it calls missing is',
  echoes: 'what a write shows is what it was sent',
} as const

/** Faults with the law that they break. */
function* under(law: keyof typeof laws, faults: Iterable<string>): Generator<string> {
  for (const fault of faults) yield `${fault} [${laws[law]}]`
}

/** A request to an operation and its reply. */
interface Exchanged {
  endpoint: Endpoint
  draft: Draft
  request: WireRequest
  reply: WireReply
}

/** All that one session has seen of the service: what contradicts it is a fault, whichever probe comes upon it. */
export interface History {
  /**
   * Sends a request, and holds its reply against all that was read before and is read after it.
   * @returns the reply, and what contradicts it, in words
   */
  around(
    endpoint: Endpoint,
    draft: Draft,
    request: WireRequest,
    send: () => Promise<WireReply>,
  ): Promise<{ reply: WireReply; faults: string[] }>
  /** Takes note of a reply that came together with others: what had been read before counts no more. */
  note(endpoint: Endpoint, draft: Draft, reply: WireReply): void
  /** Whether each request is followed up in full from now on, or some of them. */
  followAll(on: boolean): void
  /** Reads all lists, and tells where they are not what was made and is left. */
  conclude(): Promise<{ endpoint: Endpoint; message: string }[]>
}

/**
 * @param headersAt with which it reads at a URL: those of a caller of its own, whose quota nobody looks at
 * @param usual the key with which most requests are sent: who calls with another one may be changed by the call itself
 */
export function createHistory(
  contract: Interface,
  world: World,
  headersAt: (url: string) => Readonly<Record<string, string>>,
  usual: Readonly<Record<string, string>>,
): History {
  const { endpoints, makers } = contract
  const versions = createVersions()
  const kinds = new Map<string, number>()
  let isThorough = false
  const readersOf = (parameter: string) =>
    endpoints.filter(({ method, record }) => method === 'GET' && record === parameter)
  const lists = endpoints.filter(
    endpoint =>
      endpoint.method === 'GET' &&
      !endpoint.path.includes('{') &&
      endpoint.parameters.some(({ name }) => name === parameters.cursor) &&
      requiredQuery(endpoint).length === 0,
  )
  /** Where each list went on when it was last read to its end. */
  const tails = new Map<string, string>()

  async function read(url: string): Promise<WireReply> {
    const reply = await world.send({ method: 'GET', url, headers: { ...headersAt(url) } })
    world.takeLog() // what goes wrong is told of the request that was to be checked
    return reply
  }

  // A document that tells no effects says nothing of what else a request changes.
  const tellsEffects = endpoints.some(({ operation }) => 'x-effects' in operation)
  const model = createRecordModel(contract, async (url, faults) => {
    const reply = await read(url)
    faults.push(...under('versions', versions.note(url, reply)))
    return reply
  })
  const inventory = createInventory(contract, read, world.hands.emptiness === true)

  /** The URLs at which what a request names can be read. */
  function named(draft: Draft, endpoint: Endpoint): string[] {
    const urls = new Set<string>()
    const add = (parameter: string, id: unknown) => {
      for (const { path } of readersOf(parameter))
        urls.add(path.replace(`{${parameter}}`, encodeURIComponent(String(id))))
    }
    for (const [name, value] of [...Object.entries(draft.path), ...propertiesOf(draft.body)]) {
      const parameter = contract.referenceIn(endpoint, name)
      if (parameter !== undefined && /^(string|number)$/.test(typeof value)) add(parameter, value)
    }
    return [...urls]
  }

  /** What can be read of all that a request names, and of the newest records of each kind. */
  async function snapshot(urls: readonly string[], faults: string[]): Promise<Map<string, string>> {
    const seen = new Map<string, string>()
    for (const url of urls) {
      const reply = await read(url)
      const { status, text, headers } = reply
      faults.push(...under('versions', versions.note(url, reply)))
      seen.set(url, `${status} ${headers.etag ?? ''} ${withoutUse(text)}`)
    }
    for (const { path } of lists) {
      let url: string | undefined = tails.get(path) ?? path
      while (url !== undefined) {
        const reply = await read(url)
        tails.set(path, url)
        seen.set(path, withoutUse(reply.text))
        url = nextPage(url, reply)
      }
    }
    return seen
  }

  const now = () => world.hands.clock?.now() ?? new Date()
  let time = now().getTime()
  /** What was read since the newest change, and of what. */
  let known: { urls: string; seen: Map<string, string> } | undefined

  async function before(urls: readonly string[], faults: string[]): Promise<Map<string, string>> {
    const key = `${now().getTime()} ${urls.join()}`
    if (known?.urls !== key) known = { urls: key, seen: await snapshot(urls, faults) }
    return known.seen
  }

  function* differences(one: ReadonlyMap<string, string>, other: ReadonlyMap<string, string>) {
    for (const [url, text] of other)
      if (one.get(url) !== text)
        yield `it was refused, and yet GET ${url} changes from ${brief(one.get(url))} to ${brief(text)}`
  }

  function isFollowed(kind: string): boolean {
    const count = (kinds.get(kind) ?? 0) + 1
    kinds.set(kind, count)
    return isThorough || count <= followed.first || count % followed.every === 0
  }

  /** What a write has said, against what is read after it. */
  async function* afterWrite(exchanged: Exchanged, urls: readonly string[]): AsyncGenerator<string> {
    const { endpoint, request, reply } = exchanged
    const [path = ''] = request.url.split('?')
    const url = reply.headers.location ?? path
    const reader = endpoints.find(
      ({ method, record, path: own }) =>
        method === 'GET' &&
        record !== undefined &&
        own === (reply.headers.location ? `${endpoint.path}/{${record}}` : endpoint.path),
    )
    if (reader && endpoint.method === 'DELETE') {
      const gone = await read(url)
      if (gone.status !== 404) yield `it is gone, and yet GET ${url} is answered ${gone.status}`
    } else if (reader) {
      const found = await read(url)
      yield* under('versions', versions.note(url, found))
      if (found.status !== reader.success)
        yield `it is stored, and yet GET ${url} is answered ${found.status}`
      else
        yield* under(
          'records',
          recordFaults(
            { body: reply.body, tag: reply.headers.etag, properties: propertiesShown(endpoint) },
            { body: found.body, tag: found.headers.etag, properties: propertiesShown(reader) },
            url,
          ),
        )
    }
    for (const other of urls)
      if (other !== url) yield* under('versions', versions.note(other, await read(other)))
  }

  function propertiesShown(endpoint: Endpoint): ReadonlySet<string> {
    return new Set(Object.keys(shapeOfSuccess(contract.model, endpoint).properties ?? {}))
  }

  const isUsual = ({ headers: sent }: WireRequest) =>
    Object.entries(usual).every(([name, value]) => sent[name] === value)
  const isRecord = ({ record }: Endpoint) => record !== undefined && makers.has(record)

  return {
    note(endpoint, draft, reply) {
      versions.write()
      known = undefined
      if (reply.status < 400) inventory.note(endpoint, draft, reply)
    },
    followAll(on) {
      isThorough = on
    },
    conclude: () => (world.isDisturbed() ? Promise.resolve([]) : inventory.conclude()),
    async around(endpoint, draft, request, send) {
      // Some of what is told ends by itself.
      if (now().getTime() !== time) versions.write()
      time = now().getTime()
      if (!isUsual(request)) {
        versions.write()
        known = undefined // to be refused may ban it, which is shown
      }
      const isRead = /^(GET|HEAD|OPTIONS)$/.test(request.method)
      if (world.isDisturbed()) {
        const reply = await send()
        if (reply.status < 400) inventory.note(endpoint, draft, reply)
        return { reply, faults: [] }
      }
      if (isRead) {
        const reply = await send()
        if (world.isDisturbed()) return { reply, faults: [] }
        const isLasting = isRecord(endpoint)
        return { reply, faults: [...under('versions', versions.note(request.url, reply, isLasting))] }
      }
      const urls = named(draft, endpoint)
      const isWatched = isFollowed(`${endpoint.id} before`)
      const faults: string[] = []
      const earlier = isWatched ? await before(urls, faults) : undefined
      const isForetold = isFollowed(`${endpoint.id} ${propertiesOf(draft.body).map(([name]) => name)}`)
      const foretold = isForetold && tellsEffects ? await model.before(endpoint, draft) : undefined
      versions.write()
      const reply = await send()
      if (reply.status >= 500 || world.isDisturbed()) {
        known = undefined
        return { reply, faults }
      }
      if (reply.status >= 400) {
        if (foretold) faults.push(...under('codes', model.refusalFaults(foretold, reply)))
        if (earlier) faults.push(...under('refusals', differences(earlier, await snapshot(urls, faults))))
        if (reply.headers[fields.replayed] === undefined)
          for await (const fault of pointerFaults(contract, endpoint, draft, reply, read))
            faults.push(...under('pointers', [fault]))
        for await (const fault of absenceFaults(contract, endpoint, draft, reply, read))
          faults.push(...under('absences', [fault]))
      } else {
        known = undefined
        inventory.note(endpoint, draft, reply)
        if (reply.headers[fields.replayed] === undefined)
          faults.push(
            ...under(
              'echoes',
              echoFaults(contract, endpoint, draft, reply, now(), world.hands.clock ? 1_000 : 60_000),
            ),
          )
        if (isFollowed(`${endpoint.id} ${reply.status}`))
          for await (const fault of afterWrite({ endpoint, draft, request, reply }, urls)) faults.push(fault)
        if (foretold)
          for await (const fault of model.faults(endpoint, foretold, reply))
            faults.push(...under('effects', [fault]))
      }
      return { reply, faults }
    },
  }
}

const propertiesOf = (body: unknown): [string, unknown][] => (isObject(body) ? Object.entries(body) : [])

const brief = (text = 'nothing') => (text.length > 160 ? `${text.slice(0, 160)}…` : text)
