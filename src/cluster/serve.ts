import { pino } from 'pino'
import type { Config } from '../config.ts'
import { openMigrated } from '../database/open.ts'
import type { Contract } from '../engine/contract.ts'
import { redactKeys } from '../keys/api-key.ts'
import { createSeal } from '../keys/seal.ts'
import { openLogStream } from '../log-stream.ts'
import { listenForMetrics } from '../metrics/listen.ts'
import { openResources } from '../resources.ts'
import { onSignal } from '../signals.ts'
import type { SharedMetrics } from './metrics.ts'
import { startWorkers, type Workers } from './primary.ts'

/** Connections to PostgreSQL that the primary has for itself: it stores what it counts. */
const poolSize = 2
/** The part of a stop's time that workers are given. */
const workersShare = 0.9

/**
 * Counts for all workers, keeps them running, replaces them at SIGHUP, and ends with them at SIGINT or SIGTERM.
 * @throws Error when the service can't be started; where a worker has said why, without a message
 */
export async function servePrimary(config: Config, contract: Contract): Promise<void> {
  const { database: place, workers: count, shutdownTimeoutMs } = config
  if (place.kind !== 'postgres') throw new Error('Several processes can’t share an embedded database')
  const stream = await openLogStream(config.logFormat)
  const log = pino(
    {
      level: config.logLevel,
      base: { pid: process.pid, worker: 'primary' },
      hooks: { streamWrite: redactKeys },
    },
    stream,
  )
  const database = await openMigrated({ ...place, poolSize })
  const resources = await openResources(contract, database.db, {
    seal: createSeal(config.apiKeyPepper),
    log,
    probe: database.probe,
  })
  const closing = [database.close, resources.close]
  const close = async () => {
    for (const step of closing.toReversed())
      await step().catch(err => log.error({ err }, 'Not everything could be closed'))
  }
  try {
    let workers: Workers | undefined
    let metrics: SharedMetrics | undefined
    if (config.metricsPort !== undefined) {
      const { shareMetrics } = await import('./metrics.ts')
      metrics = shareMetrics(() => workers?.measured() ?? [])
      closing.push(await listenForMetrics(metrics, config, log))
    }
    workers = await startWorkers(
      resources,
      { count, stopWithinMs: shutdownTimeoutMs, log, stream },
      (id, last) => void metrics?.ended(id, last),
    )
    const { members } = workers
    log.info(`${count} workers serve; SIGHUP to process ${process.pid} replaces them one by one`)
    process.on('SIGHUP', () => {
      log.info('SIGHUP: replacing the workers one by one')
      void members.replace()
    })
    const stop = async (signal: NodeJS.Signals): Promise<void> => {
      log.info(`${signal}: stopping`)
      setTimeout(() => {
        log.error(`The stop takes longer than SHUTDOWN_TIMEOUT_MS (${shutdownTimeoutMs}): ending now`)
        for (const member of members.all()) member.kill()
        process.exit(1)
      }, shutdownTimeoutMs).unref()
      if (!(await members.stop(shutdownTimeoutMs * workersShare))) process.exitCode = 1
      await close()
      log.info('stopped')
    }
    onSignal(signal => void stop(signal), { except: ['SIGHUP'] })
  } catch (error) {
    await close()
    throw error
  }
}
