import type { Endpoint } from './interface.ts'
import { type Exchange, showExchange, Unreachable } from './session.ts'

/** A difference between service and document. */
export interface Fault {
  operation: string
  message: string
  /** the request and its reply, for people */
  evidence?: string
  /** what had changed something by then, where it contradicts what went before */
  steps?: readonly Exchange[]
}

/** Takes note of faults; the same one is told once. */
export interface Report {
  readonly faults: readonly Fault[]
  add(endpoint: Endpoint | undefined, message: string, exchange?: Exchange): void
  /** What is wrong with a reply in itself, and with what was expected of it. */
  hold(exchange: Exchange, expectation: string, holds: boolean): void
  /** Does some work; that the service can't be brought to where it begins is a fault, and no reason to end. */
  attempt(work: () => Promise<void>): Promise<void>
  /** Adds what is only a consequence of faults, and a fault where there are none: what could not be brought about. */
  settle(): void
}

/** @param onFault told of each new fault at once, so that whoever waits can see it or stop waiting */
export function createReport(onFault: (fault: Fault) => void = () => {}): Report {
  const faults: Fault[] = []
  const told = new Set<string>()
  const unreached: Unreachable[] = []
  const report: Report = {
    faults,
    add(endpoint, message, exchange) {
      const operation = endpoint?.id ?? 'the service'
      const kind = kindOf({ operation, message })
      if (told.has(kind)) return
      told.add(kind)
      const fault = {
        operation,
        message,
        ...(exchange && { evidence: showExchange(exchange) }),
        ...(exchange?.steps && { steps: exchange.steps }),
      }
      faults.push(fault)
      onFault(fault)
    },
    hold(exchange, expectation, holds) {
      for (const fault of exchange.faults) report.add(exchange.endpoint, fault, exchange)
      if (!holds) report.add(exchange.endpoint, expectation, exchange)
    },
    async attempt(work) {
      try {
        await work()
      } catch (error) {
        if (!(error instanceof Unreachable)) throw error
        if (error.exchange) report.hold(error.exchange, '', true)
        unreached.push(error)
      }
    },
    settle() {
      if (faults.length > 0) return
      for (const { exchange, message } of unreached.splice(0))
        report.add(exchange?.endpoint, message, exchange)
    },
  }
  return report
}

/** The same fault of other records, of other requests and with other values is told once. */
export const kindOf = ({ operation, message }: Pick<Fault, 'operation' | 'message'>) =>
  `${operation} ${message}`
    .replace(/"(?:[^"\\]|\\.)*"/g, '"…"')
    .replace(/\d+/g, '#')
    .replace(/^(\S+|the service) (any request|\/[^:]*): /, '$1 ')
