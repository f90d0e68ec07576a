import { parentPort, workerData } from 'node:worker_threads'
import { readContract } from '../../src/contract.ts'
import { openResources } from '../../src/resources.ts'
import { buildServer } from '../../src/server.ts'
import { beforeSunsets, checkContract } from './check.ts'
import { emptyDatabase } from './empty-database.ts'
import { type Half, type Said, withoutSteps } from './halves.ts'
import { openSecondOracle } from './second-oracle.ts'
import { openStarted } from './world.ts'

/** One half of the probes, in a thread of its own. */
const { seed, now, services } = workerData as Half // of who has started it
const say = (said: Said) => parentPort?.postMessage(said)

const contract = await readContract()
const service = { contract, buildServer, openResources }
const { db, close } = await emptyDatabase()
const outcome = await checkContract({
  model: contract.model,
  open: setting => openStarted(service, db, beforeSunsets(contract.model, now), setting),
  oracle: await openSecondOracle('spec/openapi.yaml'),
  seed,
  services,
  onFault: fault => say({ fault: withoutSteps(fault) }),
  onSteps: (fault, steps, isAgain) => say({ steps, of: withoutSteps(fault), isAgain }),
  onProgress: progress => say({ progress }),
}).finally(close)
say({ outcome: { ...outcome, faults: outcome.faults.map(withoutSteps) } })
