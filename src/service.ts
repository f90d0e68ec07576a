import cluster from 'node:cluster'
import type { FastifyInstance } from 'fastify'
import { keyScheme } from './checkers.ts'
import type { Membership } from './cluster/worker.ts'
import type { CommandTools } from './commands/command.ts'
import { type Config, loadEnvFile, readConfig, variables } from './config.ts'
import { readContract } from './contract.ts'
import type { OpenDatabase } from './database/connect.ts'
import { openMigrated } from './database/open.ts'
import type { Database } from './database/tables.ts'
import { type Log, silent } from './engine/batch-writer.ts'
import type { DependencyState } from './engine/context.ts'
import type { Contract } from './engine/contract.ts'
import type { EngineOptions } from './engine/engine.ts'
import { createErrorForms, unfitText } from './engine/replies/error-forms.ts'
import { upcomingSunsets } from './engine/replies/lifecycle.ts'
import { failureText } from './failure-text.ts'
import { prepareKeys } from './first-key.ts'
import { documentHash } from './generated/operations.ts'
import { createSeal, type Seal } from './keys/seal.ts'
import { openLogStream } from './log-stream.ts'
import type { Metrics } from './metrics/metrics.ts'
import { checkPepper } from './pepper.ts'
import type { Replicas } from './replicas/replicas.ts'
import type { Resources } from './resources.ts'
import type { StandIns } from './server.ts'
import { onSignal } from './signals.ts'
import { defaultsOf, listenFault, namesCodes, tellNewcomers, tellOfKeysBesidePlans } from './telling.ts'
import { visibleText } from './visible-text.ts'

/** The part of a stop's time that requests under way are given; the rest is for writing what is noted. */
const drainShare = 0.8

/** What `npm run dev` does otherwise. */
export interface Development {
  standIns: StandIns
  /** Is called before anything is opened. */
  before(contract: Contract): Promise<void>
  prepare: EngineOptions['prepare']
  docsScript: EngineOptions['docsScript']
}

/** How to close what was opened, in that order. */
type Closing = (() => Promise<unknown>)[]

/** Takes every step, the last one first, whichever fails. @returns what went wrong */
async function closeAll(closing: Closing): Promise<unknown[]> {
  const failures: unknown[] = []
  for (const step of closing.splice(0).toReversed())
    await step().catch((error: unknown) => failures.push(error))
  return failures
}

/** Opens what the service needs, listens, and closes everything again on SIGINT, SIGTERM or SIGHUP. */
async function main(development?: Development): Promise<void> {
  loadEnvFile()
  const config = readConfig(process.env)
  const contract = await readContract()
  await development?.before(contract)
  const isOneOfSeveral = config.workers > 1 && !development
  if (isOneOfSeveral && cluster.isPrimary) return (await import('./cluster/primary.ts')).servePrimary(config)
  const worker = isOneOfSeveral ? (await import('./cluster/worker.ts')).joinPrimary() : undefined
  /** What is true of all workers is told by the first one. */
  const isFirst = worker === undefined || worker.id === 1
  const closing: Closing = []
  try {
    const opened = await open(config, contract, closing, worker, development)
    const { app, metrics } = opened
    if (isFirst) for (const note of defaultsOf(contract)) app.log.info(note)
    await prepareKeys(config.database, contract, { ...opened, log: app.log }, isFirst)
    if (config.database.kind === 'embedded' && config.database.dataDir !== null)
      closing.push(takeCommands(config.database.dataDir, contract, opened))
    if (isFirst) warn(contract, opened)
    if (metrics && !worker) {
      const { listenForPrometheus } = await import('./metrics/listen.ts')
      const listener = await listenForPrometheus(metrics, config.host, config.metricsPort ?? 0)
      closing.push(listener.close)
      app.log.info(`Metrics for Prometheus are at ${listener.url}`)
    }
    const stop = stopper(config, closing, opened, worker)
    const { host, port } = config
    const url = await app.listen({ host, port }).catch((error: NodeJS.ErrnoException) => {
      throw listenFault(error, host, port, 'PORT')
    })
    if (isFirst) tellStart(url, config, contract, opened)
    onSignal(signal => void stop(signal), { except: worker ? ['SIGHUP'] : [] }) // that is the primary's
    worker?.serve(
      async () => (await metrics?.values()) ?? [],
      timeoutMs => void stop('The primary asks for it', timeoutMs),
    )
  } catch (error) {
    await closeAll(closing)
    await worker?.leave()
    throw error
  }
}

/** What serves, and what it serves from. */
interface Opened {
  app: FastifyInstance
  db: Database
  resources: Resources
  seal: Seal
  /** a warning about keys without the pepper */
  aboutPepper: string | undefined
  metrics: Metrics | undefined
}

