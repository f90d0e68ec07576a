import type { AddressInfo } from 'node:net'
import type { FastifyInstance, InjectOptions, LightMyRequestResponse } from 'fastify'
import { type ApiKeyRow, insertApiKey } from 'spec-served/internal/callers/api-keys'
import type { Seal } from 'spec-served/internal/callers/seal'
import type { Checkers } from 'spec-served/internal/callers/security'
import type { TokenSettings } from 'spec-served/internal/callers/tokens'
import type { Replicas } from 'spec-served/internal/database/replicas'
import type { Db, Database as EngineDatabase } from 'spec-served/internal/database/tables'
import type { EngineOptions } from 'spec-served/internal/engine'
import { readConfig, tokenSettings } from 'spec-served/internal/process/config'
import type { Service } from 'spec-served/internal/process/definition'
import { openResources, type ResourceOptions } from 'spec-served/internal/process/resources'
import { buildServer } from 'spec-served/internal/process/server'
import type { AnyHandler } from 'spec-served/internal/routes/binding'
import { type Call, createCall } from 'spec-served/internal/testing/call'
import { registerReplyCheck } from 'spec-served/internal/validation/reply-checks'
import { freePort } from 'spec-served-cli/internal/local/postgres'
import type { Contract } from 'spec-served-document/contract/contract'
import { addOrder, addPet, addPets } from '../../../../test/support/store.ts'
import { freshDatabase } from './database.ts'
import { hashKey, mintKey, previewKey } from './keys.ts'
import { changedContract, ownContract } from './model.ts'
import { type Own, service } from './petstore.ts'
import { type Exchange, exchange, type Script } from './raw.ts'
import type { Database } from './tables.ts'

export { addOrder, addPet, addPets }

/** Calls an operation of the pet store. */
export type Client = Call<Own>

