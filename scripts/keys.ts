import { readContract } from '../src/contract.ts'
import { DirectoryInUse } from '../src/database/lock.ts'
import type { Trx } from '../src/database/tables.ts'
import type { Contract } from '../src/engine/contract.ts'
import type { Refusal } from '../src/engine/replies/api-error.ts'
import { pageOf } from '../src/engine/replies/pages.ts'
import { describe } from '../src/engine/requests/faults.ts'
import { createAjv, type Schema, toJsonSchema } from '../src/engine/requests/json-schema.ts'
import type { ApiKey } from '../src/generated/schema.ts'
import * as handlers from '../src/handlers/api-keys.ts'
import type { ContextOf, Input } from '../src/handlers/handler.ts'
import { Misuse, runCommand, wholeNumber } from './arguments.ts'
import { withDatabase } from './with-database.ts'

const usage = `Usage: npm run keys -- COMMAND [OPTIONS]

  create --name TEXT [--plan Free] [--scopes read,write] [--minute N --day N] [--expires DATE-TIME]
  list
  show ID
  update ID [--name TEXT] [--plan PLAN] [--scopes …] [--minute N --day N] [--expires DATE-TIME | never]
            [--disable | --enable]
  rotate ID [--overlap-hours 0 | 1 | 24 | 168]
  revoke ID
  unban ID

  --json   print what the API would answer`

const text = { type: 'string' } as const
const flag = { type: 'boolean' } as const
const options = {
  name: text,
  plan: text,
  scopes: text,
  minute: text,
  day: text,
  expires: text,
  'overlap-hours': text,
  disable: flag,
  enable: flag,
  json: flag,
}

interface Values extends Record<string, string | boolean | undefined> {
  name: string | undefined
  plan: string | undefined
  scopes: string | undefined
  minute: string | undefined
  day: string | undefined
  expires: string | undefined
  'overlap-hours': string | undefined
  disable: boolean
  enable: boolean
  json: boolean
}

/** The options that each command takes besides --json. */
const optionsOf: Readonly<Record<string, readonly (keyof typeof options)[]>> = {
  create: ['name', 'plan', 'scopes', 'minute', 'day', 'expires'],
  list: [],
  show: [],
  update: ['name', 'plan', 'scopes', 'minute', 'day', 'expires', 'disable', 'enable'],
  rotate: ['overlap-hours'],
  revoke: [],
  unban: [],
}

interface Reply {
  status: number | string | symbol
  body?: unknown
}

/** What the operations of API keys use. */
type Tools = ContextOf<'updateApiKey', 'db' | 'now' | 'contract' | 'keyChanged'>

/** A command as the operation of the API that it stands for: the same rules, the same refusals. */
type Command = (tools: Tools) => Promise<Reply | Refusal>

/** A command whose operation runs in a transaction. */
function inTransaction(
  command: (tools: Omit<Tools, 'db'> & { db: Trx }) => Promise<Reply | Refusal>,
): Command {
  return ({ db, ...tools }) => db.transaction().execute(trx => command({ ...tools, db: trx }))
}

/** @throws Misuse before anything is opened */
async function readCommand(values: Values, [command, id]: string[]): Promise<Command> {
  const known = optionsOf[command ?? '']
  if (!command || !known) throw new Misuse(command ? `There is no command ${command}` : 'Name a command')
  for (const [name, value] of Object.entries(values))
    if (value !== undefined && value !== false && !['json', 'help', ...known].includes(name))
      throw new Misuse(`${command} takes no --${name}`)
  if (id !== undefined && ['create', 'list'].includes(command))
    throw new Misuse(`Unexpected argument ${JSON.stringify(id)}`)
  const path = () => {
    if (!/^[1-9]\d{0,15}$/.test(id ?? '')) throw new Misuse(`${command} needs the number of a key`)
    return { keyId: Number(id) }
  }
  switch (command) {
    case 'create': {
      const given = { plan: 'Free', scopes: ['read', 'write'], ...fields(values) }
      const input = { path: {}, query: {}, body: await checked('NewApiKey', given) }
      return inTransaction(context => handlers.createApiKey(input, context))
    }
    case 'list':
      return async context => ({ status: 200, body: await allKeys(context) })
    case 'show': {
      const input = { path: path(), query: {}, body: undefined }
      return context => handlers.getApiKey(input, context)
    }
    case 'update': {
      const input = { path: path(), query: {}, body: await checked('ApiKeyPatch', fields(values)) }
      return context => handlers.updateApiKey(input, context)
    }
    case 'rotate': {
      const given = { overlapHours: wholeNumber('--overlap-hours', values['overlap-hours'] ?? '0') }
      const input = { path: path(), query: {}, body: await checked('ApiKeyRotation', given) }
      return inTransaction(context => handlers.rotateApiKey(input, context))
    }
    case 'revoke': {
      const input = { path: path(), query: {}, body: undefined }
      return context => handlers.revokeApiKey(input, context)
    }
    default: {
      const input = { path: path(), query: {}, body: { bannedUntil: null } }
      return context => handlers.updateApiKey(input, context)
    }
  }
}

