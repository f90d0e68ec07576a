import { mkdir, rm } from 'node:fs/promises'
import { isAbsolute } from 'node:path'
import { keyCommands } from '../callers/commands.ts'
import { copyDatabase } from '../database/backup.ts'
import { reasonOf } from '../database/directory.ts'
import * as migrate from '../database/migrate.ts'
import { callersOf, daysUntil } from '../lifecycle/lifecycle.ts'
import { type Command, type CommandTools, command, Misuse } from '../runtime/command.ts'

/** Returns a command. @param move moves the database, and returns the migrations that ran or were undone */
const migration = (move: (tools: CommandTools) => Promise<string[]>, { creates = false } = {}) =>
  command({
    opensAsIs: true,
    creates,
    check: () => ({}),
    async run(_, tools) {
      const moved = await move(tools)
      const steps = await migrate.migrationStatus(tools.db, tools.migrations)
      const migrations = steps.map(({ name, takenAt }) => ({ name, takenAt: takenAt?.toISOString() ?? null }))
      return { moved, steps: migrations }
    },
  })

/** The data for planning the migrations that did not run yet. */
const measure = command({
  opensAsIs: true,
  check: () => ({}),
  async run(_, { db, migrations }) {
    const applied = await migrate.appliedMigrations(db)
    const isDone = Object.keys(migrations).every(name => applied.includes(name))
    // how long reading each table takes, in seconds
    const reading: Record<string, number> = isDone ? {} : await migrate.measureReading(db)
    return { applied, reading }
  },
})

const deprecations = command({
  check: () => ({}),
  async run(_, { contract, db, now, settle }) {
    await settle()
    const ending = [...contract.facts].flatMap(([operationId, { method, path, deprecation }]) => {
      const { sunset, successor } = deprecation ?? {}
      if (!sunset) return []
      const daysLeft = daysUntil(sunset, now())
      return [{ operationId, method, path, sunset, daysLeft, successor: successor?.operationId ?? null }]
    })
    const operations = await Promise.all(
      ending.map(async operation => ({
        ...operation,
        callers: await callersOf(db, operation.operationId, contract.lifetimes, now()),
      })),
    )
    return { days: (contract.lifetimes.deprecatedCalls ?? 0) / 86_400, operations }
  },
})

/** The meaning of the system's errors when a directory is created. */
const mkdirReasons: Readonly<Record<string, string>> = {
  EEXIST: 'it is there already, and a backup overwrites nothing',
  ENOENT: 'the directory that it would be in is not there',
}

/** Copies the embedded database into a new directory. The caller reads the copy back. */
const backup = command({
  opensAsIs: true,
  check(input) {
    const { directory } = (input ?? {}) as { directory?: unknown } // checked here
    if (typeof directory !== 'string' || !isAbsolute(directory))
      throw new Misuse('A backup goes to the absolute path of a directory')
    return { directory }
  },
  async run({ directory }, { db, dataDir, settle }) {
    if (dataDir == null) throw new Error('Only an embedded database in a directory can be backed up so')
    await settle()
    await mkdir(directory, { mode: 0o700 }).catch(error => {
      throw new Error(`${directory} can’t be made: ${mkdirReasons[error.code] ?? reasonOf(error)}`, {
        cause: error,
      })
    })
    try {
      return await copyDatabase(db, dataDir, directory)
    } catch (error) {
      await rm(directory, { recursive: true, force: true })
      throw new Error(`The database can’t be copied to ${directory}: ${reasonOf(error)}`, { cause: error })
    }
  },
})

/** The operators' database commands, by the names that requests use. */
export const commands = {
  ...keyCommands,
  'migrate.status': migration(async () => []),
  'migrate.measure': measure,
  'migrate.up': migration(({ db, migrations }) => migrate.migrateToLatest(db, migrations), { creates: true }),
  'migrate.down': migration(({ db, migrations, isServing }) => {
    if (isServing) throw new Error('The server uses the last migration: stop it before you revert that')
    return migrate.migrateDown(db, migrations)
  }),
  deprecations,
  backup,
}

export type CommandName = keyof typeof commands
type Of<Name extends CommandName> = (typeof commands)[Name]
export type InputOf<Name extends CommandName> = Of<Name> extends Command<infer In, infer _> ? In : never
export type OutputOf<Name extends CommandName> = Of<Name> extends Command<infer _, infer Out> ? Out : never

/** Runs a command. @throws Misuse for an input that it does not accept, and Refused */
export function carryOut<Name extends CommandName>(name: Name, input: unknown, tools: CommandTools) {
  const { check, run }: Command<unknown, unknown> = commands[name]
  return run(check(input, tools.contract), tools) as Promise<OutputOf<Name>> // the name determines the type
}
