import cluster from 'node:cluster'
import type { BanNews } from '../limits/bans.ts'
import type { Calls, Counting, Windows } from '../limits/shared-memory.ts'
import type { OtherWorkers } from '../parts.ts'

/** The values of all metrics of a process, as the library writes them. */
export type MetricValues = readonly { type: string }[]

/** A ban, or a changed API key by its identifier: the other workers hear of it at once. */
export type News = { ban: BanNews } | { key: number }

/** A question about the counters that the primary keeps (see `Counting`), or news, answered once all workers have heard them. */
export type Question =
  | { about: 'news'; news: News }
  | { about: 'count'; calls: readonly Calls[] }
  | { about: 'hasBegun' | 'begin' | 'flush' }
  | { about: 'load'; windows: Windows }

/** The failure of a worker to store windows. */
export interface SaveFault {
  message: string
  isOfData: boolean
}

/**
 * A worker's message to the primary: it accepts requests, its metrics so far, its last ones, whether it can serve, a question,
 * or that it has done a task: `news` or `save`.
 */
export type FromWorker =
  | { name: 'ready' }
  | { name: 'metrics' | 'lastMetrics'; values: MetricValues }
  | { name: 'readiness'; isReady: boolean }
  | { name: 'question'; id: number; question: Question }
  | { name: 'done'; id: number; fault?: SaveFault }

/**
 * The primary's message to a worker: report metrics or readiness, say that you are about to stop, finish the requests under way and
 * end, the answer to a question, news of another worker, or windows to store.
 */
export type ToWorker =
  | { name: 'metrics' | 'readiness' | 'retire' }
  | { name: 'stop'; timeoutMs: number }
  | { name: 'answer'; id: number; answer?: unknown; fault?: string }
  | { name: 'news'; id: number; news: News }
  | { name: 'save'; id: number; windows: Windows }

/** The duties of a worker to its primary. */
export interface Duties {
  metrics(): Promise<MetricValues>
  isReady(): Promise<boolean>
  retire(): void
  stop(timeoutMs: number): void
}

/** A worker's link to its primary. */
export type Membership = ReturnType<typeof joinPrimary>

/** Joins the primary that started this process. When the primary dies, Node ends its workers. */
export function joinPrimary() {
  const { worker } = cluster
  if (!worker) throw new Error('This process is no worker')
  process.on('SIGHUP', () => {}) // a terminal sends it to all processes; the primary handles it
  const tell = (message: FromWorker) =>
    new Promise<unknown>(resolve => {
      worker.send(message, resolve)
    })
  /** the questions without an answer */
  const asked = new Map<number, { resolve(answer: unknown): void; reject(error: Error): void }>()
  let questions = 0
  function ask(question: Question): Promise<unknown> {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>()
    const id = ++questions
    asked.set(id, { resolve, reject })
    void tell({ name: 'question', id, question })
    return promise
  }
  worker.on('message', (message: ToWorker) => {
    if (message.name !== 'answer') return
    const { id, answer, fault } = message
    const waiting = asked.get(id)
    asked.delete(id)
    if (fault === undefined) waiting?.resolve(answer)
    else waiting?.reject(new Error(fault))
  })
  const counting: Counting = {
    count: calls => ask({ about: 'count', calls }),
    async begin(load) {
      if ((await ask({ about: 'hasBegun' })) === true) return
      for await (const windows of load()) await ask({ about: 'load', windows })
      await ask({ about: 'begin' })
    },
    onSave(save, isFaultOfData) {
      worker.on('message', async (message: ToWorker) => {
        if (message.name !== 'save') return
        const { id } = message
        const failed = (error: unknown) => ({ message: String(error), isOfData: isFaultOfData(error) })
        const fault = await save(message.windows).then(() => undefined, failed)
        void tell({ name: 'done', id, ...(fault && { fault }) })
      })
    },
    flush: async () => void (await ask({ about: 'flush' })),
  }
  const share = async (news: News) => void (await ask({ about: 'news', news }))
  const hearing: ((news: News) => void)[] = []
  worker.on('message', (message: ToWorker) => {
    if (message.name !== 'news') return
    for (const hear of hearing) hear(message.news)
    void tell({ name: 'done', id: message.id })
  })
  const bans: OtherWorkers<BanNews> = {
    tell: ban => share({ ban }),
    listen: hear => void hearing.push(news => 'ban' in news && hear(news.ban)),
  }
  const changedKeys: OtherWorkers<number> = {
    tell: key => share({ key }),
    listen: hear => void hearing.push(news => 'key' in news && hear(news.key)),
  }
  return {
    counting,
    bans,
    changedKeys,
    /** unique among all workers that the primary has ever started; the first one is 1 */
    id: worker.id,
    /** Says to the primary that this process accepts requests, and obeys its messages from then on. */
    serve({ metrics, isReady, retire, stop }: Duties): void {
      worker.on('message', async (message: ToWorker) => {
        if (message.name === 'stop') stop(message.timeoutMs)
        else if (message.name === 'retire') retire()
        else if (message.name === 'metrics') await tell({ name: 'metrics', values: await metrics() })
        else if (message.name === 'readiness') await tell({ name: 'readiness', isReady: await isReady() })
      })
      void tell({ name: 'ready' })
    },
    /** To be called when everything is closed. Afterwards nothing keeps this process alive. */
    async leave(values?: MetricValues): Promise<void> {
      if (values) await tell({ name: 'lastMetrics', values })
      worker.disconnect()
    },
  }
}
