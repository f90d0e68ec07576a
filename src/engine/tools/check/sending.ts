import { decodeOr } from 'spec-served-document/contract/path-templates'
import { noSegment } from 'spec-served-document/formats/writing'
import { responseFor } from 'spec-served-document/model'
import { isObject, lookUp, pathOf } from 'spec-served-document/pointer'
import { fields, identifier, isSameName, isUsualIdentifier, saneRequestId } from '../records/conventions.ts'
import { type Endpoint, type Interface, isGuided } from '../records/interface.ts'
import { type Body, type Draft, parseJson, type WireReply, type WireRequest } from '../records/messages.ts'
import type { Coverage } from './coverage.ts'
import { createExamination } from './examine.ts'
import type { createHistory } from './invariants/history.ts'
import type { SecondOracle } from './second-oracle.ts'
import { LeftOut, type Report, type Sent, Unreachable } from './summary.ts'
import type { Turns } from './turns.ts'
import { NoReply } from './wire.ts'
import type { World } from './world.ts'

/** Something else in place of a part of a request; a header field that is undefined is left out. */
export interface RequestChange extends Partial<Omit<WireRequest, 'headers'>> {
  headers?: Readonly<Record<string, string | undefined>>
}

/** A request that was sent, what came back, and what of it is not as the document says. */
export interface Exchange {
  endpoint: Endpoint
  /** with references in place of identifiers */
  drawn: Draft
  draft: Draft
  request: WireRequest
  reply: WireReply
  faults: string[]
  /** all that had changed something before, and this exchange, if the faults contradict earlier replies */
  steps?: readonly Exchange[]
}

/** The judges of replies, and the report that takes their findings. */
export interface Judges {
  coverage: Coverage
  report: Report
  /** absent where reading would be in the way */
  history: ReturnType<typeof createHistory> | undefined
  oracle: SecondOracle | undefined
  turns: Turns
}

export const isSafe = (method: string) => /^(GET|HEAD|OPTIONS)$/.test(method)

/** The status whose error every operation declares. */
const errorStatus = 400

/** For how long a service leaves a connection open that nobody uses, at least, in ms. */
const stillOpen = 2_000

