import type { AddressInfo } from 'node:net'
import { sql } from 'kysely'
import type { Service } from 'spec-served'
import { keyForm } from 'spec-served/internal/callers/api-key'
import { insertApiKey } from 'spec-served/internal/callers/api-keys'
import { hashKey } from 'spec-served/internal/callers/key-cache'
import type { Database } from 'spec-served/internal/database/tables'
import { openResources } from 'spec-served/internal/process/resources'
import { buildServer } from 'spec-served/internal/process/server'
import { registerReplyCheck } from 'spec-served/internal/validation/reply-checks'
import type { Contract } from 'spec-served-document/contract/contract'
import { causeOf } from '../local/log-cause.ts'
import type { WireReply, WireRequest } from '../records/messages.ts'
import type { Secret } from './keys.ts'
import type { Exchange } from './sending.ts'
import { LeftOut } from './summary.ts'
import { openWire } from './wire.ts'

/** The parts of a service that are put under test, as `src` exports them. */
export interface Built {
  name: string
  contract: Contract
  buildServer(...rest: Rest<typeof buildServer>): ReturnType<typeof buildServer>
  openResources: typeof openResources
}

type Rest<F> = F extends (service: never, ...rest: infer R) => unknown ? R : never

/** A service of the project. */
export const builtBy = (service: Service, contract: Contract): Built => ({
  name: service.name,
  contract,
  buildServer: (...rest) => buildServer(service, ...rest),
  openResources: (some, db, options) => openResources(some, db, { name: service.name, ...options }),
})

/**
 * A service that listens. What only a service lets be done that the check itself has started is absent where another one
 * is asked.
 */
export interface World {
  /** @throws LeftOut for a request that must not be sent */
  send(request: WireRequest): Promise<WireReply>
  /** Sends a text as it is over a connection of its own, and reads what comes until it is closed. */
  sendText(text: string): Promise<WireReply>
  /** under which a reader sends the same */
  readonly url: string
  /** Returns the faults that the service has logged since the last call; none while its queries are made to fail. */
  takeLog(): string[]
  /** Whether queries fail or are held back: nothing can be told of what is read then. */
  isDisturbed(): boolean
  /** the credentials to go by, where none can be issued */
  credentials: readonly Secret[]
  /** Takes note of the reply to a secured operation that was asked for with one of these. */
  noteReply?(secret: Secret, exchange: Exchange): void
  /** The credentials given that no secured operation has let in, each with the last refusal. */
  unopened?(): { name: string; exchange: Exchange }[]
  hands: Hands
  close(): Promise<void>
}

/** The controls that a check can have over a service. */
export interface Hands {
  /** Stands still unless it is moved. */
  clock?: { now(): Date; set(time: Date): void; advance(milliseconds: number): void }
  keys?: {
    /** A new API key, with every scope unless told. */
    issue(key: { plan: string; quotas?: Quotas; scopes?: readonly string[] }): Promise<string>
  }
  database?: {
    /** Makes each query fail with the error given, as a fault or an outage would; undefined ends it. */
    fail(error: Error | undefined): void
    /** Holds back every query of the embedded database until the function returned is called. */
    hold(): Promise<() => Promise<void>>
    /** Has the service remove outdated records, as it does from time to time anyway. */
    clean(): Promise<void>
  }
  /**
   * Stops the service, which writes what it has noted, and starts it again on the same database.
   * @param failing with what each query fails until it has stopped
   */
  restart?(failing?: Error): Promise<void>
  /** Starts another server on the same database. */
  twin?(): Promise<Pick<World, 'send' | 'close'>>
  /** whether nothing was there before the check */
  emptiness?: true
  /** whether it was started with the settings asked for */
  settings?: true
  /** whether nothing stands between the check and the service: a proxy answers by itself what is not HTTP */
  direct?: true
  /** whether requests may write */
  writes?: true
}

/** The names of the controls in messages about a missing one. */
const hands: Readonly<Record<keyof Hands, string>> = {
  clock: 'a clock',
  keys: 'keys of its own',
  database: 'the database',
  restart: 'a restart',
  twin: 'a second server',
  emptiness: 'an empty database',
  settings: 'settings of its own',
  direct: 'a connection without a proxy',
  writes: '--writes',
}

/** A hand that a part of the check can't do without. @throws LeftOut */
export function need<Name extends keyof Hands>(world: World, name: Name): NonNullable<Hands[Name]> {
  const hand = world.hands[name]
  if (hand === undefined) throw new LeftOut(`needs ${hands[name]}`)
  return hand
}

export type Quotas = Record<string, number> | null

