import { AsyncLocalStorage } from 'node:async_hooks'
import { visibleLine } from 'spec-served-document/visible-text'
import type { Endpoint } from '../records/interface.ts'
import type { WireReply, WireRequest } from '../records/messages.ts'
import { describeRequest } from './requests.ts'
import type { Exchange } from './sending.ts'
import { NoReply } from './wire.ts'

/** Thrown where something can't be looked at, as it needs what is not in hand. */
export class LeftOut extends Error {}

/** Ends a check at the fault that it was to find. */
export class Enough extends Error {}

/** A difference between service and document. */
export interface Fault {
  operation: string
  message: string
  /** the request and its reply, for people */
  evidence?: string
  /** the same for programs */
  sent?: Pick<Sent, 'request' | 'reply'>
  /** the earlier changes, if the fault contradicts earlier replies */
  steps?: readonly Exchange[]
}

/** The evidence of a fault. */
export interface Sent {
  /** absent where it is no request that a client could write */
  request?: WireRequest
  reply: WireReply
  steps?: readonly Exchange[]
}

/** Thrown when the service can't even be brought to where a check begins. */
export class Unreachable extends Error {
  /** the request, if there was one */
  readonly exchange: Exchange | undefined
  constructor(message: string, exchange?: Exchange) {
    super(message)
    this.exchange = exchange
  }
}

/** The figures of a probe. */
export interface Row {
  requests: number
  assertions: number
  /** how many records replies have shown */
  records: number
  /** why a part of it could not be done */
  left: Set<string>
  /** whether its parts have rows of their own */
  isSplit?: true
}

/** Takes note of faults; the same one is told once. */
export type Report = ReturnType<typeof createReport>

/**
 * @param onFault told of each new fault at once, so that whoever waits can see it or stop waiting
 * @param isOwn whether a service that can't be brought to where a check begins is a fault; of others it is only told
 */
