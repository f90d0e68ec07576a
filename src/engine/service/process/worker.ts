import cluster from 'node:cluster'

/** The values of all metrics of a process, as the library writes them. */
export type MetricValues = readonly { type: string }[]

/** A worker's message to the primary: it accepts requests, its metrics so far, its last ones, or whether it can serve. */
export type FromWorker =
  | { name: 'ready' }
  | { name: 'metrics' | 'lastMetrics'; values: MetricValues }
  | { name: 'readiness'; isReady: boolean }

/** The primary's message to a worker: tell, say that you are about to stop, or finish the requests under way and end. */
export type ToWorker = { name: 'metrics' | 'readiness' | 'retire' } | { name: 'stop'; timeoutMs: number }

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
  return {
    /** unique among all workers that the primary has ever started; the first one is 1 */
    id: worker.id,
    /** Tells the primary that this process accepts requests, and obeys its messages from then on. */
    serve({ metrics, isReady, retire, stop }: Duties): void {
      worker.on('message', async (message: ToWorker) => {
        if (message.name === 'stop') stop(message.timeoutMs)
        else if (message.name === 'retire') retire()
        else if (message.name === 'metrics') await tell({ name: 'metrics', values: await metrics() })
        else await tell({ name: 'readiness', isReady: await isReady() })
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
