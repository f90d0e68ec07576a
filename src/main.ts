import { loadEnvFile, readConfig } from './config.ts'
import { readDocument } from './contract/document.ts'
import { openDatabase } from './database/connect.ts'
import { migrateToLatest } from './database/migrate.ts'
import { buildServer } from './server.ts'
import { loadSampleStore } from './store/sample.ts'

/** Opens what the service needs, listens, and closes everything again on SIGINT or SIGTERM. */
async function main(): Promise<void> {
  loadEnvFile()
  const config = readConfig(process.env)
  const document = await readDocument()
  const database = await openDatabase(config.database)
  const app = await buildServer({
    db: database.db,
    document,
    logger: { level: config.logLevel },
    trustProxy: config.trustProxy,
    requestTimeoutMs: config.requestTimeoutMs,
  })
  app.addHook('onClose', () => database.close())
  try {
    await migrateToLatest(database.db)
    if (config.database.kind === 'embedded' && (await loadSampleStore(database.db)))
      app.log.info('The database was new: a small sample store is in it.')
    await app.listen({ host: config.host, port: config.port })
  } catch (error) {
    await app.close()
    throw error
  }
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => {
      app.log.info(`${signal}: stopping`)
      setTimeout(() => app.server.closeAllConnections(), config.shutdownTimeoutMs).unref()
      app.close()
    })
}

main().catch((error: unknown) => {
  const faults = error instanceof AggregateError ? error.errors : [error]
  console.error(`The pet store does not start: ${error instanceof AggregateError ? error.message : ''}`)
  for (const fault of faults) console.error(`  ${fault instanceof Error ? fault.message : fault}`)
  process.exitCode = 1
})