/** The settings that a service may be started with. */
export interface Setting {
  redisUrl?: string
  requestTimeoutMs?: number
  /** the origins whose pages it lets in; none unless told */
  corsOrigins?: '*'
  /** whether its database is a PostgreSQL, where requests overlap: the embedded one has one session */
  onPostgres?: boolean
  /** the first identifier of each kind of records; 1 unless told */
  firstId?: number
}

/** A database of which every use fails while there is a failure: statements that were built before too. */
function failingWith(database: Database, failure: () => Error | undefined): Database {
  return new Proxy(database, {
    get(_, name) {
      const part: unknown = Reflect.get(database, name, database)
      if (typeof part !== 'function') return part
      return (...args: unknown[]) => {
        const error = failure()
        if (error) throw error
        return part.apply(database, args)
      }
    },
  })
}

/** Starts the service on the loopback interface, on an empty database. @param now the time of its clock */
export async function openStarted(
  service: Built,
  database: Database,
  now: Date,
  setting: Setting = {},
): Promise<World> {
  await emptyDatabase(database, setting.firstId)
  let time = now
  let failure: Error | undefined
  let isHeld = false
  const db = failingWith(database, () => failure)
  const log: string[] = []
  const start = async () => {
    const resources = await service.openResources(service.contract, db, {
      redisUrl: setting.redisUrl,
      now: () => time,
    })
    const app = await service
      .buildServer(service.contract, resources, {
        prepare: instance => registerReplyCheck(instance, service.contract.model),
        requestTimeoutMs: setting.requestTimeoutMs,
        corsOrigins: setting.corsOrigins,
        maxWaitMs: 60_000, // what is checked is the document, not the speed of this machine
        logger: { level: 'error', stream: { write: line => void log.push(causeOf(line)) } },
      })
      .catch(async (error: unknown) => {
        await resources.close() // what goes on in the background would keep the check from ending
        throw error
      })
    await app.listen({ host: '127.0.0.1', port: 0 })
    const { port } = app.server.address() as AddressInfo // of a server that listens on a port
    const stop = async () => {
      await app.close().finally(() => resources.close()) // which must not write into what comes next
    }
    return { port, stop, clean: resources.clean }
  }
  let running = await start()
  const wire = openWire(() => new URL(`http://127.0.0.1:${running.port}`))
  return {
    ...wire,
    url: 'http://localhost:3000',
    credentials: [],
    takeLog() {
      const lines = log.splice(0)
      return failure ? [] : lines
    },
    isDisturbed: () => failure !== undefined || isHeld,
    hands: {
      emptiness: true,
      settings: true,
      direct: true,
      writes: true,
      clock: {
        now: () => time,
        set(to) {
          time = to
        },
        advance(milliseconds) {
          time = new Date(time.getTime() + milliseconds)
        },
      },
      keys: {
        async issue({ plan, quotas, scopes = ['read', 'write', 'admin'] }) {
          const form = keyForm(service.name)
          const secret = form.mint()
          await insertApiKey(database, {
            name: 'Contract check',
            preview: form.preview(secret),
            hash: hashKey(secret),
            plan,
            quotas: quotas ?? null,
            scopes: [...scopes],
            createdAt: time,
            expiresAt: null,
          })
          return secret
        },
      },
      database: {
        fail(error) {
          failure = error
          log.length = 0
        },
        async hold() {
          isHeld = true
          const release = Promise.withResolvers<void>()
          const begun = Promise.withResolvers<void>()
          const held = database.transaction().execute(async () => {
            begun.resolve()
            await release.promise
          })
          await begun.promise
          return async () => {
            release.resolve()
            await held
            isHeld = false
          }
        },
        clean: () => running.clean(),
      },
      async restart(failing) {
        failure = failing
        await running.stop()
        failure = undefined
        running = await start()
      },
      async twin() {
        const other = await start()
        const otherWire = openWire(() => new URL(`http://127.0.0.1:${other.port}`))
        const close = async () => {
          otherWire.close()
          await other.stop()
        }
        return { send: otherWire.send, close }
      },
    },
    async close() {
      failure = undefined
      wire.close()
      await running.stop()
    },
  }
}

/** Removes every row but the record of migrations, and starts identifiers again. */
async function emptyDatabase(db: Database, firstId: number | undefined): Promise<void> {
  const { rows } = await sql<{ name: string }>`
    select table_name as name from information_schema.tables
    where table_schema = current_schema() and table_type = 'BASE TABLE' and table_name not like 'kysely%'
  `.execute(db)
  const tables = sql.join(rows.map(({ name }) => sql.table(name)))
  await sql`truncate ${tables} restart identity cascade`.execute(db)
  if (firstId === undefined) return
  await sql`
    select setval(pg_get_serial_sequence(quote_ident(table_name), column_name), ${firstId}, false)
    from information_schema.columns where table_schema = current_schema() and is_identity = 'YES'
  `.execute(db)
}
