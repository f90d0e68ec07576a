import { loadEnvFile, readConfig } from './config.ts'
import { readDocument } from './contract/document.ts'
import { openDatabase } from './database/connect.ts'
import { migrateToLatest } from './database/migrate.ts'
import { leaveFirstKey } from './first-key.ts'
import { operations } from './generated/operations.ts'
import { upcomingSunsets } from './http/lifecycle.ts'
import { openResources } from './resources.ts'
import { buildServer } from './server.ts'
import { onSignal } from './signals.ts'
import { hasNoApiKey } from './store/api-keys.ts'
import { loadSampleStore } from './store/sample.ts'
import { type Log, silent } from './store/write-behind.ts'

/** The part of a stop's time that requests under way are given; the rest is for writing what is noted. */
const drainShare = 0.8

/** Opens what the service needs, listens, and closes everything again on SIGINT or SIGTERM. */
async function main(): Promise<void> {
  loadEnvFile()
  const config = readConfig(process.env)
  const document = await readDocument()
  const closing: (() => Promise<unknown>)[] = []
  /** Takes every step, whichever fails. */
  const close = async (): Promise<unknown[]> => {
    const failures: unknown[] = []
    for (const step of closing.splice(0).toReversed())
      await step().catch((error: unknown) => failures.push(error))
    return failures
  }
  try {
    const database = await openDatabase(config.database)
    closing.push(database.close)
    await migrateToLatest(database.db)
    // What runs in the background is opened before the server, whose log it has from then on.
    let log = silent
    const background: Log = {
      warn: (details, message) => log.warn(details, message),
      info: message => log.info(message),
    }
    const { db, probe } = database
    const resources = await openResources(db, config.redisUrl, undefined, background, probe)
    closing.push(resources.close)
    const app = await buildServer(document, resources, {
      logger: { level: config.logLevel },
      trustProxy: config.trustProxy,
      corsOrigins: config.corsOrigins,
      requestTimeoutMs: config.requestTimeoutMs,
      maxWaitMs: config.maxWaitMs,
      databaseConnections: config.database.kind === 'postgres' ? config.database.poolSize : 1,
    })
    log = app.log
    closing.push(() => app.close())

    if (config.database.kind === 'embedded' && config.database.dataDir !== null) {
      if (await loadSampleStore(database.db))
        app.log.info('The database was new: a small sample store is in it.')
      const file = await leaveFirstKey(database.db, config.database.dataDir, new Date())
      if (file) app.log.info(`An API key with every scope is in ${file}.`)
    } else if (await hasNoApiKey(database.db))
      app.log.warn(
        'There is no API key yet: make one with `npm run keys -- create --scopes read,write,admin`.',
      )

    for (const warning of upcomingSunsets(operations, new Date())) app.log.warn(warning)
    await app.listen({ host: config.host, port: config.port })
    onSignal(async signal => {
      app.log.info(`${signal}: stopping`)
      setTimeout(() => {
        app.log.error(
          `The stop takes longer than SHUTDOWN_TIMEOUT_MS (${config.shutdownTimeoutMs}): ending now`,
        )
        // What still hangs, a dead database above all, can't be told to let go of the process.
        process.exit(1)
      }, config.shutdownTimeoutMs).unref()
      if (!(await app.drain(config.shutdownTimeoutMs * drainShare)))
        app.log.warn('Some requests were under way for too long: they were refused or cut')
      for (const failure of await close()) {
        app.log.error({ err: failure }, 'Not everything could be closed')
        process.exitCode = 1
      }
      app.log.info('stopped')
    })
  } catch (error) {
    await close()
    throw error
  }
}

main().catch((error: unknown) => {
  const faults = error instanceof AggregateError ? error.errors : [error]
  console.error(`The pet store does not start: ${error instanceof AggregateError ? error.message : ''}`)
  for (const fault of faults) console.error(`  ${fault instanceof Error ? fault.message : fault}`)
  process.exitCode = 1
})
