import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from '@prometheus-io/client'
import type { FastifyRequest } from 'fastify'
import type { Contract } from 'spec-served-document/contract/contract'
import type { OpenPool } from '../database/pool.ts'
import type { Replicas } from '../database/replicas.ts'
import { type Observe, whenOver } from '../http/every-request.ts'
import type { ObserveUnread } from '../http/unread.ts'
import type { ObserveReply } from '../validation/sampled-replies.ts'
import type { Resources } from './resources.ts'
import type { MetricValues } from './worker.ts'

export interface Sources extends Pick<Resources, 'name' | 'dependencies' | 'redis'> {
  contract: Contract
  /** the service's version */
  version: string
  /** absent: the database has no connections */
  poolState?: OpenPool['state'] | undefined
  /** absent: no replicas */
  replicasState?: Replicas['state'] | undefined
}

/** The metrics for Prometheus. No label holds a key, an address or a path. */
export type Metrics = Awaited<ReturnType<typeof openMetrics>>

/** Buckets for the durations of requests, in seconds. Most take some milliseconds. */
const durations = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10]
/** Buckets for the remaining share of a quota. */
const shares = [0, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 1]

/** Opens metrics in a registry of their own. Several servers in a process share none. */
export async function openMetrics(sources: Sources) {
  const register = new Registry()
  const registers = [register]
  collectDefaultMetrics({ register })
  const { name, contract, poolState, replicasState } = sources
  const named = namer(name, registers)
  const show = shower(named)
  showBuild(named, sources)
  showService(show, sources)
  if (poolState) showPool(named, show, poolState)
  if (replicasState) showReplicas(show, replicasState)
  const bans = new Counter(named('bans_total', 'Bans of keys and of addresses (label of).', ['of', 'plan']))
  // Prometheus sees the first value of a kind as an increase only if it has seen a zero before.
  const { plans = {}, anonymous } = contract.rateLimits ?? {}
  for (const plan of Object.keys(plans)) bans.inc({ of: 'key', plan }, 0)
  if (anonymous !== undefined) bans.inc({ of: 'address', plan: anonymous }, 0)
  return {
    contentType: register.contentType,
    text: () => register.metrics(),
    /** Returns the metrics as values, which can be added to those of other processes. */
    values: (): Promise<MetricValues> => register.getMetricsAsJSON(),
    ...requestCounter(named, contract),
    /** Returns resources whose bans are counted. */
    watch: (resources: Resources): Resources => ({
      ...resources,
      bans: {
        ...resources.bans,
        ban(caller, until) {
          bans.inc({ of: caller.kind === 'key' ? 'key' : 'address', plan: caller.plan })
          return resources.bans.ban(caller, until)
        },
      },
    }),
  }
}

type Named = ReturnType<typeof namer>
/** Returns a function that names the metrics of a service. */
const namer =
  (service: string, registers: Registry[]) =>
  (metricName: string, help: string, labelNames: string[] = []) => {
    return { name: `${service}_${metricName}`, help, labelNames, registers }
  }

/** Returns the operation of a request as a label. All unknown paths share one label. */
function labelOf({ destination: { operationId, isUnknown, isProbe } }: FastifyRequest): string {
  return operationId ?? (isUnknown ? 'unknown' : isProbe ? 'probes' : 'docs')
}

const outcomeOf = (isAborted: boolean, status: number) =>
  isAborted ? 'aborted' : `${Math.floor(status / 100)}xx`

