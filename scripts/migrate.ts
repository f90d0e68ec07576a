import { loadEnvFile, readConfig } from '../src/config.ts'
import { openDatabase } from '../src/database/connect.ts'
import { migrateDown, migrateToLatest, migrationStatus } from '../src/database/migrate.ts'

const usage = 'Usage: npm run migrate -- [up | down | status]'

/** Moves the configured database up to the latest step, one step down, or shows where it stands. */
async function main(command = 'up'): Promise<void> {
  if (!['up', 'down', 'status'].includes(command)) {
    console.error(usage)
    process.exitCode = 2
    return
  }
  loadEnvFile()
  const { db, close } = await openDatabase(readConfig(process.env).database)
  try {
    if (command === 'up') report('took', await migrateToLatest(db))
    if (command === 'down') report('took back', await migrateDown(db))
    for (const { name, takenAt } of await migrationStatus(db))
      console.log(`${takenAt ? takenAt.toISOString() : 'not taken'.padEnd(24)}  ${name}`)
  } finally {
    await close()
  }
}

function report(what: string, steps: string[]): void {
  console.log(steps.length > 0 ? `${what} ${steps.join(', ')}` : 'nothing to do')
}

await main(process.argv[2])
