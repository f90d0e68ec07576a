/** The values of all metrics of a process, as the library writes them. */
export type MetricValues = readonly object[]

/** What a worker tells the primary: it accepts requests, or what it has counted by now, or until its end. */
export type FromWorker = { name: 'ready' } | { name: 'metrics' | 'lastMetrics'; values: MetricValues }

/** What the primary asks of a worker: its metrics, or to answer what is under way and end. */
export type ToWorker = { name: 'metrics' } | { name: 'stop'; timeoutMs: number }
