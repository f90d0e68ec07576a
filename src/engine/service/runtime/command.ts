import type { Contract } from 'spec-served-document/contract/contract'
import type { KeyTools } from '../callers/keys.ts'
import type { Migrations } from '../database/migration.ts'
import type { Database } from '../database/tables.ts'

/** The tools of operators' commands, in a running server or in a process of their own. */
export interface CommandTools extends KeyTools {
  db: Database
  /** the embedded database's directory; null: in memory; undefined: PostgreSQL */
  dataDir: string | null | undefined
  migrations: Migrations
  /** Writes the counts that are not stored yet. */
  settle(): Promise<void>
  /** whether this process also serves requests on the database */
  isServing: boolean
}

/** An operators' command. Its input and its output can be written as JSON. */
export interface Command<In, Out> {
  /** whether it opens the database without migrating it first */
  opensAsIs?: boolean
  /** whether it creates the embedded database where there is none; without it the command refuses */
  creates?: boolean
  /** Checks the input, before the database is opened and again before the command runs. @throws Misuse */
  check(input: unknown, contract: Contract): In
  /** @throws Refused */
  run(input: In, tools: CommandTools): Promise<Out>
}

/** Infers the types of a command. */
export const command = <In, Out>(definition: Command<In, Out>): Command<In, Out> => definition

/** An input that a command does not accept. Nothing was done. */
export class Misuse extends Error {}

/** A command's refusal, as the API would send it. */
export class Refused extends Error {
  readonly body: { code: string; message: string; status?: number }

  constructor(body: Refused['body']) {
    super(body.message)
    this.body = body
  }
}