async function open(
  config: Config,
  contract: Contract,
  closing: Closing,
  worker: Membership | undefined,
  development: Development | undefined,
): Promise<Opened> {
  // What else is needed is loaded while the database is opened.
  const [database, { openResources }, { buildServer }] = await Promise.all([
    openMigrated(config.database),
    import('./resources.ts'),
    import('./server.ts'),
  ])
  closing.push(database.close)
  // What runs in the background is opened before the server, whose log it has from then on.
  let log = silent
  const background: Log = {
    warn: (details, message) => log.warn(details, message),
    info: message => log.info(message),
  }
  const { redisUrl, tracesTo, trustProxy, publicUrl, corsOrigins, requestTimeoutMs, maxWaitMs } = config
  const { db, probe } = database
  const seal = createSeal(config.apiKeyPepper)
  const aboutPepper = await checkPepper(db, seal)
  const replicas = await openReplicas(config, database, background)
  if (replicas) closing.push(replicas.close)
  const opened = await openResources(contract, db, { redisUrl, seal, log: background, probe, replicas })
  closing.push(opened.close)
  const metrics =
    config.metricsPort === undefined ? undefined : await openMetrics(contract, opened, database, replicas)
  const resources = metrics?.watch(opened) ?? opened
  const traces = tracesTo
    ? (await import('./traces.ts')).openTraces(contract, tracesTo, background)
    : undefined
  if (traces) closing.push(traces.close)
  const app = await buildServer(contract, resources, {
    ...{ trustProxy, publicUrl, corsOrigins, requestTimeoutMs, maxWaitMs },
    observe: metrics?.observe,
    observeUnread: metrics?.observeUnread,
    standIns: development?.standIns,
    prepare(app) {
      development?.prepare?.(app)
      traces?.prepare(app)
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
  closing.push(() => app.close())
  return { app, db, resources, seal, aboutPepper, metrics }
}

/** Opens the replicas of a database; undefined: it has none. Whether they answer is told in the log. */
async function openReplicas(
  { database: place }: Config,
  { pool }: OpenDatabase,
  log: Log,
): Promise<Replicas | undefined> {
  if (place.kind === 'embedded' || !place.replicaUrls || !pool) return undefined
  const replicas = await import('./replicas/replicas.ts')
  return replicas.openReplicas(pool, place, place.replicaUrls, log)
}

/** Loads what metrics need, which nobody else does. */
async function openMetrics(
  contract: Contract,
  { dependencies, redis }: Resources,
  { pool }: OpenDatabase,
  replicas: Replicas | undefined,
): Promise<Metrics> {
  const metrics = await import('./metrics/metrics.ts')
  const ofRedis = (): DependencyState[] =>
    redis ? [{ name: 'redis', status: redis.status === 'ready' ? 'ok' : 'degraded' }] : []
  return metrics.openMetrics({
    contract,
    documentHash,
    poolState: pool?.state,
    replicasState: replicas?.state,
    dependencies: async () => [...(await dependencies()), ...ofRedis()],
  })
}

/** Takes operators' commands in a directory; a start does not wait for it. @returns what ends that */
function takeCommands(
  dataDir: string,
  contract: Contract,
  { app, db, resources, seal }: Opened,
): () => Promise<void> {
  const tools: CommandTools = {
    ...{ db, dataDir, contract, seal, settle: resources.settle, isServing: true },
    now: () => new Date(),
    keyChanged: async id => resources.checkers.ApiKey.forget?.(id),
  }
  const told = (command: string) => app.log.info({ command }, 'A command of an operator')
  const listening = import('./commands/socket.ts')
    .then(({ listenForCommands }) => listenForCommands(dataDir, tools, told))
    .catch((err: unknown) => {
      app.log.warn({ err }, 'Operators’ commands can’t reach this server: stop it to use them.')
    })
  return async () => (await listening)?.close()
}

/** Warns of what does not keep the service from starting. */
function warn(contract: Contract, { app, aboutPepper, resources }: Opened): void {
  if (aboutPepper !== undefined) app.log.warn(aboutPepper)
  for (const warning of upcomingSunsets(contract, new Date())) app.log.warn(warning)
  if (resources.redis && resources.redis.status !== 'ready')
    app.log.warn(
      { err: resources.redisFault },
      'Redis does not answer at REDIS_URL: limits are counted in memory until it does.',
    )
}

/** Says where the service is, and, once it listens, what takes a while to find out. */
function tellStart(url: string, config: Config, contract: Contract, { app, db }: Opened): void {
  tellNewcomers(app.log, url, contract, config)
  // Nobody waits for this.
  if (keyScheme(contract.model) !== undefined) tellOfKeysBesidePlans(app.log, db, contract)
  setImmediate(() => {
    if (namesCodes(contract)) return
    for (const unfit of createErrorForms(contract.model, () => new Date()).unfit())
      app.log.warn(unfitText(unfit))
  })
}

/** What stops the service, once, within some time (in ms). */
function stopper(
  { shutdownTimeoutMs }: Config,
  closing: Closing,
  { app, metrics }: Opened,
  worker: Membership | undefined,
): (reason: string, timeoutMs?: number) => Promise<void> {
  let isStopping = false
  return async (reason, timeoutMs = shutdownTimeoutMs) => {
    if (isStopping) return
    isStopping = true
    app.log.info(`${reason}: stopping`)
    setTimeout(() => {
      app.log.error(`The stop takes longer than SHUTDOWN_TIMEOUT_MS (${timeoutMs}): ending now`)
      // What still hangs, a dead database above all, can't be told to let go of the process.
      process.exit(1)
    }, timeoutMs).unref()
    if (!(await app.drain(timeoutMs * drainShare)))
      app.log.warn('Some requests were under way for too long: they were refused or cut')
    for (const failure of await closeAll(closing)) {
      app.log.error({ err: failure }, 'Not everything could be closed')
      process.exitCode = 1
    }
    app.log.info('stopped')
    await worker?.leave(await metrics?.values())
  }
}

/**
 * Starts the service as the command line says; a failure is told, and sets the exit code.
 * @param development absent: what is not complete does not start
 */
export async function serve(development?: Development): Promise<void> {
  if (process.argv.length > 2) {
    console.error(
      `The service takes no arguments; it is set up by environment variables:\n  ${variables.join('\n  ')}`,
    )
    process.exitCode = process.argv.includes('--help') ? 0 : 2
    return
  }
  await main(development).catch((error: unknown) => {
    console.error(visibleText(`The service does not start: ${failureText(error)}`))
    process.exitCode = 1
  })
}
