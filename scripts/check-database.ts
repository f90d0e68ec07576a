import { readFile } from 'node:fs/promises'
import { parse } from 'yaml'
import { openDatabase } from '../src/database/connect.ts'
import { migrateToLatest } from '../src/database/migrate.ts'
import { runCommand } from './arguments.ts'
import { databaseFaults } from './contract/database.ts'

const usage = `Usage: node scripts/check-database.ts

Migrates a database in memory and holds it against the document.`

await runCommand({ usage }, async () => {
  const { db, close } = await openDatabase({ kind: 'embedded', dataDir: null })
  await migrateToLatest(db)
  const faults = await databaseFaults(db, parse(await readFile('spec/openapi.yaml', 'utf8')))
  await close()
  for (const fault of faults) console.error(fault)
  return faults.length > 0 ? 1 : 0
})