export function createReport(onFault: (fault: Fault) => void = () => {}, isOwn = true) {
  const faults: Fault[] = []
  /** by the name of the probe, in the order of the run */
  const rows = new Map<string, Row>()
  const reportedKinds = new Set<string>()
  const unreached: Unreachable[] = []
  const notes = new Set<string>()
  const newRow = (): Row => ({ requests: 0, assertions: 0, records: 0, left: new Set() })
  /** the row of the work under way; of several probes at once each has its own */
  const current = new AsyncLocalStorage<{ row: Row; isByInvariants: boolean }>()
  const outside = { row: newRow(), isByInvariants: false }
  const now = () => current.getStore() ?? outside
  const quiet = new AsyncLocalStorage<true>()

  function add(endpoint: Endpoint | undefined, message: string, sent?: Partial<Sent>): void {
    addFault(faultOf(endpoint, message, sent))
  }

  function addFault(fault: Fault): void {
    const kind = faultKind(fault)
    if (reportedKinds.has(kind)) return
    reportedKinds.add(kind)
    faults.push(fault)
    onFault(fault)
  }

  /** Counts an expectation, and tells where what no operation, or no single reply, has shown is not as it says. */
  function holdOf(endpoint: Endpoint | undefined, expectation: string, holds: boolean, sent?: Sent): void {
    now().row.assertions++
    if (!holds) add(endpoint, expectation, sent)
  }

  /** Counts what a reply shows, and tells what is wrong with it in itself. */
  function note(exchange: Exchange): void {
    const { status, body } = exchange.reply
    const { row, isByInvariants } = now()
    row.requests++
    if (isByInvariants) row.assertions++
    if (status < 300) row.records += [body ?? []].flat().length
    for (const fault of quiet.getStore() ? [] : exchange.faults) add(exchange.endpoint, fault, exchange)
  }

  /** Does some work. A service that can't be brought to where the work begins is a fault, and no reason to end. */
  async function attempt(work: () => Promise<void>): Promise<void> {
    const { row } = now()
    try {
      await work()
    } catch (error) {
      if (error instanceof LeftOut) row.left.add(error.message)
      else if (error instanceof NoReply && error.isSlow) row.left.add(error.message)
      else if (error instanceof NoReply)
        addFault(faultOf(undefined, error.message, { request: error.request }))
      else if (error instanceof Unreachable) {
        if (error.exchange) note(error.exchange)
        if (isOwn) unreached.push(error)
        else row.left.add(`${error.exchange ? `${error.exchange.endpoint.id}: ` : ''}${error.message}`)
      } else if (error instanceof Enough) throw error
      else addFault({ operation: 'the check', message: brokenAt(error) })
    }
  }

  return {
    faults: faults as readonly Fault[],
    rows: rows as ReadonlyMap<string, Row>,
    /** the facts that people have to judge */
    notes: notes as ReadonlySet<string>,
    /** Notes a fact that may be meant, and may be a fault. */
    mention: ({ id }: Endpoint, fact: string) => void notes.add(`${id}: ${fact}`),
    add,
    /** Whether a fault of this kind was reported before. */
    isReported: (endpoint: Endpoint, message: string) =>
      reportedKinds.has(faultKind({ operation: endpoint.id, message })),
    holdOf,
    note,
    attempt,
    /** The same as `holdOf` for a reply. */
    hold: (exchange: Exchange, expectation: string, holds: boolean) =>
      holdOf(exchange.endpoint, expectation, holds, exchange),
    /** Does some work that itself reports wrong replies. */
    quietly: <T>(work: () => Promise<T>): Promise<T> => quiet.run(true, work),
    /**
     * Attempts work that has a row of its own. That it has asserted nothing is a fault: the document asks for it, and the
     * check did not find it.
     * @param byInvariants whether each reply is an assertion, as what it is held to are the invariants alone
     */
    async probe(name: string, work: () => Promise<void>, byInvariants = false): Promise<void> {
      now().row.isSplit = true
      const total = rows.get(name) ?? newRow()
      rows.set(name, total)
      const row: Row = { ...newRow(), left: total.left }
      try {
        await current.run({ row, isByInvariants: byInvariants }, () => attempt(work))
      } finally {
        for (const figure of ['requests', 'assertions', 'records'] as const) total[figure] += row[figure]
      }
      if (isOwn && row.assertions === 0 && row.left.size === 0 && !row.isSplit)
        unreached.push(
          new Unreachable(`the probe "${name}" has found nothing to look at, and the document asks for it`),
        )
    },
    /** The obstacles, as faults. */
    unreached: () => unreached.map(({ exchange, message }) => faultOf(exchange?.endpoint, message, exchange)),
  }
}

/** A reply and its request, for people. */
function showSent({ request, reply }: Partial<Sent>): string {
  const { headers = {}, status = 0, text = '' } = reply ?? {}
  const shown = text.length > 400 ? `${text.slice(0, 400)}…` : text
  const came = reply
    ? `came: ${status} ${visibleLine(shown || headers['content-type'] || '')}`
    : 'came: nothing'
  return request ? `${came}\n    ${describeRequest(request)}` : came
}

function faultOf(endpoint: Endpoint | undefined, message: string, sent?: Partial<Sent>): Fault {
  const operation = endpoint?.id ?? 'the service'
  const { request, reply } = sent ?? {}
  return {
    operation,
    message,
    ...(sent && { evidence: showSent(sent) }),
    ...(reply && { sent: { reply, ...(request && { request }) } }),
    ...(sent?.steps && { steps: sent.steps }),
  }
}

/** Returns an error of the check itself, with its place in these modules. */
function brokenAt(error: unknown): string {
  const { message, stack = '' } = error instanceof Error ? error : new Error(String(error))
  const place = /\bcheck\/([\w/.-]+:\d+)/.exec(stack)?.[1]
  return `it broke off here, which is a fault of its own: ${message}${place ? ` (${place})` : ''}`
}

/** Returns what the same fault of other records, of other requests and with other values has in common. */
export const faultKind = ({ operation, message }: Fault): string =>
  `${operation} ${message}`
    .replace(/"(?:[^"\\]|\\.)*"/g, '"…"')
    .replace(/[\w-]{20,}(?=[/\s]|$)/g, '#') // an identifier that is no number
    .replace(/\d+/g, '#')
    .replace(/^(\S+|the service) (any request|(\/[^: ]*)[^:]*): /, '$1 $3 ')
