import { faultsOutcome, type Outcome } from 'spec-served/internal/command/command'
import { loadService, ownDocument, projectSettings } from 'spec-served/internal/command/project'
import { engineMigrations } from 'spec-served/internal/database/all-migrations'
import { effectsOf } from 'spec-served/internal/migration-plan/effects'
import { modelOf } from 'spec-served-document/model'
import { databaseFaults } from './check/database.ts'
import { emptyDatabase } from './check/empty-database.ts'
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
    ...steps.flatMap(({ step, faults: disturbing }) =>
      disturbing.map(fault => `migration ${step}: ${fault}`),
    ),
  ]
  await close()
  return faultsOutcome(faults)
}
