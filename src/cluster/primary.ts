import cluster, { type Worker } from 'node:cluster'
import type { FastifyBaseLogger } from 'fastify'
import type { Caller } from '../engine/access/caller.ts'
import { noCounting } from '../engine/limits/counting.ts'
import { within } from '../engine/within.ts'
import { type LogStream, writeError } from '../log-stream.ts'
import type { Resources } from '../resources.ts'
import type { AtPrimary, AtWorker, Counted, MetricValues } from './deeds.ts'
import { keepMembers, type Member, type Members } from './keeping.ts'
import { createLink, type Message } from './link.ts'

/** Longest that a worker waits until all others enforce what it has told them, in ms. */
const announceWithin = 1_000

export interface Workers {
  members: Members
  /** those that accept requests and have not said what they have counted until their end */
  measured(): Iterable<{ id: number; metrics(): Promise<MetricValues> }>
}

/** Nothing but these is read where calls are counted. */
const callerOf = ({ counter, quotas }: Counted): Caller => ({
  kind: 'stranger',
  address: '',
  counter,
  quotas,
  plan: '',
  bannedUntil: null,
})

/**
 * Starts workers and keeps them running.
 * @param ended is told of each worker that ends, and what it has counted where it could still say so
 * @throws Error when one of the first can't be started; it has said why
 */
export async function startWorkers(
  {
    counting = noCounting,
    deprecatedCalls,
    settle,
  }: Pick<Resources, 'counting' | 'deprecatedCalls' | 'settle'>,
  options: { count: number; stopWithinMs: number; log: FastifyBaseLogger; stream: LogStream },
  ended: (id: number, last?: MetricValues) => void,
): Promise<Workers> {
  type ToWorker = ReturnType<typeof createLink<AtWorker, AtPrimary>>
  interface Ready {
    id: number
    link: ToWorker
    metrics(): Promise<MetricValues>
  }
  const ready = new Map<number, Ready>()
  const starting = new Set<ToWorker>()

  /** One that is about to serve is told, too; what it has read before may be older. */
  async function announce<Name extends 'ban' | 'keyChanged' | 'written'>(
    from: number,
    name: Name,
    input: Parameters<AtWorker[Name]>[0],
  ): Promise<void> {
    for (const link of starting) link.tell(name, input)
    const others = [...ready.values()].filter(({ id }) => id !== from)
    const all = Promise.allSettled(others.map(({ link }) => link.ask(name, input)))
    await within(announceWithin, all, undefined)
  }

  // A worker that had the same output would make it blocking for all, when it starts and when it ends.
  cluster.setupPrimary({ silent: true })

  function start(): Member {
    const worker: Worker = cluster.fork()
    forwardLog(worker, options.stream)
    const link = createLink<AtWorker, AtPrimary>(message => {
      if (worker.isConnected()) worker.send(message, () => {})
    })
    starting.add(link)
    const { id } = worker
    const isReady = Promise.withResolvers<void>()
    const isEnded = Promise.withResolvers<string>()
    let last: MetricValues | undefined
    worker.on('message', (message: Message) => link.receive(message))
    link.serve({
      count: counted => counting.count(callerOf(counted)),
      look: counted => counting.look(callerOf(counted)),
      noteCall: ([holder, operationId]) => deprecatedCalls.note(holder, operationId),
      storeCalls: settle,
      ban: ban => announce(id, 'ban', ban),
      keyChanged: key => announce(id, 'keyChanged', key),
      written: written => announce(id, 'written', written),
      ready() {
        starting.delete(link)
        ready.set(id, { id, link, metrics: () => link.ask('metrics', null) })
        isReady.resolve()
      },
      lastMetrics(values) {
        ready.delete(id)
        last = values
        ended(id, values)
      },
    })
    const end = (how: string) => {
      link.close()
      starting.delete(link)
      ready.delete(id)
      if (!last) ended(id)
      isReady.reject(new Error(`A worker has ended before it was ready (${how})`))
      isEnded.resolve(how)
    }
    worker.on('exit', (code, signal) => end(signal ?? `exit code ${code}`))
    worker.on('error', error => end(error.message))
    return {
      id,
      pid: worker.process.pid,
      ready: isReady.promise,
      ended: isEnded.promise,
      stop(timeoutMs) {
        // One that does not serve yet ends at once.
        if (starting.has(link)) worker.process.kill('SIGTERM')
        else link.tell('stop', timeoutMs)
      },
      kill: () => void worker.process.kill('SIGKILL'),
    }
  }

  const members = await keepMembers({ ...options, start })
  return { members, measured: () => ready.values() }
}

/** Writes the log of a worker, whole lines only, and what it writes to the standard error. */
function forwardLog({ process: { stdout, stderr } }: Worker, stream: LogStream): void {
  stderr?.setEncoding('utf8').on('data', writeError)
  let begun = ''
  stdout?.setEncoding('utf8').on('data', (text: string) => {
    const end = text.lastIndexOf('\n') + 1
    if (end > 0) stream.write(begun + text.slice(0, end))
    begun = end > 0 ? text.slice(end) : begun + text
  })
}