/** A whole pet store on a database of its own. */
export interface TestStore {
  app: FastifyInstance
  db: Database
  /** calls operations with a key that has every scope and more quota than any test uses */
  call: Client
  /** the same key, for requests of another form */
  key: string
  /** any request, with that key */
  request(options: InjectOptions | string): Promise<LightMyRequestResponse>
  /** Makes the database unreachable, as an outage would. */
  cut(): Promise<void>
  /** Returns the number of statements that wait for locks, as the service knows it. */
  waitingForLocks(): number
  /** the port on this machine that it listens on, from the first call on */
  port(): Promise<number>
  /** Returns the outcome of bytes that are sent as they are. */
  exchange(script: Script | string | Buffer): Promise<Exchange>
  /** Removes outdated records, without the wait for their time. */
  clean(): Promise<void>
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/** Handlers by operation. */
export type Handlers = Readonly<Record<string, AnyHandler<{ db: Database }>>>

/** The waits of tests for a Redis that is there. */
const patient = { connectTimeout: 290_000, commandTimeout: 290_000 }

export interface StoreOptions extends EngineOptions {
  /** another document than the project's, with the same operations */
  contract?: Contract | undefined
  /** checkers of its security schemes, besides the API keys */
  checkers?: Checkers | undefined
  /** the settings of tokens */
  tokens?: TokenSettings | undefined
  redisUrl?: string | undefined
  /** whether it waits for a Redis that is there as long as it takes, as on a busy machine */
  isPatient?: boolean
  /** links to the other workers of a machine */
  workers?: ResourceOptions['workers']
  replicas?: Replicas | undefined
  seal?: Seal | undefined
  now?: (() => Date) | undefined
  /** handlers in place of the service's own */
  handlers?: Handlers | undefined
  /** the database that `/health` asks, if that is another one */
  probe?: Db | undefined
  /** the database for transactions that wait for a lock, if that is another one */
  waiting?: EngineDatabase | undefined
}

/** Starts an empty pet store; the caller closes it. */
export async function startStore(options: StoreOptions = {}): Promise<TestStore> {
  const database = await freshDatabase()
  const { db, probe, pool, waiting } = database
  const waitingForLocks = () => pool?.state().statements.locked ?? 0
  const store = await startOn(db, { probe, waiting, waitingForLocks, ...options })
  const close = async () => {
    await store.close()
    await database.close()
  }
  return { ...store, waitingForLocks, cut: database.cut, close, [Symbol.asyncDispose]: close }
}

/** A server on a database that stays open when it is closed. */
export type Server = Omit<TestStore, 'cut' | 'waitingForLocks'>

export async function startOn(
  database: EngineDatabase,
  {
    contract: suppliedContract,
    checkers,
    tokens,
    redisUrl,
    isPatient,
    workers,
    replicas,
    seal,
    now,
    handlers,
    probe,
    waiting,
    ...options
  }: StoreOptions = {},
): Promise<Server> {
  const db = database as Database // every one that a test starts on has the pet store's tables
  const contract = suppliedContract ?? (await ownContract())
  const resources = await openResources(contract, db, {
    ...{
      name: service.name,
      tokens,
      redisUrl,
      redisWaits: isPatient ? patient : undefined,
      workers,
      replicas,
      seal,
      now,
      probe,
      waiting,
    },
  })
  // The engine calls each handler as its operation's own, and a test knows what it takes.
  const testedService = {
    ...service,
    ...(checkers && { checkers }),
    handlers: { ...service.handlers, ...handlers } as Service['handlers'],
  }
  const app = await buildServer(testedService, contract, resources, {
    maxWaitMs: 60_000, // tests send as much at once as they like
    ...options,
    prepare(instance) {
      registerReplyCheck(instance, contract.model)
      options.prepare?.(instance)
    },
  })
  await app.ready()
  const key = await issueKey(db, ample)
  let listening: Promise<unknown> | undefined
  async function port(): Promise<number> {
    listening ??= app.server.listening ? Promise.resolve() : app.listen({ host: '127.0.0.1', port: 0 })
    await listening
    return (app.server.address() as AddressInfo).port // it listens on TCP
  }
  const close = async () => {
    await app.close()
    await resources.close()
  }
  return {
    app,
    db,
    key,
    port,
    exchange: async script => exchange(await port(), script),
    clean: resources.clean,
    call: createCall<Own>(app, contract.model, { 'x-api-key': key }),
    request(injection) {
      const { headers, ...rest } = typeof injection === 'string' ? { url: injection } : injection
      return app.inject({ ...rest, headers: { 'x-api-key': key, ...headers } })
    },
    close,
    [Symbol.asyncDispose]: close,
  }
}

/** Starts a pet store at a public URL of its own, which takes keys, and tokens of an issuer. */
export async function startWithTokens(issuer: string, db: EngineDatabase): Promise<Server & { url: string }> {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const settings = { TOKEN_ISSUER: issuer, TOKEN_AUDIENCE: 'https://api.example', PUBLIC_URL: url }
  const contract = await changedContract(document => {
    document.components.securitySchemes.Token = { type: 'http', scheme: 'bearer' }
    document.security.push({ Token: [] })
  })
  const tokens = tokenSettings(readConfig(settings), '/mcp')
  const store = await startOn(db, { contract, tokens, tokenIssuer: issuer, publicUrl: url })
  await store.app.listen({ host: '127.0.0.1', port })
  return { ...store, url }
}

/** The plan and quotas of a key whose calls must not be refused. */
export const ample = { plan: 'Enterprise', quotas: { minute: 1_000_000, day: 1_000_000 } } as const

/** A new API key, with every scope unless told. */
export async function issueKey(
  db: Db,
  key: {
    plan?: ApiKeyRow['plan']
    quotas?: ApiKeyRow['quotas']
    scopes?: ApiKeyRow['scopes']
    expiresAt?: Date
  } = {},
): Promise<string> {
  const secret = mintKey()
  await insertApiKey(db, {
    name: 'Test',
    preview: previewKey(secret),
    hash: hashKey(secret),
    plan: key.plan ?? 'Free',
    quotas: key.quotas ?? null,
    scopes: key.scopes ?? ['read', 'write', 'admin'],
    createdAt: new Date(),
    expiresAt: key.expiresAt ?? null,
  })
  return secret
}
