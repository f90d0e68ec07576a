import { modelOf } from '../src/document/model.ts'
import { engineMigrations } from '../src/engine/database/all-migrations.ts'
import { runCommand, tellFaults } from './arguments.ts'
import { databaseFaults } from './contract/database.ts'
import { emptyDatabase } from './contract/empty-database.ts'
import { ownDocument } from './document/made.ts'
import { readDocument } from './document/reading/read.ts'
import { effectsOf } from './migrations/effects.ts'
import { loadService, projectSettings } from './project.ts'

const usage = `Usage: node scripts/check-database.ts

Migrates an empty database and holds it against the document. Each migration must keep no caller of the release
before waiting, and leave it what it uses.`

await runCommand({ usage }, async () => {
  const { document } = await readDocument(ownDocument)
  const { migrations, shownTables } = await loadService()
  const { firstServed } = projectSettings()
  const { db, close } = await emptyDatabase({ migrations })
  const isEarlier = (name: string) =>
    firstServed === undefined ? Object.hasOwn(engineMigrations, name) : name < firstServed
  const steps = await effectsOf(Object.keys(migrations).filter(isEarlier), migrations)
  const faults = [
    ...(await databaseFaults(db, modelOf(document), shownTables)),
    ...steps.flatMap(({ step, faults }) => faults.map(fault => `migration ${step}: ${fault}`)),
  ]
  await close()
  return tellFaults(faults)
})
