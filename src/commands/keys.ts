import type { Trx } from '../database/tables.ts'
import type { Contract } from '../engine/contract.ts'
import type { Refusal } from '../engine/replies/api-error.ts'
import { pagesOf } from '../engine/replies/pages.ts'
import { createSchemas } from '../engine/requests/schemas.ts'
import type { ApiKey, IssuedApiKey } from '../generated/schema.ts'
import * as handlers from '../handlers/api-keys.ts'
import type { Input } from '../handlers/handler.ts'
import { Misuse, Refused } from './failures.ts'
import { checkCursor, checkId, pageSize, partsOf, pepper } from './key-input.ts'
import type { Command, CommandTools } from './tools.ts'

type Bodies = {
  NewApiKey: Input<'createApiKey'>['body']
  ApiKeyPatch: Input<'updateApiKey'>['body']
  ApiKeyRotation: Input<'rotateApiKey'>['body']
}

/** Holds a body against the document's schema, as the server does. */
function checkedBody<Name extends keyof Bodies>(
  name: Name,
  body: unknown,
  { model }: Contract,
): Bodies[Name] {
  const faults = createSchemas(model).check({ $ref: `#/components/schemas/${name}` }, body)
  if (faults.length === 0) return body as Bodies[Name] // it has just been found valid
  throw new Misuse(faults.map(({ path, message }) => `${path} ${message}`).join('\n'))
}

/** The reply of an operation that did what it was asked; a refusal is thrown. */
function expected<Answer extends object, const Status extends number>(
  answer: Answer | Refusal,
  wanted: Status,
  { facts }: Contract,
): Extract<Answer, { status: Status }> {
  if ('code' in answer) {
    const [status] = [...facts.values()].flatMap(({ codes }) => codes[answer.code] ?? [])
    throw new Refused({ ...answer, ...(status !== undefined && { status }) })
  }
  if ('status' in answer && answer.status === wanted) return answer as Extract<Answer, { status: Status }> // as it says
  throw new Error('The operation has answered something else than it declares')
}

function inTransaction<T>(
  { db, ...tools }: CommandTools,
  run: (tools: Omit<CommandTools, 'db'> & { db: Trx }) => Promise<T>,
): Promise<T> {
  return db.transaction().execute(trx => run({ ...tools, db: trx }))
}

const create: Command<{ body: Bodies['NewApiKey'] }, IssuedApiKey> = {
  check: (input, contract) => ({ body: checkedBody('NewApiKey', partsOf(input).body, contract) }),
  run: ({ body }, tools) =>
    inTransaction(tools, async context => {
      const answer = await handlers.createApiKey(tools.seal)({ path: {}, query: {}, body }, context)
      return expected(answer, 201, tools.contract).body
    }),
}

/** A page of the keys, and where the next one begins. */
const list: Command<{ cursor?: string }, { keys: ApiKey[]; cursor?: string }> = {
  check: checkCursor,
  async run(input, tools) {
    const operation = tools.contract.model.operation('listApiKeys')
    if (!operation) throw new Error('The document has no list of keys')
    const query = { limit: pageSize, ...input }
    const page = pagesOf(tools.contract.model).of(operation.id, operation.path, {}, query)
    const answer = await handlers.listApiKeys({ path: {}, query, body: undefined }, { ...tools, page })
    const { body: keys, headers } = expected(answer, 200, tools.contract)
    const cursor = headers['X-Next-Cursor']
    return { keys, ...(cursor !== undefined && { cursor }) }
  },
}

const show: Command<{ id: number }, ApiKey> = {
  check: checkId,
  async run({ id }, tools) {
    const answer = await handlers.getApiKey({ path: { keyId: id }, query: {}, body: undefined }, tools)
    return expected(answer, 200, tools.contract).body
  },
}

const update: Command<{ id: number; body: Bodies['ApiKeyPatch'] }, ApiKey> = {
  check: (input, contract) => ({
    ...checkId(input),
    body: checkedBody('ApiKeyPatch', partsOf(input).body, contract),
  }),
  async run({ id, body }, tools) {
    const answer = await handlers.updateApiKey({ path: { keyId: id }, query: {}, body }, tools)
    return expected(answer, 200, tools.contract).body
  },
}

const rotate: Command<{ id: number; body: Bodies['ApiKeyRotation'] }, IssuedApiKey> = {
  check: (input, contract) => ({
    ...checkId(input),
    body: checkedBody('ApiKeyRotation', partsOf(input).body, contract),
  }),
  async run({ id, body }, tools) {
    const rotated = await inTransaction(tools, async context => {
      const answer = await handlers.rotateApiKey(tools.seal)(
        { path: { keyId: id }, query: {}, body },
        context,
      )
      return expected(answer, 200, tools.contract).body
    })
    await tools.keyChanged(id) // only now is it stored
    return rotated
  },
}

const revoke: Command<{ id: number }, null> = {
  check: checkId,
  async run({ id }, tools) {
    const answer = await handlers.revokeApiKey({ path: { keyId: id }, query: {}, body: undefined }, tools)
    expected(answer, 204, tools.contract)
    return null
  },
}

/** The operations of API keys: the same rules, the same refusals. */
export const keyCommands = {
  'keys.create': create,
  'keys.list': list,
  'keys.show': show,
  'keys.update': update,
  'keys.rotate': rotate,
  'keys.revoke': revoke,
  'keys.pepper': pepper,
}
