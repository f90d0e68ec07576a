import cluster from 'node:cluster'
import type { Caller, HolderId } from '../engine/access/caller.ts'
import type { Counting } from '../engine/limits/counting.ts'
import { within } from '../engine/within.ts'
import type { Resources } from '../resources.ts'
import type { Written } from '../store/own-writes.ts'
import type { AtPrimary, AtWorker, Counted, MetricValues } from './deeds.ts'
import { createLink, type Message } from './link.ts'

/** What a worker is told and asked. */
interface Duties {
  /** the resources of this process alone */
  resources: Resources
  metrics(): Promise<MetricValues>
  /** Answers what is under way, closes all and calls `leave`. */
  stop(timeoutMs: number): void
}

/** One of several processes that serve together, as this process sees it. */
export interface Membership {
  /** unique among all workers that the primary has ever started; the first one is 1 */
  id: number
  counting: Counting
  /** Tells the other workers what a caller has written; there once they know it. */
  tellWritten(written: Written): Promise<void>
  /** The same resources, in which everything that all workers must know goes to all of them. */
  share(resources: Resources): Resources
  /** Does from now on what the primary asks for; to be called before a request is accepted. */
  serve(duties: Duties): void
  /** To be called once this process accepts requests. */
  ready(): void
  /** To be called when everything is closed: nothing else keeps this process from ending then. */
  leave(lastMetrics?: MetricValues): Promise<void>
}

/** Longest wait for the primary to have taken what a worker leaves, in ms. */
const leavingMs = 1_000

const countedOf = ({ counter, quotas }: Caller): Counted => ({ counter, quotas })

/** Joins the primary that has started this process. When the primary dies, Node ends its workers. */
export function joinPrimary(): Membership {
  const { worker } = cluster
  if (!worker) throw new Error('This process is no worker')
  const link = createLink<AtPrimary, AtWorker>(message => worker.send(message, () => {}))
  process.on('message', (message: Message) => link.receive(message))
  process.on('SIGHUP', () => {}) // a terminal sends it to all processes; it is the primary's to deal with
  /** All goes on where the primary can't be told: it is about to end then, and this process with it. */
  const told = (telling: Promise<void>) => telling.catch(() => {})
  return {
    id: worker.id,
    counting: {
      count: caller => link.ask('count', countedOf(caller)),
      look: caller => link.ask('look', countedOf(caller)),
    },
    tellWritten: written => told(link.ask('written', written)),
    share(resources) {
      const { bans, checkers, deprecatedCalls } = resources
      return {
        ...resources,
        bans: {
          ...bans,
          async ban(caller, until) {
            // Nobody is banned who is banned already.
            const ban = { caller: { ...caller, bannedUntil: null }, until: until.getTime() }
            const telling = told(link.ask('ban', ban))
            await Promise.all([bans.ban(caller, until), telling])
          },
        },
        checkers: {
          ApiKey: {
            ...checkers.ApiKey,
            async forget(id: HolderId) {
              await Promise.all([checkers.ApiKey.forget(id), told(link.ask('keyChanged', id))])
            },
          },
        },
        deprecatedCalls: {
          note: (holder, operationId) => link.tell('noteCall', [holder, operationId]),
          async of(holder) {
            await told(link.ask('storeCalls', null)) // where they can't be stored, they can't be read either
            return deprecatedCalls.of(holder)
          },
        },
      }
    },
    serve({ resources, metrics, stop }) {
      link.serve({
        ban: ({ caller, until }) => resources.bans.ban(caller, new Date(until)),
        keyChanged: async id => resources.checkers.ApiKey.forget(id),
        written: async written => resources.reads?.learn(written),
        metrics,
        stop,
      })
    },
    ready: () => link.tell('ready', null),
    async leave(lastMetrics) {
      if (lastMetrics) {
        const taken = link.ask('lastMetrics', lastMetrics).catch(() => {})
        await within(leavingMs, taken, undefined)
      }
      link.flush()
      worker.disconnect()
    },
  }
}
