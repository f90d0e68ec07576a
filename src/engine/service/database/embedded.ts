import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  PGliteDialect,
  type PGliteDialectConfig,
  type QueryResult,
} from 'kysely'
import { type Write, writesOfRequest } from '../runtime/writes.ts'
import { isReading } from './statements.ts'

/** PGlite's dialect. A write that waits for its turn while its request is refused is not carried out. */
export function embeddedDialect(config: PGliteDialectConfig): Dialect {
  const pglite = new PGliteDialect(config)
  return {
    createAdapter: () => pglite.createAdapter(),
    createDriver: () => watched(pglite.createDriver()),
    createIntrospector: db => pglite.createIntrospector(db),
    createQueryCompiler: () => pglite.createQueryCompiler(),
  }
}

const of = (connection: DatabaseConnection) => connection as EmbeddedConnection // Kysely passes the driver's own

/** Kysely gives its one connection to one after the other. */
function watched(driver: Driver): Driver {
  let connection: EmbeddedConnection | undefined
  return {
    init: options => driver.init(options),
    async acquireConnection() {
      connection ??= new EmbeddedConnection(await driver.acquireConnection())
      connection.write = undefined
      connection.isTransaction = false
      return connection
    },
    async beginTransaction(connection, settings) {
      of(connection).begin()
      await driver.beginTransaction(of(connection).own, settings)
    },
    commitTransaction: connection =>
      of(connection).storing(() => driver.commitTransaction(of(connection).own)),
    rollbackTransaction: connection => driver.rollbackTransaction(of(connection).own),
    savepoint: async (...given) => driver.savepoint?.(...given),
    rollbackToSavepoint: async (...given) => driver.rollbackToSavepoint?.(...given),
    releaseSavepoint: async (...given) => driver.releaseSavepoint?.(...given),
    async releaseConnection(connection) {
      const { write } = of(connection)
      write?.of.ended(write, false)
    },
    destroy: () => driver.destroy(),
  }
}

class EmbeddedConnection implements DatabaseConnection {
  readonly own: DatabaseConnection
  write: Write | undefined
  isTransaction = false

  constructor(own: DatabaseConnection) {
    this.own = own
  }

  executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    const run = () => this.own.executeQuery<Row>(query)
    if (this.isTransaction || isReading(query.query)) return run()
    return this.storing(run)
  }

  /** Begins a transaction. @throws the refusal of its request */
  readonly begin = (): void => {
    const writes = writesOfRequest.getStore()
    if (writes?.waitsInVain) throw writes.waitsInVain
    this.isTransaction = true
    this.write = writes?.begin()
    if (this.write) this.write.state = 'open'
  }

  /** Runs what may store something. */
  readonly storing = async <T>(run: () => Promise<T>): Promise<T> => {
    const writes = writesOfRequest.getStore()
    const refusal = this.isTransaction ? writes?.refusal : writes?.waitsInVain
    if (refusal) throw refusal
    if (!writes) return run()
    this.write ??= writes.begin()
    this.write.state = 'sent'
    try {
      const result = await run()
      writes.noteStored()
      return result
    } finally {
      this.write.state = 'open'
    }
  }

  streamQuery<Row>(query: CompiledQuery, chunkSize: number): AsyncIterableIterator<QueryResult<Row>> {
    return this.own.streamQuery(query, chunkSize)
  }
}