function requestCounter(named: Named, { facts }: Contract) {
  const requests =
    'Requests and how long they took, by operation (also docs, unknown) and class of status (also aborted).'
  const share =
    'Share of the quota that each call has left its caller, in the window that will stop it first.'
  const duration = new Histogram({
    ...named('request_duration_seconds', requests, ['operation', 'status']),
    buckets: durations,
  })
  const errors = 'Errors by their code and by the plan of the caller.'
  const refusals = new Counter(named('refusals_total', errors, ['code', 'plan']))
  const quotaLeft = new Histogram({ ...named('quota_left_ratio', share, ['plan']), buckets: shares })
  const calls = 'Calls of deprecated operations.'
  const deprecatedCalls = new Counter(named('deprecated_calls_total', calls, ['operation']))
  const inProgress = new Gauge(named('requests_in_progress', 'Requests that are not answered yet.'))
  for (const [operation, { deprecation }] of facts) {
    duration.zero({ operation, status: '5xx' })
    if (deprecation) deprecatedCalls.inc({ operation }, 0)
  }
  /** Counts requests that were refused before their heads were read. */
  const observeUnread: ObserveUnread = ({ status, code, isAborted, ms }) => {
    duration.observe({ operation: 'unknown', status: outcomeOf(isAborted, status) }, ms / 1_000)
    refusals.inc({ code, plan: 'unknown' })
  }
  const observe: Observe = (request, reply) => {
    inProgress.inc()
    whenOver(reply, (isAborted, ms) => {
      inProgress.dec()
      const operation = labelOf(request)
      const plan = request.caller?.plan ?? 'unknown' // it may be refused before its caller is identified
      duration.observe({ operation, status: outcomeOf(isAborted, reply.statusCode) }, ms / 1_000)
      if (request.refusal !== null) refusals.inc({ code: request.refusal, plan })
      const left =
        Number(reply.getHeader('x-ratelimit-remaining')) / Number(reply.getHeader('x-ratelimit-limit'))
      if (left >= 0) quotaLeft.observe({ plan }, left)
      if (request.destination.facts?.deprecation) deprecatedCalls.inc({ operation })
    })
  }
  const checks =
    'Replies that were checked against the document, by operation and outcome (fits, differs, skipped).'
  const checkedReplies = new Counter(named('checked_replies_total', checks, ['operation', 'outcome']))
  for (const operation of facts.keys()) checkedReplies.inc({ operation, outcome: 'differs' }, 0)
  const observeReply: ObserveReply = (operation, outcome) => checkedReplies.inc({ operation, outcome })
  return { observe, observeUnread, observeReply }
}

function showBuild(named: Named, { contract, version }: Sources): void {
  const document = contract.model.document.info.version
  const labels = { version, document, document_hash: contract.hash.slice(0, 12), node: process.version }
  const help =
    'Always 1: the versions of the service, of its document (with the beginning of its SHA-256) and of Node.'
  new Gauge({ ...named('build_info', help, Object.keys(labels)), aggregator: 'first' }).set(labels, 1)
}

type Show = ReturnType<typeof shower>

/** Returns a function for metrics whose values, by one label, are read when Prometheus asks. */
const shower =
  (named: Named) =>
  (
    metricName: string,
    help: string,
    label: string,
    values: () => Readonly<Record<string, number>> | Promise<Record<string, number>>,
    aggregator?: 'first' | 'min' | 'average',
  ): void => {
    const metric = new (metricName.endsWith('_total') ? Counter : Gauge)({
      ...{ ...named(metricName, help, [label]), ...(aggregator && { aggregator }) },
      async collect() {
        const found = await values()
        metric.reset()
        for (const [of, value] of Object.entries(found)) metric.inc({ [label]: of }, value)
      },
    })
  }

function showService(show: Show, { contract: { facts }, dependencies, redis }: Sources): void {
  const sunsets = [...facts].flatMap(([operation, { deprecation }]) =>
    deprecation?.sunset ? [[operation, Date.parse(deprecation.sunset) / 1_000] as const] : [],
  )
  show(
    'sunset_timestamp_seconds',
    'When a deprecated operation ends, as Unix time.',
    'operation',
    () => Object.fromEntries(sunsets),
    'first',
  )
  show(
    'dependency_up',
    'Whether what the service depends on answers: 1 or 0.',
    'dependency',
    async () => {
      const states = (await dependencies()).map(({ name, status }) => [name, Number(status === 'ok')])
      return Object.fromEntries([...states, ...(redis ? [['redis', Number(redis.status === 'ready')]] : [])])
    },
    'min',
  )
}

function showPool(named: Named, show: Show, state: OpenPool['state']): void {
  show(
    'database_connections',
    'Connections to PostgreSQL by state: busy (also those that are shared) or idle.',
    'state',
    () => ({ busy: state().open - state().idle, idle: state().idle }),
  )
  show(
    'database_shared_statements',
    'Statements that wait on the shared connections to PostgreSQL, by kind: reads, writes, and locked for those that wait for a lock.',
    'kind',
    () => state().statements,
  )
  new Gauge({
    ...named('database_waiting', 'Those who wait for a connection to PostgreSQL.'),
    collect() {
      this.set(state().waiting)
    },
  })
}

function showReplicas(show: Show, state: Replicas['state']): void {
  show(
    'replicas',
    'Replicas of the database by state: in_use or left_out.',
    'state',
    () => ({ in_use: state().inUse, left_out: state().leftOut }),
    'average',
  )
  show(
    'replica_reads_total',
    'Reads that may go to a replica, by where they went: replica, primary, and those repeated elsewhere after a replica failed.',
    'by',
    () => state().reads,
  )
}
