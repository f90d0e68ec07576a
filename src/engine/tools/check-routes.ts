import { toolsOf } from 'spec-served/internal/agents/tools'
import { faultsOutcome, type Outcome } from 'spec-served/internal/command/command'
import { loadService, ownContract } from 'spec-served/internal/command/project'
import { openResources } from 'spec-served/internal/process/resources'
import { buildServer } from 'spec-served/internal/process/server'
import { withoutBigints } from 'spec-served-document/model'
import { emptyDatabase } from './check/empty-database.ts'
import { type RegisteredRoute, routeFaults } from './check/routes.ts'
import { toolFaults } from './check/tools.ts'
import { standInsFor } from './mock/serve.ts'

export async function run(): Promise<Outcome> {
  const [service, contract] = await Promise.all([loadService(), ownContract()])
  await using closing = new AsyncDisposableStack()
  const { db, close } = await emptyDatabase(service)
  closing.defer(close)
  const resources = await openResources(contract, db, { name: service.name })
  closing.defer(() => resources.close())
  const routes: RegisteredRoute[] = []
  let isOfProject = false
  const mark = (is: boolean) => async () => {
    isOfProject = is
  }
  const app = await buildServer(service, contract, resources, {
    standIns: standInsFor(contract),
    // A project's plugins may have routes of their own. They are registered one after the other.
    plugins: [mark(true), ...service.plugins, mark(false)],
    prepare: instance =>
      instance.addHook('onRoute', ({ ...route }) => {
        if (!isOfProject) routes.push(route)
      }),
  })
  await app.ready()
  await app.close()
  const model = withoutBigints(contract.model) // values are drawn, and sent as JSON
  return faultsOutcome([...routeFaults(model, routes), ...toolFaults({ model }, toolsOf(contract))])
}
