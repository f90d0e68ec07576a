import { readContract } from '../src/contract.ts'
import { openResources } from '../src/resources.ts'
import { buildServer } from '../src/server.ts'
import { runCommand, tellFaults } from './arguments.ts'
import { emptyDatabase } from './contract/empty-database.ts'
import { type Route, routeFaults } from './contract/routes.ts'
import { standInsFor } from './mock/serve.ts'

const usage = `Usage: node scripts/check-routes.ts

Builds the server on an empty database and tells where its routes are not the document's.`

await runCommand({ usage }, async () => {
  const contract = await readContract()
  await using closing = new AsyncDisposableStack()
  const { db, close } = await emptyDatabase()
  closing.defer(close)
  const resources = await openResources(contract, db)
  closing.defer(() => resources.close())
  const routes: Route[] = []
  const app = await buildServer(contract, resources, {
    standIns: standInsFor(contract),
    prepare: app => app.addHook('onRoute', ({ ...route }) => void routes.push(route)),
  })
  await app.ready()
  await app.close()
  return tellFaults(routeFaults(contract.model, routes))
})
