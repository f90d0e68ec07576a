import { Agent, request as httpRequest } from 'node:http'
import type { AddressInfo } from 'node:net'
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib'
import { sql } from 'kysely'
import type { Database } from '../../src/database/tables.ts'
import type { Contract } from '../../src/engine/contract.ts'
import { hashKey, mintKey, previewKey } from '../../src/keys/api-key.ts'
import type { openResources } from '../../src/resources.ts'
import type { buildServer } from '../../src/server.ts'
import { type ApiKeyRow, insertApiKey } from '../../src/store/api-keys.ts'
import { registerReplyCheck } from './reply-checker.ts'
import type { WireRequest } from './requests.ts'

/** The parts of a service that are put under test, as `src` exports them. */
export interface Service {
  contract: Contract
  buildServer: typeof buildServer
  openResources: typeof openResources
}

/** A reply as it came over the wire. */
export interface WireReply {
  status: number
  /** by lower-case name */
  headers: Readonly<Record<string, string>>
  /** out of its coding, where that can be read */
  text: string
  /** of the content as it was sent, in bytes */
  length: number
  /** the JSON value of the text; undefined for an empty one */
  body: unknown
}

/** Where a reply's Link leads with a relation (RFC 8288). */
export const linkTo = (rel: 'first' | 'next', { headers }: WireReply): string | undefined =>
  new RegExp(`<([^>]+)>; rel="${rel}"`).exec(headers.link ?? '')?.[1]

/** A running service with a database, a clock and keys in the hands of the caller. */
export interface World {
  send(request: WireRequest): Promise<WireReply>
  readonly port: number
  /** What the service has logged as its own fault since the last call; nothing while its queries are made to fail. */
  takeLog(): string[]
  /** Stands still unless it is moved. */
  clock: { now(): Date; set(time: Date): void; advance(milliseconds: number): void }
  /** A new API key, with every scope unless told. */
  issueKey(key: { plan: string; quotas?: Quotas; scopes?: readonly string[] }): Promise<string>
  /** Gives an API key another secret; the one given stays valid beside it. */
  renewSecret(secret: string): Promise<string>
  /** Makes each query fail with the error given, as a fault or an outage would; undefined ends it. */
  failQueries(error: Error | undefined): void
  /** Holds back every query of the embedded database until the function returned is called. */
  holdQueries(): Promise<() => Promise<void>>
  /** Whether queries fail or are held back: nothing can be told of what is read then. */
  isDisturbed(): boolean
  /** Has the service remove what has outlived its time, as it does from time to time anyway. */
  clean(): Promise<void>
  /**
   * Stops the service, which writes what it has noted, and starts it again on the same database.
   * @param failing with what each query fails until it has stopped
   */
  restart(failing?: Error): Promise<void>
  close(): Promise<void>
}

export type Quotas = ApiKeyRow['quotas']

/** What a service may be started with. */
export interface Setting {
  redisUrl?: string
  requestTimeoutMs?: number
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

/** Starts the service on the loopback interface, on an empty database. @param now where its clock stands */
export async function openWorld(
  service: Service,
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
  const agent = new Agent({ keepAlive: true, maxSockets: 16 })
  const start = async () => {
    const resources = await service.openResources(service.contract, db, {
      redisUrl: setting.redisUrl,
      now: () => time,
    })
    const app = await service
      .buildServer(service.contract, resources, {
        prepare: app => registerReplyCheck(app, service.contract.model),
        requestTimeoutMs: setting.requestTimeoutMs,
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
  return {
    get port() {
      return running.port
    },
    send: request => send(agent, running.port, request),
    takeLog() {
      const lines = log.splice(0)
      return failure ? [] : lines
    },
    clock: {
      now: () => time,
      set(to) {
        time = to
      },
      advance(milliseconds) {
        time = new Date(time.getTime() + milliseconds)
      },
    },
    async issueKey({ plan, quotas, scopes = ['read', 'write', 'admin'] }) {
      const secret = mintKey()
      await insertApiKey(database, {
        name: 'Contract check',
        preview: previewKey(secret),
        hash: hashKey(secret),
        plan: plan as ApiKeyRow['plan'], // of the document under test; the database refuses others
        quotas: quotas ?? null,
        scopes: [...scopes] as ApiKeyRow['scopes'], // likewise
        createdAt: time,
        expiresAt: null,
      })
      return secret
    },
    async renewSecret(previous) {
      const secret = mintKey()
      await database
        .updateTable('api_keys')
        .set({
          hash: hashKey(secret),
          previous_hash: hashKey(previous),
          previous_expires_at: new Date(time.getTime() + 3_600_000),
        })
        .where('hash', '=', hashKey(previous))
        .execute()
      return secret
    },
    failQueries(error) {
      failure = error
      log.length = 0
    },
    isDisturbed: () => failure !== undefined || isHeld,
    async holdQueries() {
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
    async restart(failing) {
      failure = failing
      await running.stop()
      failure = undefined
      running = await start()
    },
    async close() {
      failure = undefined
      agent.destroy()
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
  const identities = await sql<{ table: string; column: string }>`
    select table_name as table, column_name as column from information_schema.columns
    where table_schema = current_schema() and is_identity = 'YES'
  `.execute(db)
  for (const { table, column } of identities.rows)
    await sql`alter table ${sql.table(table)} alter column ${sql.id(column)} restart with ${sql.lit(firstId)}`.execute(
      db,
    )
}

/** What a line of the service's log says went wrong. */
function causeOf(line: string): string {
  const { msg, err } = JSON.parse(line) as { msg?: string; err?: { message?: string; stack?: string } } // pino's form
  const place = /\((?:file:\/\/)?[^)]*\/(src\/[^)]*)\)/.exec(err?.stack ?? '')?.[1]
  return `${err?.message ?? msg}${place ? ` (${place})` : ''}`
}

function send(
  agent: Agent,
  port: number,
  { method, url, headers, body: text, bytes }: WireRequest,
): Promise<WireReply> {
  const body = bytes ?? text
  return new Promise((resolve, reject) => {
    const isWhole = body !== undefined && headers['transfer-encoding'] === undefined
    const length = isWhole ? { 'content-length': String(Buffer.byteLength(body)) } : {}
    const request = httpRequest(
      { host: '127.0.0.1', port, agent, method, path: url, headers: { ...headers, ...length } },
      response => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.on('error', reject)
        response.on('end', () => {
          const content = Buffer.concat(chunks)
          const headers = response.headers as Record<string, string> // each of ours is sent once
          const text = decoded(content, headers['content-encoding']).toString()
          resolve({
            status: response.statusCode ?? 0,
            headers,
            text,
            length: content.length,
            body: parseJson(text),
          })
        })
      },
    )
    request.on('error', reject)
    request.end(body)
  })
}

const decoders: Readonly<Record<string, (content: Buffer) => Buffer>> = {
  br: brotliDecompressSync,
  zstd: zstdDecompressSync,
  gzip: gunzipSync,
}

/** Content out of its coding (RFC 9110, section 8.4); what is not in it stays as it is, and differs from what is due. */
function decoded(content: Buffer, coding = ''): Buffer {
  try {
    return decoders[coding]?.(content) ?? content
  } catch {
    return content
  }
}

/** The JSON value of a text; undefined where it is none. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
