import cluster from 'node:cluster'
import type { Contract } from 'spec-served-document/contract/contract'
import { failureText, visibleText } from 'spec-served-document/visible-text'
import { prepareKeys } from '../callers/first-key.ts'
import type { CommandTools } from '../runtime/command.ts'
import { missingPart } from '../runtime/installed.ts'
import { loading } from '../runtime/loading.ts'
import { type Config, loadEnvFile, readConfig, variables } from './config.ts'
import { readContract } from './contract.ts'
import type { Service } from './definition.ts'
import { type Development, type Opened, open } from './open.ts'
import type { Carried } from './socket.ts'
import { checkPepper, checkPort, listenFault, tellBeforeStart, tellStart } from './startup-messages.ts'
import { goOn, onLostFailure, onSignal, stopWithin } from './stopping.ts'
import type { Membership } from './worker.ts'

/** The most clients that wait until this process accepts them; Node's own 511 are few for one that is busy for a moment. */
const backlog = 4_096
/** The share of a stop's time for requests under way. The rest is for writing notes. */
const drainShare = 0.8

type Develop = (contract: Contract) => Development

/** Opens the service, listens, and closes everything on SIGINT, SIGTERM or SIGHUP. */
async function main(service: Service, develop?: Develop): Promise<void> {
  loadEnvFile()
  const config = readConfig(process.env)
  const contract = await readContract(service.root)
  const development = develop?.(contract)
  if (!cluster.isWorker) await checkPort(config.host, config.port)
  const isOneOfSeveral = config.workers > 1 && !development
  if (isOneOfSeveral && cluster.isPrimary)
    return (await import('./primary.ts')).servePrimary(config, service.name, contract)
  const worker = isOneOfSeveral ? (await import('./worker.ts')).joinPrimary() : undefined
  /** Only the first worker logs what is true of all. */
  const isFirst = worker === undefined || worker.id === 1
  const closing = new AsyncDisposableStack()
  try {
    const opened = await open(service, config, contract, closing, worker, development)
    const { app, metrics, resources } = opened
    closing.defer(() => app.close())
    const { db, seal } = resources
    const aboutPepper = await checkPepper(db, seal)
    if (isFirst) tellBeforeStart(app.log, contract, resources, aboutPepper)
    await prepareKeys(config.database, contract, { ...service, ...resources, log: app.log }, isFirst)
    if (config.database.kind === 'embedded' && config.database.dataDir !== null)
      closing.defer(takeCommands(config.database.dataDir, service, contract, opened))
    if (metrics && !worker) {
      const { listenForOperators } = await import('./listen.ts')
      const shown = { metrics, isReady: app.isReady }
      const listener = await listenForOperators(shown, config.host, config.metricsPort ?? 0)
      closing.defer(listener.close)
      app.log.info(`Metrics for Prometheus are at ${listener.url}`)
    }
    const stop = stopper(config, closing, opened, worker)
    onLostFailure(err => {
      process.exitCode = 1
      app.log.fatal({ err }, 'A failure that nothing awaits, a fault of the program')
      void stop('A failure that nothing awaits', 0)
    })
    void opened.failed?.then(err => {
      process.exitCode = 1
      app.log.fatal(
        { err },
        'The database can’t be used any more. Start the service again: it repairs what was cut off',
      )
      void stop('The database can’t be used any more', 0)
    })
    const { host, port } = config
    const url = await app.listen({ host, port, backlog }).catch((error: NodeJS.ErrnoException) => {
      throw listenFault(error, host, port, 'PORT')
    })
    if (isFirst) tellStart(app.log, url, contract, config, db)
    onSignal(signal => void stop(signal), worker ? ['SIGHUP'] : []) // the primary handles SIGHUP
    worker?.serve({
      metrics: async () => (await metrics?.values()) ?? [],
      isReady: app.isReady,
      retire: app.retire,
      stop: timeoutMs => void stop('The primary asks for it', 0, timeoutMs),
    })
  } catch (error) {
    await closing.disposeAsync().catch(() => {}) // only the first failure is reported
    await worker?.leave()
    throw error
  }
}

/** Takes operators' commands in a directory. A start does not wait for it. @returns a function that ends it */
function takeCommands(dataDir: string, service: Service, contract: Contract, { app, resources }: Opened) {
  const { migrations } = service
  const keyChanged = async (id: number) => resources.checkers.ApiKey.forget?.(id)
  const parts = { migrations, dataDir, contract, keyChanged, isServing: true }
  const tools: CommandTools = { ...resources, ...parts }
  const report = (carried: Carried) => app.log.info(carried, 'A command of an operator')
  const listening = import('./socket.ts')
    .then(({ listenForCommands }) => listenForCommands(dataDir, tools, report))
    .catch((err: unknown) => {
      app.log.warn({ err }, 'Operators’ commands can’t reach this server: stop it to use them.')
    })
  return async () => (await listening)?.close()
}

/**
 * Returns a function that stops the service, once. For a time (in ms) it goes on, while its probes say that it is about to
 * stop. The stop then ends within another time (in ms).
 */
function stopper(config: Config, closing: AsyncDisposableStack, opened: Opened, worker?: Membership) {
  const { app, metrics } = opened
  let isStopping = false
  const { shutdownDelayMs, shutdownTimeoutMs } = config
  return async (reason: string, delayMs = shutdownDelayMs, timeoutMs = shutdownTimeoutMs): Promise<void> => {
    if (isStopping) return
    isStopping = true
    await goOn(delayMs, reason, app)
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
 * Starts a service by its environment, and stops it at a signal. A failure is logged, and sets the exit code.
 * @param service the service, or a function that loads it: a failure then names the file of the project
 * @param develop absent: an incomplete service does not start
 */
export async function serve(service: Service | (() => Promise<Service>), develop?: Develop): Promise<void> {
  // Without a listener Node would open a debugger in the running service, to every program of this machine.
  process.on('SIGUSR1', () => {})
  process.umask(0o077) // files are for the owner alone, keys and backups included
  if (process.argv.length > 2) {
    const names = variables.map(name => `\n  ${name}`).join('')
    console.error(`The service takes no arguments; it is set up by environment variables:${names}`)
    process.exitCode = process.argv.includes('--help') ? 0 : 2
    return
  }
  try {
    await main(typeof service === 'function' ? await loading(service) : service, develop)
  } catch (error) {
    console.error(visibleText(`The service does not start: ${missingPart(error) ?? failureText(error)}`))
    process.exitCode = 1
  }
}
