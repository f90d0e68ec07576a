import { loadEnvFile, readConfig } from '../src/config.ts'
import { openDatabase } from '../src/database/connect.ts'
import { migrateDown, migrateToLatest, migrationStatus } from '../src/database/migrate.ts'
import { explain } from '../src/database/open.ts'
import type { Database } from '../src/database/tables.ts'
import { Misuse, runCommand } from './arguments.ts'

const usage = `Usage: npm run migrate -- [up | down | status]

Moves the configured database up to the latest step, one step down, or shows where it stands.`

function report(what: string, steps: string[]): void {
  console.log(steps.length > 0 ? `${what} ${steps.join(', ')}` : 'nothing to do')
}

async function migrate(db: Database, command: string): Promise<void> {
  if (command === 'up') report('took', await migrateToLatest(db))
  if (command === 'down') report('took back', await migrateDown(db))
  for (const { name, takenAt } of await migrationStatus(db))
    console.log(`${takenAt ? takenAt.toISOString() : 'not taken'.padEnd(24)}  ${name}`)
}

await runCommand({ usage, positionals: 1 }, async (_values, [command = 'up']) => {
  if (!['up', 'down', 'status'].includes(command)) throw new Misuse(`There is no command ${command}`)
  loadEnvFile()
  const config = readConfig(process.env).database
  try {
    const { db, close } = await openDatabase(config)
    await migrate(db, command).finally(close)
  } catch (error) {
    throw explain(config, error)
  }
  return 0
})
