import type { Contract } from '../contract.ts'
import type { Migrations } from '../database/migration.ts'
import type { Database } from '../database/tables.ts'
import type { KeyTools } from '../keys/keys.ts'

/** What operators' commands work with, in a running server or in a process of their own. */
export interface CommandTools extends KeyTools {
  db: Database
  /** of the embedded database; null: in memory, undefined: PostgreSQL */
  dataDir: string | null | undefined
  migrations: Migrations
  /** Writes what has been counted and is not stored yet. */
  settle(): Promise<void>
  /** whether requests are served on this database by the same process */
  isServing: boolean
}

/** One of the operators' commands. Its input and its output can be written as JSON. */
export interface Command<In, Out> {
  /** whether it takes the database as it stands; by default it is migrated first */
  opensAsIs?: boolean
  /** Checks the input, before anything is opened and again where the command is carried out. @throws Misuse */
  check(input: unknown, contract: Contract): In
  /** @throws Refused */
  run(input: In, tools: CommandTools): Promise<Out>
}

/** Has the types of a command inferred. */
export const command = <In, Out>(one: Command<In, Out>): Command<In, Out> => one

/** A use that a command does not know; nothing was done. */
export class Misuse extends Error {}

/** What a command would not do, as the API would say it. */
export class Refused extends Error {
  readonly body: { code: string; message: string; status?: number }

  constructor(body: Refused['body']) {
    super(body.message)
    this.body = body
  }
}