/** The options as the fields of a body. */
function fields(values: Values): Record<string, unknown> {
  const { name, plan, scopes, minute, day, expires, disable, enable } = values
  if ((minute === undefined) !== (day === undefined)) throw new Misuse('--minute and --day go together')
  if (disable && enable) throw new Misuse('--disable and --enable exclude one another')
  return {
    ...(name !== undefined && { name }),
    ...(plan !== undefined && { plan }),
    ...(scopes !== undefined && { scopes: scopes.split(',') }),
    ...(minute !== undefined &&
      day !== undefined && {
        quotas: { minute: wholeNumber('--minute', minute), day: wholeNumber('--day', day) },
      }),
    ...(expires !== undefined && { expiresAt: expires === 'never' ? null : expires }),
    ...((disable || enable) && { disabled: disable === true }),
  }
}

type Bodies = {
  NewApiKey: Input<'createApiKey'>['body']
  ApiKeyPatch: Input<'updateApiKey'>['body']
  ApiKeyRotation: Input<'rotateApiKey'>['body']
}

/** Holds a body against the document's schema, as the server does. */
async function checked<Name extends keyof Bodies>(name: Name, body: unknown): Promise<Bodies[Name]> {
  const { components } = (await readContract()).model.document as { components: { schemas: Schema } } // the project's document has them
  const { properties } = toJsonSchema({ properties: components.schemas }) as Schema
  const validate = createAjv().compile({
    $ref: `#/components/schemas/${name}`,
    components: { schemas: properties },
  })
  if (validate(body)) return body as Bodies[Name] // it has just been found valid
  throw new Misuse(
    describe(validate.errors ?? [])
      .map(({ path, message }) => `${path} ${message}`)
      .join('\n'),
  )
}

async function allKeys(tools: Tools): Promise<ApiKey[]> {
  const keys: ApiKey[] = []
  const list = tools.contract.model.operation('listApiKeys')
  if (!list) throw new Error('The document has no list of keys')
  for (let cursor: string | undefined; ; ) {
    const query = { limit: 100, ...(cursor !== undefined && { cursor }) }
    const page = pageOf(list, query)
    const reply = await handlers.listApiKeys({ path: {}, query, body: undefined }, { ...tools, page })
    if ('code' in reply || reply.status !== 200) throw new Error('The keys can’t be listed')
    keys.push(...reply.body)
    cursor = reply.headers?.['X-Next-Cursor']
    if (cursor === undefined) return keys
  }
}

function print(reply: Reply | Refusal, { facts }: Contract, asJson: boolean): void {
  const statusOf = (code: string) =>
    [...facts.values()].map(({ codes }) => codes[code]).find(status => status !== undefined)
  const body = 'code' in reply ? { ...reply, status: statusOf(reply.code) } : reply.body
  if (asJson) console.log(JSON.stringify(body ?? null, null, 2))
  else if ('code' in reply) console.error(reply.message)
  else if (Array.isArray(body))
    console.table(body, ['id', 'name', 'plan', 'preview', 'scopes', 'lastUsedAt', 'bannedUntil'])
  else if (body)
    for (const [name, value] of Object.entries(body))
      console.log(name.padEnd(24) + (typeof value === 'object' ? JSON.stringify(value) : value))
  else console.log('Done.')
}

await runCommand({ usage, options, positionals: 2 }, async (values, positionals) => {
  const run = await readCommand(values, positionals)
  const contract = await readContract()
  const reply = await withDatabase(db =>
    // Servers read keys anew within seconds.
    run({ db, now: () => new Date(), contract, keyChanged() {} }),
  ).catch((error: unknown) => {
    if (!(error instanceof DirectoryInUse)) throw error
    throw new Error(
      'The server is running on the embedded database, which one process at a time can open. Use the API instead, ' +
        'with a key that has the scope admin:\n  curl -H "X-API-Key: $KEY" http://localhost:3000/api-keys',
    )
  })
  print(reply, contract, values.json)
  return 'code' in reply ? 1 : 0
})
