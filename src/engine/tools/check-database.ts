import { modelOf } from '../document/model.ts'
import { engineMigrations } from '../service/database/all-migrations.ts'
import { databaseFaults } from './check/database.ts'
import { emptyDatabase } from './check/empty-database.ts'
import { faultsOutcome, type Outcome } from './command/command.ts'
import { loadService, ownDocument, projectSettings } from './command/project.ts'
import { effectsOf } from './migrations/effects.ts'
import { readWithOverlays } from './project-document.ts'

export async function run(): Promise<Outcome> {
  const { document } = await readWithOverlays(ownDocument)
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
  return faultsOutcome(faults)
}
