import { setTimeout } from 'node:timers/promises'
import { keyForm } from '../callers/api-key.ts'
import { createSeal } from '../callers/seal.ts'
import { loadService, ownContract } from '../command/project.ts'
import {
  type DatabaseConfig,
  explain,
  named,
  type OpenDatabase,
  openDatabase,
  openMigrated,
  roomToMigrate,
} from '../database/connect.ts'
import { NoDatabase, needDatabase } from '../database/directory.ts'
import { DirectoryInUse } from '../database/directory-lock.ts'
import type { Service } from '../index.ts'
import { type CommandName, carryOut, commands, type InputOf, type OutputOf } from '../process/commands.ts'
import { type Config, loadEnvFile, readConfig } from '../process/config.ts'
import { type Command, Misuse, Refused } from '../runtime/command.ts'
import { askServer } from './ask-server.ts'

/** How long a command waits for an embedded database that another process has open without taking commands, in ms. */
const patience = 5_000

/** Has a command carried out. @throws Misuse, Refused, and Error in words */
export type Call = <Name extends CommandName>(name: Name, input: InputOf<Name>) => Promise<OutputOf<Name>>

/** Returns the configuration from the environment. */
export function configured(): Config {
  loadEnvFile()
  return readConfig(process.env)
}

/**
 * Hands out a runner of commands for the configured database: the server that has the embedded one open, else this
 * process.
 */
export async function withCalls<T>(run: (call: Call) => Promise<T>): Promise<T> {
  let opened: OpenDatabase | undefined
  const call: Call = async (name, input) => {
    const contract = await ownContract()
    const command: Command<unknown, unknown> = commands[name]
    command.check(input, contract)
    const { database: config, apiKeyPepper } = configured()
    const dataDir = config.kind === 'embedded' ? config.dataDir : undefined
    const deadline = Date.now() + patience
    while (!opened) {
      const answer = dataDir ? await askServer(dataDir, { command: name, input }) : undefined
      if (answer) return answer.done as OutputOf<typeof name> // what the command of this name gives
      try {
        if (dataDir && !command.creates) needDatabase(dataDir)
        opened = await open(config, await loadService(), command)
      } catch (error) {
        const isBusy = error instanceof DirectoryInUse || (error instanceof NoDatabase && error.isBegun)
        if (!isBusy || Date.now() > deadline) throw error
        await setTimeout(100) // a server that is starting, or another command
      }
    }
    const { name: service, migrations } = await loadService()
    const tools = {
      db: opened.db,
      migrations,
      dataDir,
      contract,
      seal: createSeal(apiKeyPepper),
      form: keyForm(service),
      now: () => new Date(),
      async keyChanged() {}, // servers read keys again within seconds
      settle: async () => {},
      isServing: false,
    }
    return carryOut(name, input, tools).catch(async (error: unknown) => {
      throw error instanceof Misuse || error instanceof Refused ? error : await explain(config, error)
    })
  }
  try {
    return await run(call)
  } finally {
    await opened?.close()
  }
}

function open(
  config: DatabaseConfig,
  { name, migrations }: Service,
  { opensAsIs = false }: Command<unknown, unknown>,
): Promise<OpenDatabase> {
  const place = named(config, name)
  if (!opensAsIs) return openMigrated(place, migrations)
  return openDatabase(roomToMigrate(place)).catch(async (error: unknown) => {
    throw await explain(config, error)
  })
}