/** Sends requests that are ready, and takes note of whatever is wrong with a reply. */
export function createSender(
  contract: Interface,
  world: World,
  { coverage, report, history, oracle, turns }: Judges,
) {
  const examination = createExamination(contract.model, oracle)
  const trace: Exchange[] = []
  const made = new Map<string, Body>()
  let requests = 0
  let connected = { count: 0, at: 0 }
  const takeCauses = () => world.takeLog().map(cause => `the log says: ${cause}`)
  const sender = {
    /** Whether a request has made a record. */
    isMade: (parameter: string, id: unknown) => made.has(`${parameter} ${id}`),
    /** Notes a record that a request has made. @param path of that request */
    noteMade: (parameter: string, id: unknown, path: Body) => void made.set(`${parameter} ${id}`, path),
    /** The path parameters of a record: its own, and those of the records below which it was made. */
    pathOf: (parameter: string, id: unknown): Body => ({
      ...made.get(`${parameter} ${id}`),
      [parameter]: id,
    }),
    /** Sends a request that is ready. */
    async sendRaw(endpoint: Endpoint, request: WireRequest, draft: Draft): Promise<Exchange> {
      const requestId = `check-${++requests}`
      const headers = { [fields.requestId]: requestId, ...request.headers }
      let causes: string[] = []
      const send = async () => {
        const reply = await world.send({ ...request, headers }).catch((error: unknown) => {
          if (!(error instanceof NoReply)) throw error
          if (error.isSlow)
            throw new LeftOut(`${endpoint.id}: ${error.message}, and the server answers nothing else soon`)
          report.add(endpoint, error.message, { request })
          throw new Unreachable(`${endpoint.id} has no reply`)
        })
        causes = takeCauses()
        return reply
      }
      const { reply, faults } = history
        ? await history.around(endpoint, draft, request, send)
        : { reply: await send(), faults: [] }
      coverage.note(endpoint, reply)
      const exchange: Exchange = { endpoint, drawn: draft, draft, request, reply, faults: causes }
      // A fault that the service itself logs explains the reply.
      if (causes.length === 0)
        exchange.faults = [
          ...(await examination.reply(endpoint, request, reply)),
          ...secretFaults(request, reply, contract.guided),
          ...(contract.guided ? [] : coverage.formulaFaults(endpoint, reply)),
          ...(isGuided(contract.model) ? idFaults(endpoint, reply, headers[fields.requestId] ?? '') : []),
          ...faults,
        ]
      if (faults.length > 0) exchange.steps = [...trace, exchange]
      if (!isSafe(request.method) && reply.status < 400) trace.push(exchange)
      const id = identifierIn(exchange)
      if (id !== undefined) made.set(`${endpoint.makes} ${id}`, draft.path)
      report.note(exchange)
      return exchange
    },
    /** Sends a request again, with a part of it changed. */
    again: (exchange: Exchange, change: RequestChange = {}) =>
      sender.sendRaw(exchange.endpoint, changed(exchange.request, change), draftOf(exchange, change)),
    /** The same where the reply is not judged in itself: of another method, or in a coding. */
    async glance(exchange: Exchange, change: RequestChange): Promise<Exchange> {
      const request = changed(exchange.request, change)
      const reply = await world.send(request)
      return { ...exchange, request, reply, faults: takeCauses() }
    },
    /** Judges a reply that was glanced at by the document. */
    async judge(exchange: Exchange): Promise<void> {
      const faults = await examination.reply(exchange.endpoint, exchange.request, exchange.reply)
      report.note({ ...exchange, faults: [...exchange.faults, ...faults] })
    },
    /** Sends what need not belong to any operation. */
    async send(method: string, url: string, headers: Record<string, string> = {}): Promise<Sent> {
      const request = { method, url, headers }
      return { request, reply: await world.send(request) }
    },
    /** Sends requests that are ready at once. @param servers take turns */
    sendAtOnce: (
      ready: readonly Pick<Exchange, 'endpoint' | 'draft' | 'request'>[],
      servers: readonly Pick<World, 'send'>[] = [world],
    ): Promise<Exchange[]> => turns.beside(() => sendTogether(ready, servers)),
    /** Returns the faults of an error outside any operation, by the document's form of errors. */
    examineError(reply: WireReply): string[] {
      const some = contract.endpoints.find(({ statuses }) => statuses.includes(errorStatus))
      if (!some) return ['the document has no error']
      // An error is an error, whoever answers: the one of an invalid request stands for all.
      coverage.note(some, { ...reply, status: errorStatus })
      return examination.error(some, reply)
    },
  }
  return sender

  async function sendTogether(
    ready: readonly Pick<Exchange, 'endpoint' | 'draft' | 'request'>[],
    servers: readonly Pick<World, 'send'>[],
  ): Promise<Exchange[]> {
    const send = async (item: (typeof ready)[number], index: number) => {
      const server = servers[index % servers.length] ?? world
      return { ...item, reply: await server.send(item.request) }
    }
    const connect = ({ request: { url } }: (typeof ready)[number]) =>
      world.send({ method: 'OPTIONS', url, headers: {} })
    // With so many connections they come at once. A connection that was used just now is still open.
    if (ready.length > connected.count || Date.now() - connected.at > stillOpen)
      await Promise.all(ready.map(connect))
    const sent = await Promise.all(ready.map(send))
    connected = { count: ready.length, at: Date.now() }
    const causes = takeCauses()
    // The log does not say which of them has failed. The replies do.
    const isFailed = ({ reply }: Pick<Exchange, 'reply'>) => reply.status >= 500
    const exchanges: Exchange[] = []
    for (const exchange of sent) {
      history?.note(exchange.endpoint, exchange.draft, exchange.reply)
      const ownCauses = isFailed(exchange) || !sent.some(isFailed) ? causes : []
      const faults = [
        ...ownCauses,
        ...(await examination.reply(exchange.endpoint, exchange.request, exchange.reply)),
      ]
      exchanges.push({ ...exchange, drawn: exchange.draft, faults })
    }
    for (const exchange of exchanges) report.note(exchange)
    return exchanges
  }
}

/**
 * The draft of a request of which a part is changed: its values are those that are really sent. A URL in other words names
 * no record for sure, and a body that is no JSON has no value.
 */
function draftOf({ draft, request }: Exchange, { url, body, bytes }: RequestChange): Draft {
  const changedDraft = url === undefined || url === request.url ? draft : { ...draft, path: {}, query: {} }
  if (bytes === undefined && (body === undefined || body === request.body)) return changedDraft
  const { body: _, ...rest } = changedDraft
  const value = bytes === undefined ? parseJson(body ?? '') : undefined
  return value === undefined ? rest : { ...rest, body: value }
}

function changed(request: WireRequest, { headers, ...change }: RequestChange): WireRequest {
  const headerFields = Object.entries({ ...request.headers, ...headers }).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value]],
  )
  return { ...request, ...change, headers: Object.fromEntries(headerFields) }
}

