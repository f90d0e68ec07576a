import { on } from 'node:events'
import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import { moduleBeside } from 'spec-served/internal/command/project'
import { type InterfacePart, type Look, serviceNames } from './service.ts'
import type { Fault } from './summary.ts'

/** The choice of requests. */
export interface Draw {
  seed: number
  now: Date
  /** only a part of the interface; absent: all of it */
  only: Omit<InterfacePart, 'seen'> | undefined
  /** whether one fault is enough to know */
  untilFault: boolean
}

/** A message of a thread. One without a fault or steps means that it waits for a service. */
export interface ThreadMessage {
  /** the probe that begins, and the service that it looks at */
  probe?: { service: string; name: string }
  fault?: Fault
  steps?: { fault: Fault; text: string; isAgain: boolean }
  look?: Look
}

/** More would wait for the longest of the services, and each holds a database. */
const most = 3

/**
 * Looks at the project's own service on several threads.
 * @param hear takes faults and steps as they come
 * @param signal ends the work; what was looked at until then counts
 * @throws Error as soon as a thread fails, or if one ends before its work does
 */
export async function lookOnThreads(
  draw: Draw,
  hear: (message: ThreadMessage) => void,
  signal?: AbortSignal,
): Promise<Look[]> {
  const due = [...serviceNames]
  const looks: Look[] = []
  const isEnough = () =>
    signal?.aborted === true || (draw.untilFault && looks.some(({ faults }) => faults.length > 0))
  const threads = draw.untilFault ? 1 : Math.min(most, availableParallelism())
  const workers = Array.from(
    { length: threads },
    () => new Worker(moduleBeside('./thread', import.meta), { workerData: draw }),
  )
  signal?.addEventListener('abort', () => {
    for (const worker of workers) worker.terminate()
  })
  await Promise.all(
    workers.map(async worker => {
      for await (const [message] of on(worker, 'message', { close: ['exit'] }) as AsyncIterable<
        [ThreadMessage]
      >) {
        hear(message)
        if (message.fault || message.steps || message.probe) continue
        if (message.look) looks.push(message.look)
        const next = isEnough() ? undefined : due.shift()
        if (next === undefined) break
        worker.postMessage(next)
      }
      await worker.terminate()
    }),
  ).catch(async error => {
    await Promise.all(workers.map(worker => worker.terminate())) // nobody would hear what the others find
    throw error
  })
  const lost = serviceNames.length - looks.length
  if (lost > 0 && !isEnough()) throw new Error(`A thread ended, and ${lost} services were not looked at`)
  return looks
}
