import cluster from 'node:cluster'

/** The values of all metrics of a process, as the library writes them. */
export type MetricValues = readonly { type: string }[]

/** What a worker tells the primary: it accepts requests, or what it has counted by now, or until its end. */
export type FromWorker = { name: 'ready' } | { name: 'metrics' | 'lastMetrics'; values: MetricValues }

/** What the primary asks of a worker: its metrics, or to answer what is under way and end. */
export type ToWorker = { name: 'metrics' } | { name: 'stop'; timeoutMs: number }

/** One of several processes that serve together, as this process sees it. */
export type Membership = ReturnType<typeof joinPrimary>

/** Joins the primary that has started this process. When the primary dies, Node ends its workers. */
export function joinPrimary() {
  const { worker } = cluster
  if (!worker) throw new Error('This process is no worker')
  process.on('SIGHUP', () => {}) // a terminal sends it to all processes; it is the primary's to deal with
  const tell = (message: FromWorker) =>
    new Promise<unknown>(resolve => {
      worker.send(message, resolve)
    })
  return {
    /** unique among all workers that the primary has ever started; the first one is 1 */
    id: worker.id,
    /** Tells that this process accepts requests, and does from now on what the primary asks for. */
    serve(metrics: () => Promise<MetricValues>, stop: (timeoutMs: number) => void): void {
      worker.on('message', async (message: ToWorker) => {
        if (message.name === 'stop') stop(message.timeoutMs)
        else await tell({ name: 'metrics', values: await metrics() })
      })
      void tell({ name: 'ready' })
    },
    /** To be called when everything is closed: nothing else keeps this process from ending then. */
    async leave(values?: MetricValues): Promise<void> {
      if (values) await tell({ name: 'lastMetrics', values })
      worker.disconnect()
    },
  }
}
