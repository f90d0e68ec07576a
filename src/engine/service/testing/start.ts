import { rm } from 'node:fs/promises'
import type { FastifyInstance } from 'fastify'
import type { Kysely } from 'kysely'
import type { Contract } from 'spec-served-document/contract/contract'
import { newSecret } from '../callers/administration.ts'
import { insertApiKey } from '../callers/api-keys.ts'
import { ampleRights } from '../callers/first-key.ts'
import { keyScheme } from '../callers/scheme.ts'
import type { Types } from '../handler.ts'
import { readConfig } from '../process/config.ts'
import { readContract } from '../process/contract.ts'
import type { Settings } from '../process/create.ts'
import type { Service } from '../process/definition.ts'
import { type Opened, open } from '../process/open.ts'
import { registerReplyCheck } from '../validation/reply-checks.ts'
import { type Call, createCall } from './call.ts'
import { keepTemplate } from './template.ts'
import { temporaryDirectory } from './temporary.ts'

/** A service on an empty database of its own, for tests. */
export interface TestService<T extends Types> extends AsyncDisposable {
  /** takes any request by `inject`; a body that the document does not declare becomes a 500 */
  app: FastifyInstance
  /** the database of the service */
  db: Kysely<T['tables']>
  /** an API key with every scope and the plan with the most calls; undefined if the document has no API keys */
  key: string | undefined
  /** Calls an operation with that key, and checks the reply by the document. */
  call: Call<T>
  /** Closes the service and removes its database. */
  close(): Promise<void>
}

/** Requests of tests wait for each other as long as they like, and are logged nowhere. */
const usual = { LOG_LEVEL: 'silent', MAX_WAIT_MS: '60000' }

/**
 * Starts a service for tests, on an empty database that is removed at the end: an embedded one, or one on the PostgreSQL
 * server of `DATABASE_URL`, whose user may create databases. Every reply is checked against the document.
 * @param settings as those of `createService`; the environment sets none
 * @throws Error when a setting is wrong, the database can't be opened, or a handler is missing
 */
export async function startTest<T extends Types>(
  service: Service,
  settings: Settings = {},
): Promise<TestService<T>> {
  const closing = new AsyncDisposableStack()
  const close = () => closing.disposeAsync()
  try {
    const place = await makeDatabase(service, settings.DATABASE_URL, closing)
    const config = readConfig({ ...usual, ...settings, ...place })
    const contract = await readContract(service.root)
    const { app, resources } = await open(service, config, contract, closing, undefined, {
      ...{ standIns: {}, docsScript: undefined },
      prepare: instance => registerReplyCheck(instance, contract.model),
    })
    closing.defer(() => app.close())
    const { key, fields } = await makeKey(contract, resources)
    const db = resources.db as unknown as Kysely<T['tables']> // the migrations have made the project's tables, too
    const call = createCall<T>(app, contract.model, fields)
    return { app, db, key, call, close, [Symbol.asyncDispose]: close }
  } catch (error) {
    await close().catch(() => {}) // only the first failure is reported
    throw error
  }
}

/** Makes a database, which is removed at the end. @returns the setting that leads to it */
async function makeDatabase(service: Service, server: string | undefined, closing: AsyncDisposableStack) {
  if (server === undefined) {
    const directory = temporaryDirectory()
    closing.defer(() => rm(directory, { recursive: true, force: true }))
    await keepTemplate(service.migrations).catch(() => {}) // where packages can't be written beside, each test migrates
    return { DATA_DIR: directory }
  }
  const name = `test_${crypto.randomUUID().replaceAll('-', '')}`
  await execute(server, `create database ${name}`)
  closing.defer(() => execute(server, `drop database ${name} with (force)`))
  return { DATABASE_URL: Object.assign(new URL(server), { pathname: name }).href }
}

async function execute(url: string, statement: string): Promise<void> {
  const { default: pg } = await import('pg') // tests on the embedded database need none of it
  const client = new pg.Client(url)
  await client.connect()
  await client.query(statement).finally(() => client.end())
}

/** Calls that a key of a custom plan has in each window: more than any test makes. */
const ample = 1_000_000

/** Makes the key of a document's scheme. @returns it, and the header field that has it */
async function makeKey(contract: Contract, { db, seal, form, now }: Opened['resources']) {
  const name = keyScheme(contract.model)
  if (name === undefined) return { key: undefined, fields: {} }
  const { secret, stored } = newSecret(seal, form)
  const rights = ampleRights(contract, ample)
  await insertApiKey(db, { name: 'Tests', ...rights, ...stored, createdAt: now(), expiresAt: null })
  const scheme = contract.model.document.components?.securitySchemes?.[name]
  const field = scheme && contract.model.resolve(scheme).name
  return { key: secret, fields: field === undefined ? {} : { [field.toLowerCase()]: secret } }
}
