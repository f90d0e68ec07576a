import type { FastifyRequest } from 'fastify'
import type { Contract } from 'spec-served-document/contract/contract'
import type { Caller, WindowState } from './callers/caller.ts'
import type { Keys } from './callers/keys.ts'
import type { Page } from './replies/pages.ts'

/** A dependency of the service, and whether it answers. */
export interface DependencyState {
  name: string
  status: 'ok' | 'degraded' | 'unavailable'
  message?: string
}

/** The tools of every handler, besides its input and the store. */
export interface Tools {
  now(): Date
  caller: Caller
  /** the request as Fastify knows it, with what the project's plugins have added, such as a session */
  request: FastifyRequest
  contract: Contract
  /**
   * Is aborted when nobody waits for more: the client has left, the request was refused, or the service stops while its
   * reply is sent item by item. Hand it to what the handler waits for.
   */
  signal: AbortSignal
  /** the requested page of a list */
  page: Page
  /** The API keys in the database. A change applies when the handler answers, or as soon as it is stored. */
  keys: Keys
}

/** The tools of handlers whose operations are not repeatable. They query databases and counters themselves. */
export interface FreeTools extends Tools {
  /** Returns the state of the caller's windows. It costs no quota. */
  limits(): Promise<readonly WindowState[]>
  /** Returns the caller's calls by deprecated operation, as far back as the document says; undefined: unknown now. */
  deprecatedCalls(): Promise<ReadonlyMap<string, number> | undefined>
  /** Returns warnings of what needs attention soon. */
  warnings(): string[]
  /** Asks every dependency for its state; never throws. */
  dependencies(): Promise<DependencyState[]>
}

/** A handler's context: tools, and the store, which the engine only passes through. */
export type Context<Store> = FreeTools & { db: Store }

/** The context of a repeatable operation's handler. Its `db` is a transaction, which a refusal rolls back. */
export type RepeatableContext<Transaction> = Tools & { db: Transaction }
