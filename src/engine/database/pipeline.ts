import { setImmediate } from 'node:timers/promises'
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  PostgresAdapter,
  PostgresDriver,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
  type RootOperationNode,
} from 'kysely'
import type pg from 'pg'
import { shareConnections, type TakenClient, takeClient } from './connections.ts'

/** Runs a statement, and keeps nothing of it. */
export type Run = (statement: pg.QueryConfig) => Promise<pg.QueryResult>

/** Takes a client, and runs a first statement on it. */
type Take = (statement: pg.QueryConfig) => Promise<{ client: TakenClient; first: Promise<pg.QueryResult> }>

/** The most statements that are prepared on a connection. More means that something builds them without end. */
const mostNames = 500

/** A pool of pipelined connections. Reads share some of them. */
export function createPipeline(pool: pg.Pool) {
  // The other connections are for transactions and for writes, which may wait for each other's rows.
  let shared = pool.options.max >= 4 ? shareConnections(pool, 2) : undefined
  /** The names of prepared statements by their texts; undefined: none is prepared. */
  let names: Map<string, string> | undefined = new Map()
  let named = 0
  const asked = new Map<string, Promise<pg.QueryResult>>()

  /** Runs a read outside transactions. Equal reads that wait together run once: a busy list takes half the CPU. */
  function read(statement: pg.QueryConfig): Promise<pg.QueryResult> {
    const question = `${statement.text} ${JSON.stringify(statement.values)}`
    const leave = () => {
      asked.delete(question)
      return prepared(statement, each => shared?.run(each) ?? runAlone(each))
    }
    const answer = asked.get(question) ?? setImmediate().then(leave)
    asked.set(question, answer)
    return answer
  }

  async function runAlone(statement: pg.QueryConfig): Promise<pg.QueryResult> {
    const client = await takeClient(pool)
    return client.run(statement).finally(client.release)
  }

  async function take(statement: pg.QueryConfig) {
    const client = await takeClient(pool)
    return { client, first: prepared(statement, client.run) }
  }

  /** Runs a statement by name, so that PostgreSQL parses and plans it once for each connection. */
  async function prepared(statement: pg.QueryConfig, run: Run): Promise<pg.QueryResult> {
    const name = statement.values?.length ? nameOf(statement.text) : undefined
    if (name === undefined) return run(statement)
    try {
      return await run({ ...statement, name })
    } catch (error) {
      if (!isRefusedByName(error)) throw error
      names?.clear()
      return run(statement)
    }
  }

  function nameOf(text: string): string | undefined {
    const known = names?.get(text)
    if (known !== undefined || !names || names.size >= mostNames) return known
    const name = `service_${named++}`
    names.set(text, name)
    return name
  }

  return {
    read,
    /** Assumes that each transaction may have another session, as behind a pooler. */
    relyOnNoSession(): void {
      names = undefined
      shared = undefined
    },
    /** Returns the number of reads that wait on shared connections. */
    sharedReads: () => shared?.underWay() ?? 0,
    /** Runs reads of Kysely's builder outside transactions by `runRead`. All else has a connection to itself. */
    dialect: (runRead: Run = read): Dialect => ({
      createAdapter: () => new PipelineAdapter(),
      createDriver: () => new PipelineDriver(pool, () => createConnection(take, runRead)),
      createIntrospector: db => new PostgresIntrospector(db),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    }),
  }
}

/** Whether a statement was refused for its name before it ran: its table changed, or the session lacks the name. */
function isRefusedByName(error: unknown): boolean {
  const { code, routine } = error as { code?: unknown; routine?: unknown } // properties of PostgreSQL's errors
  return routine === 'RevalidateCachedQuery' || code === '26000' || code === '42P05'
}

/** `migrate.ts` locks in its transaction. Kysely's lock belongs to the session, which a pooler gives to others. */
class PipelineAdapter extends PostgresAdapter {
  override async acquireMigrationLock(): Promise<void> {}
  override async releaseMigrationLock(): Promise<void> {}
}

type PipelineConnection = ReturnType<typeof createConnection>
const own = (connection: DatabaseConnection) => connection as PipelineConnection // Kysely passes the driver's own connections

class PipelineDriver extends PostgresDriver {
  readonly #connect: () => PipelineConnection

  constructor(pool: pg.Pool, connect: () => PipelineConnection) {
    super({ pool })
    this.#connect = connect
  }

  override async acquireConnection(): Promise<DatabaseConnection> {
    return this.#connect()
  }

  override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    await own(connection).rollback()
  }

  override async releaseConnection(connection: DatabaseConnection): Promise<void> {
    own(connection).release()
  }
}

/** Shares connections until a statement can't be shared. From then on it has one to itself. */
function createConnection(take: Take, runRead: Run) {
  let client: TakenClient | undefined

  async function run(statement: pg.QueryConfig, query: RootOperationNode): Promise<pg.QueryResult> {
    if (client) return client.run(statement)
    if (isRead(query)) return runRead(statement)
    const taken = await take(statement)
    client = taken.client
    return taken.first
  }

  return {
    async executeQuery<R>({ sql, parameters, query }: CompiledQuery): Promise<QueryResult<R>> {
      const { command, rowCount, rows = [] } = await run({ text: sql, values: [...parameters] }, query)
      // `PostgresDriver` reads from the command whether a transaction was committed.
      if (command === 'COMMIT' || command === 'ROLLBACK') return { rows: [{ command }] as R[] }
      return changing.has(command) ? { numAffectedRows: BigInt(rowCount ?? 0), rows } : { rows }
    },
    streamQuery(): never {
      throw new Error('A stream would hold up what shares its connection: read in pages')
    },
    /** Rolls a transaction back. A connection that can't is closed on release, which does the same. */
    async rollback(): Promise<void> {
      if (!client?.isBroken()) await client?.run({ text: 'rollback' }).catch(() => {})
    },
    release(): void {
      client?.release()
      client = undefined
    },
  }
}

const changing = new Set(['INSERT', 'UPDATE', 'DELETE', 'MERGE'])

/** Whether Kysely's builder made a statement that changes nothing and locks nothing, so that it may run twice. */
function isRead(query: RootOperationNode): boolean {
  if (query.kind !== 'SelectQueryNode' || query.endModifiers) return false
  // PostgreSQL allows a statement that writes only in the first `with`, no further inside.
  return query.with?.expressions.every(({ expression }) => expression.kind === 'SelectQueryNode') ?? true
}
