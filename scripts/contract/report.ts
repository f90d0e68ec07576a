import type { Endpoint } from './interface.ts'
import { describeRequest, type WireRequest } from './requests.ts'
import { type Exchange, Unreachable } from './session.ts'
import type { WireReply } from './wire.ts'
import { LeftOut } from './world.ts'

/** A difference between service and document. */
export interface Fault {
  operation: string
  message: string
  /** the request and its reply, for people */
  evidence?: string
  /** what had changed something by then, where it contradicts what went before */
  steps?: readonly Exchange[]
}

/** What shows a fault. */
export interface Sent {
  /** absent where it is no request that a client could write */
  request?: WireRequest
  reply: WireReply
  steps?: readonly Exchange[]
}

/** What a probe has done. */
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
export interface Report {
  readonly faults: readonly Fault[]
  /** by the name of the probe, in the order of the run */
  readonly rows: ReadonlyMap<string, Row>
  add(endpoint: Endpoint | undefined, message: string, sent?: Sent): void
  /** Counts an expectation, and tells where a reply is not as it says. */
  hold(exchange: Exchange, expectation: string, holds: boolean): void
  /** The same for what no operation, or no single reply, has shown. */
  holdOf(endpoint: Endpoint | undefined, expectation: string, holds: boolean, sent?: Sent): void
  /** Counts what a reply shows, and tells what is wrong with it in itself. */
  note(exchange: Exchange): void
  /** Does some work that tells by itself what is wrong with replies. */
  quietly<T>(work: () => Promise<T>): Promise<T>
  /** Does some work; that the service can't be brought to where it begins is a fault, and no reason to end. */
  attempt(work: () => Promise<void>): Promise<void>
  /**
   * The same for work that has a row of its own. That it has asserted nothing is a fault: the document asks for it, and the
   * check did not find it.
   * @param byLaws whether each reply is an assertion, as what it is held to are the laws alone
   */
  probe(name: string, work: () => Promise<void>, byLaws?: boolean): Promise<void>
  /** Adds what is only a consequence of faults, and a fault where there are none: what could not be brought about. */
  settle(): void
}

/** @param onFault told of each new fault at once, so that whoever waits can see it or stop waiting */
export function createReport(onFault: (fault: Fault) => void = () => {}): Report {
  const faults: Fault[] = []
  const rows = new Map<string, Row>()
  const told = new Set<string>()
  const unreached: { message: string; exchange?: Exchange | undefined }[] = []
  const newRow = (): Row => ({ requests: 0, assertions: 0, records: 0, left: new Set() })
  let row = newRow()
  let isByLaws = false
  let isQuiet = false
  const report: Report = {
    faults,
    rows,
    add(endpoint, message, sent) {
      const operation = endpoint?.id ?? 'the service'
      const kind = kindOf({ operation, message })
      if (told.has(kind)) return
      told.add(kind)
      const fault = {
        operation,
        message,
        ...(sent && { evidence: showSent(sent) }),
        ...(sent?.steps && { steps: sent.steps }),
      }
      faults.push(fault)
      onFault(fault)
    },
    note(exchange) {
      const { status, body } = exchange.reply
      row.requests++
      if (isByLaws) row.assertions++
      if (status < 300) row.records += [body ?? []].flat().length
      for (const fault of isQuiet ? [] : exchange.faults) report.add(exchange.endpoint, fault, exchange)
    },
    hold(exchange, expectation, holds) {
      row.assertions++
      if (!holds) report.add(exchange.endpoint, expectation, exchange)
    },
    holdOf(endpoint, expectation, holds, sent) {
      row.assertions++
      if (!holds) report.add(endpoint, expectation, sent)
    },
    async quietly(work) {
      isQuiet = true
      return work().finally(() => {
        isQuiet = false
      })
    },
    async attempt(work) {
      try {
        await work()
      } catch (error) {
        if (error instanceof LeftOut) row.left.add(error.message)
        else if (!(error instanceof Unreachable)) throw error
        else {
          if (error.exchange) report.note(error.exchange)
          unreached.push(error)
        }
      }
    },
    async probe(name, work, byLaws = false) {
      const outer = { row, isByLaws }
      row.isSplit = true
      const own = rows.get(name) ?? newRow()
      rows.set(name, own)
      const { assertions: before } = own
      row = own
      isByLaws = byLaws
      try {
        await report.attempt(work)
      } finally {
        row = outer.row
        isByLaws = outer.isByLaws
      }
      if (own.assertions === before && own.left.size === 0 && !own.isSplit)
        unreached.push({
          message: `the probe "${name}" has found nothing to look at, and the document asks for it`,
        })
    },
    settle() {
      if (faults.length > 0) return
      for (const { exchange, message } of unreached.splice(0))
        report.add(exchange?.endpoint, message, exchange)
    },
  }
  return report
}

/** A reply and its request, for people. */
function showSent({ request, reply: { headers, status, text } }: Sent): string {
  const shown = text.length > 400 ? `${text.slice(0, 400)}…` : text
  const came = `came: ${status} ${shown || headers['content-type'] || ''}`
  return request ? `${came}\n    ${describeRequest(request)}` : came
}

/** The same fault of other records, of other requests and with other values is told once. */
export const kindOf = ({ operation, message }: Pick<Fault, 'operation' | 'message'>) =>
  `${operation} ${message}`
    .replace(/"(?:[^"\\]|\\.)*"/g, '"…"')
    .replace(/\d+/g, '#')
    .replace(/^(\S+|the service) (any request|\/[^:]*): /, '$1 ')
