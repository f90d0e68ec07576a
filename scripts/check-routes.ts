import { readContract } from '../src/contract.ts'
import { openResources } from '../src/resources.ts'
import { buildServer } from '../src/server.ts'
import { runCommand } from './arguments.ts'
import { emptyDatabase } from './contract/empty-database.ts'
import { type Route, routeFaults } from './contract/routes.ts'
import { standInsFor } from './mock/serve.ts'

async function findFaults(): Promise<string[]> {
  const contract = await readContract()
  const { db, close } = await emptyDatabase()
  const resources = await openResources(contract, db)
  const routes: Route[] = []
  try {
    const app = await buildServer(contract, resources, {
      standIns: standInsFor(contract),
      prepare: app => app.addHook('onRoute', ({ ...route }) => void routes.push(route)),
    })
    await app.ready()
    await app.close()
  } finally {
    await resources.close()
    await close()
  }
  return routeFaults(contract.model, routes)
}

const usage = `Usage: node scripts/check-routes.ts

Builds the server on an empty database and tells where its routes are not the document's.`

await runCommand({ usage }, async () => {
  const faults = await findFaults()
  for (const fault of faults) console.error(fault)
  return faults.length > 0 ? 1 : 0
})