/** A reply has the request's own id. */
function* idFaults(endpoint: Endpoint, { status, headers }: WireReply, sent: string) {
  const declared = Object.keys(responseFor(endpoint, status)?.headers ?? {})
  if (!declared.some(name => name.toLowerCase() === fields.requestId)) return
  if (saneRequestId.test(sent) && headers[fields.requestId] !== sent)
    yield `its request id ${sent} comes back as ${headers[fields.requestId]}`
}

/** Shorter texts may stand in a reply by chance. */
const leastSecret = 12

/**
 * A reply does not repeat the credential of its caller. A service of others may have an operation that shows it on purpose;
 * a refusal is none.
 */
function* secretFaults({ headers, hidden = [] }: WireRequest, { status, text }: WireReply, guided: boolean) {
  if (!guided && status < 400) return
  for (const field of hidden)
    for (const value of (headers[field] ?? '').split(/[\s;=]+/))
      if (value.length >= leastSecret && text.includes(value))
        yield `its reply repeats the credential that was sent as ${field}`
}

/** An operation, and what of its reply tells the record that it has made. */
type Answered = Pick<Exchange, 'endpoint'> & {
  draft?: Pick<Draft, 'path'>
  reply: Pick<WireReply, 'status' | 'headers' | 'body'>
}

/**
 * The identifier of the record that a request has made: its reply's Location leads to it, or its body has it, under the
 * name of the path parameter, under the usual one, or where a link of the document takes it from.
 */
export function identifierIn({ endpoint, draft, reply }: Answered) {
  const { makes, path, method } = endpoint
  if (makes === undefined || reply.status < 200 || reply.status >= 300) return undefined
  const given = method === 'PUT' ? draft?.path[makes] : undefined
  if (typeof given === 'string' || typeof given === 'number') return asIdentifier(given)
  return asIdentifier(locatedIn(path, reply.headers.location) ?? shownIn(endpoint, reply.body))
}

/** An identifier as it is held: a number, wherever it reads as one. */
export const asIdentifier = <Id extends string | number | undefined>(id: Id): Id | number =>
  typeof id === 'string' && String(Number(id)) === id && Number.isSafeInteger(Number(id)) ? Number(id) : id

/** The last part of a URL below a path, whatever stands before that. */
function locatedIn(path: string, location = ''): string | undefined {
  const start = `${path}/`
  const index = location.startsWith(start)
    ? 0
    : /^(https?:)?\/\//.test(location)
      ? location.indexOf(start)
      : -1
  const rest = index < 0 ? '' : location.slice(index + start.length)
  return rest === '' || rest.includes('/') ? undefined : decodeOr(rest)
}

function shownIn(endpoint: Endpoint, body: unknown): string | number | undefined {
  if (!isObject(body)) return undefined
  const { makes = '', reference = makes, identifiedBy } = endpoint
  const links = Object.values(responseFor(endpoint, endpoint.success)?.links ?? {})
  const linked = links.flatMap(link => {
    const expression =
      'parameters' in link && isObject(link.parameters) ? link.parameters[reference] : undefined
    return /^\$response\.body#(\/.*)$/.exec(String(expression))?.[1] ?? []
  })
  const wrapped = Object.values(body).filter(isObject)
  /** The values of a name, in a record itself before those that it holds. */
  const under = (name: string, records: readonly Record<string, unknown>[]) =>
    records
      .flatMap(holder =>
        Object.keys(holder)
          .filter(isSameName(name))
          .map(key => holder[key]),
      )
      .slice(0, 1)
  const usualIn = (record: Record<string, unknown>) =>
    Object.keys(record).flatMap(name => (isUsualIdentifier(name, endpoint.path) ? [record[name]] : []))
  const learnt = identifiedBy === undefined ? [] : under(identifiedBy, [body, ...wrapped])
  // A record that has a property of the parameter's name is not known by another one.
  const isNamed = Object.keys(endpoint.gives.properties ?? {}).some(isSameName(reference))
  const holders = wrapped.length === 1 ? [body, ...wrapped] : [body]
  const found = [
    ...linked.map(pointer => lookUp(body, pathOf(pointer) ?? [])),
    ...under(reference, [body, ...wrapped]),
    ...learnt,
    ...(isNamed ? [] : under(identifier.one, holders)),
    ...(isNamed ? [] : holders.flatMap(usualIn)),
  ]
  return found.find((candidate): candidate is string | number => canIdentify(endpoint, candidate))
}

/** Whether a value may stand in the path of a record: no empty text, no dot that leads elsewhere, and of its form. */
export function canIdentify({ identifiers: { type, format } = {} }: Endpoint, value: unknown): boolean {
  if (typeof value !== 'string' && typeof value !== 'number') return false
  if (noSegment.test(String(value))) return false
  if (type === 'integer') return Number.isInteger(Number(value))
  return format !== 'uuid' || /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(String(value))
}
