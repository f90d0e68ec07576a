import { readFile } from 'node:fs/promises'
import { docsAddresses } from 'spec-served-document/contract/addresses'
import type { Contract } from 'spec-served-document/contract/contract'
import { createSeal } from '../callers/seal.ts'
import { named, openMigrated } from '../database/connect.ts'
import type { EngineOptions } from '../engine.ts'
import type { Log } from '../runtime/batch-writer.ts'
import { type Config, tokenSettings } from './config.ts'
import type { Service } from './definition.ts'
import { openLogStream } from './log-stream.ts'
import type { Metrics } from './metrics.ts'
import type { StandIns } from './server.ts'
import type { Membership } from './worker.ts'

/** The most log lines that wait for the log. */
const mostEarly = 100

/** The differences of `npm run dev`. */
export interface Development {
  standIns: StandIns
  prepare: EngineOptions['prepare']
  docsScript: EngineOptions['docsScript']
}

export type Opened = Awaited<ReturnType<typeof open>>

const notWhole =
  'fastify-openapi-glue gets the operations of the document without their schemas: it refuses the whole, or would copy too much'

/** Opens all parts of a service, and builds its server. @param closing gets the closing of all but the server */
export async function open(
  service: Service,
  config: Config,
  contract: Contract,
  closing: AsyncDisposableStack,
  worker?: Membership,
  development?: Development,
) {
  // Background work starts before the server, and uses the server's log. What it reports earlier is written then.
  let log: Log | undefined
  const early: ((log: Log) => void)[] = []
  const tell = (line: (log: Log) => void) => {
    if (log) line(log)
    else if (early.length < mostEarly) early.push(line)
  }
  const background: Log = {
    warn: (details, message) => tell(logger => logger.warn(details, message)),
    info: message => tell(logger => logger.info(message)),
  }
  const {
    trustProxy,
    publicUrl,
    corsOrigins,
    requestTimeoutMs,
    handlerTimeoutMs,
    maxWaitMs,
    mcp,
    tokenIssuer,
    checkReplies,
  } = config
  if (!contract.isTakenWhole) background.info(notWhole)
  // The server's code loads while the database opens.
  const [parts, { buildServer }] = await Promise.all([
    openParts(service, config, contract, closing, background, worker),
    import('./server.ts'),
  ])
  const app = await buildServer(service, contract, parts.resources, {
    ...{ trustProxy, publicUrl, corsOrigins, requestTimeoutMs, handlerTimeoutMs, maxWaitMs, mcp },
    tokenIssuer,
    agentTools: { names: config.mcpTools, readOnly: config.mcpReadOnly },
    observe: parts.metrics?.observe,
    observeUnread: parts.metrics?.observeUnread,
    checkReplies: development ? 1 : checkReplies,
    observeReply: parts.metrics?.observeReply,
    standIns: development?.standIns,
    prepare(instance) {
      development?.prepare?.(instance)
      parts.traces?.prepare(instance)
    },
    docsScript: development?.docsScript,
    logger: {
      level: config.logLevel,
      stream: await openLogStream(worker ? 'json' : config.logFormat), // the primary writes what workers log
      ...(worker && { base: { pid: process.pid, worker: worker.id } }),
    },
    waitingForLocks: parts.waitingForLocks,
  })
  log = app.log
  for (const line of early) line(log)
  return { ...parts, app }
}

/** Opens the database and all else but the server. Parts that few need are loaded only on demand. */
async function openParts(
  { name, root, migrations }: Service,
  config: Config,
  contract: Contract,
  closing: AsyncDisposableStack,
  log: Log,
  workers: Membership | undefined,
) {
  const { database, redisUrl, apiKeyPepper, metricsPort, otelExporterOtlpEndpoint: collector } = config
  const traces = collector
    ? (await import('./traces.ts')).openTraces(name, contract, collector, log)
    : undefined
  if (traces) closing.defer(traces.close)
  const place = named(database, name)
  const [{ db, probe, waiting, pool, failed, maintain, close }, { openResources }] = await Promise.all([
    openMigrated(place, migrations),
    import('./resources.ts'),
  ])
  closing.defer(close)
  const urls = place.kind === 'postgres' ? place.replicaUrls : undefined
  const replicas =
    pool && place.kind === 'postgres' && urls
      ? (await import('../database/replicas.ts')).openReplicas(pool, place, urls, log)
      : undefined
  if (replicas) closing.defer(replicas.close)
  const seal = createSeal(apiKeyPepper)
  const tokens = tokenSettings(config, docsAddresses(contract.model).mcp)
  const opened = await openResources(contract, db, {
    ...{ name, redisUrl, seal, log, probe, waiting, replicas, tokens, maintain, workers },
  })
  closing.defer(opened.close)
  let metrics: Metrics | undefined
  if (metricsPort !== undefined) {
    const { version } = JSON.parse(await readFile(new URL('package.json', root), 'utf8'))
    const states = { poolState: pool?.state, replicasState: replicas?.state }
    const { openMetrics } = await import('./metrics.ts')
    metrics = await openMetrics({ ...opened, ...states, contract, version })
  }
  const waitingForLocks = pool && (() => pool.state().statements.locked)
  return { resources: metrics?.watch(opened) ?? opened, metrics, traces, waitingForLocks, failed }
}
