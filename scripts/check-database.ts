import { migrations } from '../migrations/index.ts'
import { modelOf } from '../src/document/model.ts'
import { runCommand, tellFaults } from './arguments.ts'
import { databaseFaults } from './contract/database.ts'
import { emptyDatabase } from './contract/empty-database.ts'
import { readDocument } from './document/reading/read.ts'
import { effectsOf } from './migrations/effects.ts'

const usage = `Usage: node scripts/check-database.ts

Migrates an empty database and holds it against the document. Each of migrations/ must keep no caller of the release
before waiting, and leave it what it uses.`

/** The migrations up to this one have made the first database: nobody was served while they ran. */
const lastOfTheBeginning = '0005-names-and-pages'

await runCommand({ usage }, async () => {
  const { document } = await readDocument('spec/openapi.yaml')
  const { db, close } = await emptyDatabase()
  const later = Object.keys(migrations).indexOf(lastOfTheBeginning) + 1
  const steps = await effectsOf(Object.keys(migrations).slice(0, later))
  const faults = [
    ...(await databaseFaults(db, modelOf(document))),
    ...steps.flatMap(({ step, faults }) => faults.map(fault => `migrations/${step}.ts: ${fault}`)),
  ]
  await close()
  return tellFaults(faults)
})
