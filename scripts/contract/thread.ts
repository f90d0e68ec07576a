import { parentPort, workerData } from 'node:worker_threads'
import { loadService, ownContract } from '../project.ts'
import { emptyDatabase } from './empty-database.ts'
import type { ServiceName } from './probes.ts'
import { openSecondOracle } from './second-oracle.ts'
import { beforeSunsets, lookAt } from './service.ts'
import type { Fault } from './summary.ts'
import type { Draw, Told } from './threads.ts'
import { builtBy, openStarted } from './world.ts'

// One thread of the check. It looks at the services that it is sent, on a database of its own.

const { seed, now, only, untilFault } = workerData as Draw // what `lookOnThreads` hands over
const tell = (told: Told) => parentPort?.postMessage(told)
/** Requests hold parts of the interface, which belong to this thread. */
const withoutSteps = ({ steps: _, ...fault }: Fault): Fault => fault

const [service, contract] = await Promise.all([loadService(), ownContract()])
const { model } = contract
const [{ db }, oracle] = await Promise.all([emptyDatabase(service), openSecondOracle('spec/openapi.yaml')])
const task = {
  ...{ model, oracle, seed, only: only && { ...only, known: model }, untilFault },
  open: (setting: object) => openStarted(builtBy(service, contract), db, beforeSunsets(model, now), setting),
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
