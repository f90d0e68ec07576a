import { parentPort, workerData } from 'node:worker_threads'
import { loadService, ownContract } from 'spec-served/internal/command/project'
import { openMigrated } from 'spec-served/internal/database/connect'
import type { Database } from 'spec-served/internal/database/tables'
import { withoutBigints } from 'spec-served-document/model'
import { startPostgres } from '../local/postgres.ts'
import { emptyDatabase } from './empty-database.ts'
import type { ServiceName } from './probes.ts'
import { openSecondOracle } from './second-oracle.ts'
import { beforeSunsets, lookAt } from './service.ts'
import type { Fault } from './summary.ts'
import type { Draw, ThreadMessage } from './threads.ts'
import { builtBy, openStarted, type Setting, type World } from './world.ts'

// One thread of the check. It looks at the services that it is sent, on a database of its own.

const { seed, now, only, untilFault } = workerData as Draw // what `lookOnThreads` hands over
const tell = (message: ThreadMessage) => parentPort?.postMessage(message)
/** Requests hold parts of the interface, which belong to this thread. */
const withoutSteps = ({ steps: _, ...fault }: Fault): Fault => fault

const [service, contract] = await Promise.all([loadService(), ownContract()])
const model = withoutBigints(contract.model) // values are drawn, and sent as JSON
const [{ db }, oracle] = await Promise.all([emptyDatabase(service), openSecondOracle('spec/openapi.yaml')])
const start = (database: Database, setting: Setting) =>
  openStarted(builtBy(service, contract), database, beforeSunsets(model, now), setting)

/** Starts the service on a PostgreSQL of its own, which ends with it. Holding one session back would not hold others. */
async function startOnPostgres(setting: Setting): Promise<World> {
  const server = await startPostgres()
  const pool = { poolSize: 10, connectTimeoutMs: 10_000, statementTimeoutMs: 10_000 }
  const place = { kind: 'postgres', url: `${server.url}/postgres`, ...pool } as const
  try {
    const database = await openMigrated(place, service.migrations)
    const { close, hands, ...world } = await start(database.db, setting)
    const { database: _, ...others } = hands
    return { ...world, hands: others, close: () => close().finally(database.close).finally(server.stop) }
  } catch (error) {
    await server.stop() // a process that would outlive the check
    throw error
  }
}

const task = {
  ...{ model, oracle, seed, only: only && { ...only, seen: model }, untilFault },
  open: (setting: Setting) => (setting.onPostgres ? startOnPostgres(setting) : start(db, setting)),
  onProgress: (look: string, name: string) => tell({ probe: { service: look, name } }),
  onFault: (fault: Fault) => tell({ fault: withoutSteps(fault) }),
  ...(!untilFault && {
    onSteps: (fault: Fault, text: string, isAgain: boolean) =>
      tell({ steps: { fault: withoutSteps(fault), text, isAgain } }),
  }),
}
parentPort?.on('message', async (name: ServiceName) => {
  const { faults, unreached, ...look } = await lookAt(task, [name])
  tell({ look: { ...look, faults: faults.map(withoutSteps), unreached: unreached.map(withoutSteps) } })
})
tell({})
