import type { Database } from '../database/tables.ts'
import type { HolderId } from '../engine/access/caller.ts'
import type { Contract } from '../engine/contract.ts'
import type { Seal } from '../keys/seal.ts'

/** What operators' commands work with, in a running server or in a process of their own. */
export interface CommandTools {
  db: Database
  /** of the embedded database; null: in memory, undefined: PostgreSQL */
  dataDir: string | null | undefined
  contract: Contract
  /** how keys are stored */
  seal: Seal
  now(): Date
  /** To be told of each key that was changed. */
  keyChanged(id: HolderId): Promise<void>
  /** Writes what has been counted and is not stored yet. */
  settle(): Promise<void>
  /** whether requests are served on this database by the same process */
  isServing: boolean
}

/** One of the operators' commands. What goes in and comes out can be written as JSON. */
export interface Command<In, Out> {
  /** whether it takes the database as it stands; by default it is migrated first */
  opensAsIs?: boolean
  /**
   * Holds what it is given against what it takes; done before anything is opened, and again where it is carried out.
   * @throws Misuse
   */
  check(input: unknown, contract: Contract): In
  /** @throws Refused */
  run(input: In, tools: CommandTools): Promise<Out>
}
