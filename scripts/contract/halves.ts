import { Worker } from 'node:worker_threads'
import { checkContract, type Outcome, type Task, unseen } from './check.ts'
import type { ServiceName } from './probes.ts'
import { type Fault, kindOf } from './report.ts'

/**
 * The services that are looked at in this thread; all others are in the one beside it. It does not matter which stand
 * together, but that both take about as long.
 */
const here: readonly ServiceName[] = [
  'requests',
  'bans and lengths of time',
  'last records',
  'limits',
  'elsewhere',
]
const beside: readonly ServiceName[] = ['refusals and conditions', 'queries and sequences']

/** What the thread beside is handed. */
export interface Half {
  seed: number
  now: Date
  services: readonly ServiceName[]
}

/** What it says. */
export type Said =
  | { progress: string }
  | { fault: Fault }
  | { steps: string; of: Fault; isAgain: boolean }
  | { outcome: Outcome }

/** What of a fault can be handed from thread to thread. */
export const withoutSteps = ({ steps, ...fault }: Fault): Fault => fault

/** Does the same as `checkContract` in half the time, where there are two cores. */
export async function checkInHalves(task: Task, now: Date): Promise<Outcome> {
  const faults: Fault[] = []
  const told = new Set<string>()
  const tell = (fault: Fault) => {
    if (told.has(kindOf(fault))) return
    told.add(kindOf(fault))
    faults.push(fault)
    task.onFault?.(fault)
  }
  const half: Half = { seed: task.seed, now, services: beside }
  const worker = new Worker(new URL('./half.ts', import.meta.url), { workerData: half })
  try {
    const outcomes = await Promise.all([
      checkContract({ ...task, services: here, onFault: tell }),
      new Promise<Outcome>((resolve, reject) => {
        worker.on('error', reject)
        worker.on('exit', code => reject(new Error(`The other half ended with ${code}`)))
        worker.on('message', (said: Said) => {
          if ('progress' in said) task.onProgress?.(said.progress)
          else if ('fault' in said) tell(said.fault)
          else if ('steps' in said) task.onSteps?.(said.of, said.steps, said.isAgain)
          else resolve(said.outcome)
        })
      }),
    ])
    const [one, other] = outcomes
    const missing = one.missing.filter(what => other.missing.includes(what))
    if (faults.length === 0)
      for (const what of missing) tell({ operation: 'the service', message: unseen(what) })
    const rows = new Map([...one.rows, ...other.rows])
    return { ...one, faults, rows, missing, requests: one.requests + other.requests }
  } finally {
    await worker.terminate()
  }
}
