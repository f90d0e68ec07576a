import { parentPort, workerData } from 'node:worker_threads'
import { readContract } from '../../src/contract.ts'
import { openResources } from '../../src/resources.ts'
import { buildServer } from '../../src/server.ts'
import { checkContract } from './check.ts'
import { emptyDatabase } from './empty-database.ts'
import { type Half, type Said, withoutSteps } from './halves.ts'

/** One half of the probes, in a thread of its own. */
const { seed, now, probes } = workerData as Half // of who has started it
const say = (said: Said) => parentPort?.postMessage(said)

const contract = await readContract()
const { db, close } = await emptyDatabase()
const outcome = await checkContract({
  model: contract.model,
  service: { contract, buildServer, openResources },
  database: db,
  seed,
  now,
  probes: new Set(probes),
  onFault: fault => say({ fault: withoutSteps(fault) }),
  onSteps: (fault, steps, isAgain) => say({ steps, of: withoutSteps(fault), isAgain }),
  onProgress: progress => say({ progress }),
}).finally(close)
say({ outcome: { ...outcome, faults: outcome.faults.map(withoutSteps) } })
