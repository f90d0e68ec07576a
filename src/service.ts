import cluster from 'node:cluster'
import type { Membership } from './cluster/worker.ts'
import type { CommandTools } from './commands/command.ts'
import { type Config, loadEnvFile, readConfig, variables } from './config.ts'
import { readContract } from './contract.ts'
import { openMigrated } from './database/connect.ts'
import { type Log, silent } from './engine/batch-writer.ts'
import type { Contract } from './engine/contract.ts'
import type { EngineOptions } from './engine/engine.ts'
import { prepareKeys } from './first-key.ts'
import { documentHash } from './generated/operations.ts'
import { createSeal } from './keys/seal.ts'
import { openLogStream } from './log-stream.ts'
import type { Metrics } from './metrics/metrics.ts'
import type { StandIns } from './server.ts'
import { checkPepper, listenFault, tellBeforeStart, tellStart } from './startup-messages.ts'
import { onSignal, stopWithin } from './stopping.ts'
import { failureText, visibleText } from './visible-text.ts'

/** The part of a stop's time that requests under way are given; the rest is for writing what is noted. */
const drainShare = 0.8

/** What `npm run dev` does otherwise. */
interface Development {
  standIns: StandIns
  prepare: EngineOptions['prepare']
  docsScript: EngineOptions['docsScript']
}

type Develop = (contract: Contract) => Development

/** Opens what the service needs, listens, and closes everything again on SIGINT, SIGTERM or SIGHUP. */
async function main(develop?: Develop): Promise<void> {
  loadEnvFile()
  const config = readConfig(process.env)
  const contract = await readContract()
  const development = develop?.(contract)
  const isOneOfSeveral = config.workers > 1 && !development
  if (isOneOfSeveral && cluster.isPrimary) return (await import('./cluster/primary.ts')).servePrimary(config)
  const worker = isOneOfSeveral ? (await import('./cluster/worker.ts')).joinPrimary() : undefined
  /** What is true of all workers is told by the first one. */
  const isFirst = worker === undefined || worker.id === 1
  const closing = new AsyncDisposableStack()
  try {
    const opened = await open(config, contract, closing, worker, development)
    const { app, metrics, resources } = opened
    const { db, seal } = resources
    const aboutPepper = await checkPepper(db, seal)
    if (isFirst) tellBeforeStart(app.log, contract, resources, aboutPepper)
    await prepareKeys(config.database, contract, { db, seal, log: app.log }, isFirst)
    if (config.database.kind === 'embedded' && config.database.dataDir !== null)
      closing.defer(takeCommands(config.database.dataDir, contract, opened))
    if (metrics && !worker) {
      const { listenForPrometheus } = await import('./metrics/listen.ts')
      const listener = await listenForPrometheus(metrics, config.host, config.metricsPort ?? 0)
      closing.defer(listener.close)
      app.log.info(`Metrics for Prometheus are at ${listener.url}`)
    }
    const stop = stopper(config, closing, opened, worker)
    const { host, port } = config
    const url = await app.listen({ host, port }).catch((error: NodeJS.ErrnoException) => {
      throw listenFault(error, host, port, 'PORT')
    })
    if (isFirst) tellStart(app.log, url, contract, config, db)
    onSignal(signal => void stop(signal), worker ? ['SIGHUP'] : []) // that is the primary's
    worker?.serve(
      async () => (await metrics?.values()) ?? [],
      timeoutMs => void stop('The primary asks for it', timeoutMs),
    )
  } catch (error) {
    await closing.disposeAsync().catch(() => {}) // what has failed first is told
    await worker?.leave()
    throw error
  }
}

/** What serves, and what it serves from. */
type Opened = Awaited<ReturnType<typeof open>>

