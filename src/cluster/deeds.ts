import type { Caller, HolderId, Quotas } from '../engine/access/caller.ts'
import type { Later } from '../engine/later.ts'
import type { Counts } from '../engine/limits/counting.ts'
import type { Written } from '../store/own-writes.ts'

/** Whose calls are counted. */
export type Counted = Pick<Caller, 'counter'> & { quotas: Quotas }

/** A ban that is to be in force in every worker. */
export interface Ban {
  caller: Caller
  /** Unix time in ms */
  until: number
}

/** The values of all metrics of a process, as the library writes them. */
export type MetricValues = readonly object[]

/** What the primary does for its workers. */
export interface AtPrimary {
  count(counted: Counted): Later<Counts>
  look(counted: Counted): Later<Counts>
  /** Notes a call of a deprecated operation. */
  noteCall(call: readonly [HolderId, operationId: string]): void
  /** Stores the calls that were noted. */
  storeCalls(input: null): Promise<void>
  /** Has every other worker enforce a ban; there once all do, or do not answer. */
  ban(ban: Ban): Promise<void>
  /** Has every other worker read a key anew, likewise. */
  keyChanged(id: HolderId): Promise<void>
  /** Has every other worker know what a caller has written, likewise. */
  written(written: Written): Promise<void>
  /** This worker accepts requests. */
  ready(input: null): void
  /** What this worker has counted until its end. */
  lastMetrics(values: MetricValues): void
}

/** What a worker does for the primary. */
export interface AtWorker {
  ban(ban: Ban): Promise<void>
  keyChanged(id: HolderId): Promise<void>
  written(written: Written): Promise<void>
  metrics(input: null): Promise<MetricValues>
  /** Answers what is under way, and ends. */
  stop(timeoutMs: number): void
}
