import { modelOf } from '../document/model.ts'
import { engineMigrations } from '../service/database/all-migrations.ts'
import { databaseFaults } from './check/database.ts'
import { emptyDatabase } from './check/empty-database.ts'
import { runCommand, tellFaults } from './command/arguments.ts'
import { loadService, projectSettings } from './command/project.ts'
import { ownDocument } from './generate/made.ts'
import { effectsOf } from './migrations/effects.ts'
import { readDocument } from './reading/read.ts'

const usage = `Usage: node src/engine/tools/check-database.ts

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