async function open(
  config: Config,
  contract: Contract,
  closing: AsyncDisposableStack,
  worker: Membership | undefined,
  development: Development | undefined,
) {
  // What runs in the background is opened before the server, whose log it has from then on.
  let log = silent
  const background: Log = {
    warn: (details, message) => log.warn(details, message),
    info: message => log.info(message),
  }
  const { trustProxy, publicUrl, corsOrigins, requestTimeoutMs, maxWaitMs } = config
  // The server is loaded while the database is opened.
  const [parts, { buildServer }] = await Promise.all([
    openParts(config, contract, closing, background),
    import('./server.ts'),
  ])
  const app = await buildServer(contract, parts.resources, {
    ...{ trustProxy, publicUrl, corsOrigins, requestTimeoutMs, maxWaitMs },
    observe: parts.metrics?.observe,
    observeUnread: parts.metrics?.observeUnread,
    standIns: development?.standIns,
    prepare(app) {
      development?.prepare?.(app)
      parts.traces?.prepare(app)
    },
    docsScript: development?.docsScript,
    logger: {
      level: config.logLevel,
      stream: await openLogStream(worker ? 'json' : config.logFormat), // the primary writes what workers log
      ...(worker && { base: { pid: process.pid, worker: worker.id } }),
    },
    databaseConnections: config.database.kind === 'postgres' ? config.database.poolSize : 1,
  })
  log = app.log
  closing.defer(() => app.close())
  return { ...parts, app }
}

/** Opens the database and all else but the server; what few need is loaded for them alone. */
async function openParts(
  { database: place, redisUrl, apiKeyPepper, metricsPort, otelExporterOtlpEndpoint: collector }: Config,
  contract: Contract,
  closing: AsyncDisposableStack,
  log: Log,
) {
  const [{ db, probe, pool, close }, { openResources }] = await Promise.all([
    openMigrated(place),
    import('./resources.ts'),
  ])
  closing.defer(close)
  const urls = place.kind === 'postgres' ? place.replicaUrls : undefined
  const replicas =
    pool && place.kind === 'postgres' && urls
      ? (await import('./replicas/replicas.ts')).openReplicas(pool, place, urls, log)
      : undefined
  if (replicas) closing.defer(replicas.close)
  const seal = createSeal(apiKeyPepper)
  const opened = await openResources(contract, db, { redisUrl, seal, log, probe, replicas })
  closing.defer(opened.close)
  let metrics: Metrics | undefined
  if (metricsPort !== undefined) {
    const states = { poolState: pool?.state, replicasState: replicas?.state }
    const { openMetrics } = await import('./metrics/metrics.ts')
    metrics = await openMetrics({ ...opened, ...states, contract, documentHash })
  }
  const traces = collector ? (await import('./traces.ts')).openTraces(contract, collector, log) : undefined
  if (traces) closing.defer(traces.close)
  return { resources: metrics?.watch(opened) ?? opened, metrics, traces }
}

/** Takes operators' commands in a directory; a start does not wait for it. @returns what ends that */
function takeCommands(dataDir: string, contract: Contract, { app, resources }: Opened): () => Promise<void> {
  const keyChanged = async (id: number) => resources.checkers.ApiKey.forget?.(id)
  const tools: CommandTools = { ...resources, dataDir, contract, keyChanged, isServing: true }
  const told = (command: string) => app.log.info({ command }, 'A command of an operator')
  const listening = import('./commands/socket.ts')
    .then(({ listenForCommands }) => listenForCommands(dataDir, tools, told))
    .catch((err: unknown) => {
      app.log.warn({ err }, 'Operators’ commands can’t reach this server: stop it to use them.')
    })
  return async () => (await listening)?.close()
}

/** What stops the service, once, within some time (in ms). */
function stopper(
  { shutdownTimeoutMs }: Config,
  closing: AsyncDisposableStack,
  { app, metrics }: Opened,
  worker: Membership | undefined,
): (reason: string, timeoutMs?: number) => Promise<void> {
  let isStopping = false
  return async (reason, timeoutMs = shutdownTimeoutMs) => {
    if (isStopping) return
    isStopping = true
    await stopWithin(timeoutMs, reason, app.log, async () => {
      if (!(await app.drain(timeoutMs * drainShare)))
        app.log.warn('Some requests were under way for too long: they were refused or cut')
      await closing.disposeAsync().catch((err: unknown) => {
        app.log.error({ err }, 'Not everything could be closed')
        process.exitCode = 1
      })
    })
    await worker?.leave(await metrics?.values())
  }
}

/**
 * Starts the service as the command line says; a failure is told, and sets the exit code.
 * @param develop absent: what is not complete does not start
 */
export async function serve(develop?: Develop): Promise<void> {
  if (process.argv.length > 2) {
    console.error(
      `The service takes no arguments; it is set up by environment variables:\n  ${variables.join('\n  ')}`,
    )
    process.exitCode = process.argv.includes('--help') ? 0 : 2
    return
  }
  await main(develop).catch((error: unknown) => {
    console.error(visibleText(`The service does not start: ${failureText(error)}`))
    process.exitCode = 1
  })
}
