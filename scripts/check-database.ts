import { openDatabase } from '../src/database/connect.ts'
import { migrateToLatest } from '../src/database/migrate.ts'
import { modelOf } from '../src/document/model.ts'
import { readDocument } from '../src/document/read.ts'
import { runCommand } from './arguments.ts'
import { databaseFaults } from './contract/database.ts'

const usage = `Usage: node scripts/check-database.ts

Migrates a database in memory and holds it against the document.`

await runCommand({ usage }, async () => {
  const { document } = await readDocument('spec/openapi.yaml')
  const { db, close } = await openDatabase({ kind: 'embedded', dataDir: null })
  await migrateToLatest(db)
  const faults = await databaseFaults(db, modelOf(document))
  await close()
  for (const fault of faults) console.error(fault)
  return faults.length > 0 ? 1 : 0
})
