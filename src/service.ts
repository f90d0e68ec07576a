import cluster from 'node:cluster'
import { type Config, loadEnvFile, readConfig, variables } from './config.ts'
import { readContract } from './contract.ts'
import type { OpenDatabase } from './database/connect.ts'
import { openMigrated } from './database/open.ts'
import type { HolderId } from './engine/access/caller.ts'
import { type Log, silent } from './engine/batch-writer.ts'
import type { DependencyState } from './engine/context.ts'
import type { Contract } from './engine/contract.ts'
import type { EngineOptions } from './engine/engine.ts'
import { createErrorForms, unfitText } from './engine/replies/error-forms.ts'
import { upcomingSunsets } from './engine/replies/lifecycle.ts'
import { failureText } from './failure-text.ts'
import { leaveFirstKey, widestRights } from './first-key.ts'
import { documentHash } from './generated/operations.ts'
import { createSeal } from './keys/seal.ts'
import { openLogStream } from './log-stream.ts'
import type { Metrics } from './metrics/metrics.ts'
import { checkPepper } from './pepper.ts'
import type { Replicas } from './replicas/replicas.ts'
import type { Resources } from './resources.ts'
import type { StandIns } from './server.ts'
import { onSignal } from './signals.ts'
import { hasNoApiKey } from './store/api-keys.ts'
import { loadSample } from './store/sample.ts'
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
  const closing: (() => Promise<unknown>)[] = []
  /** Takes every step, whichever fails. */
  const close = async (): Promise<unknown[]> => {
    const failures: unknown[] = []
    for (const step of closing.splice(0).toReversed())
      await step().catch((error: unknown) => failures.push(error))
    return failures
  }
  try {
    // What else is needed is loaded while the database is opened.
    const [database, { openResources }, { buildServer }, { listenForCommands }, { keyScheme }] =
      await Promise.all([
        openMigrated(config.database),
        import('./resources.ts'),
        import('./server.ts'),
        import('./commands/socket.ts'),
        import('./checkers.ts'),
      ])
    closing.push(database.close)
    // What runs in the background is opened before the server, whose log it has from then on.
    let log = silent
    const background: Log = {
      warn: (details, message) => log.warn(details, message),
      info: message => log.info(message),
    }
    const { db, probe } = database
    const seal = createSeal(config.apiKeyPepper)
    const aboutPepper = await checkPepper(db, seal)
    const replicas = await openReplicas(config, database, background)
    if (replicas) closing.push(replicas.close)
    const opened = await openResources(contract, db, {
      redisUrl: config.redisUrl,
      seal,
      log: background,
      probe,
      replicas,
    })
    closing.push(opened.close)
    const metrics =
      config.metricsPort === undefined ? undefined : await openMetrics(contract, opened, database, replicas)
    const resources = metrics?.watch(opened) ?? opened
    const traces =
      config.tracesTo === undefined
        ? undefined
        : (await import('./traces.ts')).openTraces(contract, config.tracesTo, background)
    if (traces) closing.push(traces.close)
    const app = await buildServer(contract, resources, {
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
      trustProxy: config.trustProxy,
      publicUrl: config.publicUrl,
      corsOrigins: config.corsOrigins,
      requestTimeoutMs: config.requestTimeoutMs,
      maxWaitMs: config.maxWaitMs,
      databaseConnections: config.database.kind === 'postgres' ? config.database.poolSize : 1,
    })
    log = app.log
    closing.push(() => app.close())

    for (const note of isFirst ? defaultsOf(contract) : []) app.log.info(note)
    const hasKeys = keyScheme(contract.model) !== undefined
    if (config.database.kind === 'embedded' && config.database.dataDir !== null) {
      if (await loadSample(database.db)) app.log.info('The database was new: a small sample is in it.')
      const { dataDir } = config.database
      const file = hasKeys && (await leaveFirstKey(database.db, dataDir, new Date(), seal, contract))
      if (file) app.log.info(`An API key with every scope is in ${file}.`)
    } else if (isFirst && hasKeys && (await hasNoApiKey(database.db))) {
      const scopes = widestRights(contract).scopes.join()
      const command = `npm run keys -- create --name NAME${scopes && ` --scopes ${scopes}`}`
      app.log.warn(`There is no API key yet: make one with \`${command}\`.`)
    }
    if (config.database.kind === 'embedded' && config.database.dataDir !== null) {
      const { dataDir } = config.database
      const tools = {
        db,
        dataDir,
        contract,
        seal,
        now: () => new Date(),
        async keyChanged(id: HolderId) {
          resources.checkers.ApiKey.forget(id)
        },
        settle: resources.settle,
        isServing: true,
      }
      const told = (command: string) => app.log.info({ command }, 'A command of an operator')
      // A start does not wait for it: commands do, for some seconds.
      const listening = listenForCommands(dataDir, tools, told).catch((err: unknown) => {
        app.log.warn({ err }, 'Operators’ commands can’t reach this server: stop it to use them.')
      })
      closing.push(async () => (await listening)?.close())
    }

    if (isFirst && aboutPepper !== undefined) app.log.warn(aboutPepper)
    for (const warning of isFirst ? upcomingSunsets(contract, new Date()) : []) app.log.warn(warning)
    if (resources.redis && resources.redis.status !== 'ready')
      app.log.warn(
        { err: resources.redisFault },
        'Redis does not answer at REDIS_URL: limits are counted in memory until it does.',
      )
    if (metrics && !worker) {
      const { listenForPrometheus } = await import('./metrics/listen.ts')
      const listener = await listenForPrometheus(metrics, config.host, config.metricsPort ?? 0)
      closing.push(listener.close)
      app.log.info(`Metrics for Prometheus are at ${listener.url}`)
    }
    let isStopping = false
    async function stop(reason: string, timeoutMs = config.shutdownTimeoutMs): Promise<void> {
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
      for (const failure of await close()) {
        app.log.error({ err: failure }, 'Not everything could be closed')
        process.exitCode = 1
      }
      app.log.info('stopped')
      await worker?.leave(await metrics?.values())
    }
    worker?.serve({
      metrics: async () => (await metrics?.values()) ?? [],
      stop: timeoutMs => void stop('The primary asks for it', timeoutMs),
    })
    const url = await app
      .listen({ host: config.host, port: config.port })
      .catch((error: NodeJS.ErrnoException) => {
        throw listenFault(error, config.host, config.port, 'PORT')
      })
    if (isFirst) {
      tellNewcomers(app.log, url, contract, config)
      // Nobody waits for this.
      if (hasKeys) tellOfKeysBesidePlans(app.log, db, contract)
      setImmediate(() => {
        if (namesCodes(contract)) return
        for (const unfit of createErrorForms(contract.model, () => new Date()).unfit())
          app.log.warn(unfitText(unfit))
      })
    }
    onSignal(signal => void stop(signal), { except: worker ? ['SIGHUP'] : [] }) // that is the primary's
    worker?.ready()
  } catch (error) {
    await close()
    await worker?.leave()
    throw error
  }
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
