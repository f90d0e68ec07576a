import { createKey, noKey, revokeKey, rotateKey, shownKey, updateKey } from '../keys/administration.ts'
import { findApiKey, listApiKeys as list } from '../store/api-keys.ts'
import { type Handler, inOneStatement, type SealedHandler } from './handler.ts'

/** What reading keys takes besides the store, and what changing them does. */
type Uses = 'now' | 'contract'
type Changing = Uses | 'keyChanged'

export const listApiKeys: Handler<'listApiKeys', Uses | 'page'> = async (
  { query },
  { db, page, ...tools },
) => {
  const [after] = page.after(['number']) ?? []
  const { rows, headers } = page.cut(await list(db, after, query.limit + 1), row => [row.id])
  return { status: 200, headers, body: rows.map(row => shownKey(row, tools)) }
}

export const createApiKey: SealedHandler<'createApiKey', Uses> = seal =>
  inOneStatement(async ({ body }, { db, ...tools }) => {
    const made = await createKey(db, seal, tools, body)
    if ('code' in made) return made
    return { status: 201, headers: { Location: `/api-keys/${made.id}` }, body: made }
  })

export const rotateApiKey: SealedHandler<'rotateApiKey', Changing> = seal =>
  inOneStatement(async ({ path, body }, { db, ...tools }) => {
    const rotated = await rotateKey(db, seal, tools, path.keyId, body.overlapHours)
    return 'code' in rotated ? rotated : { status: 200, body: rotated }
  })

export const getApiKey: Handler<'getApiKey', Uses> = async ({ path }, { db, ...tools }) => {
  const row = await findApiKey(db, path.keyId)
  return row ? { status: 200, body: shownKey(row, tools) } : noKey(path.keyId)
}

export const updateApiKey: Handler<'updateApiKey', Changing> = async ({ path, body }, { db, ...tools }) => {
  const changed = await updateKey(db, tools, path.keyId, body)
  return 'code' in changed ? changed : { status: 200, body: changed }
}

export const revokeApiKey: Handler<'revokeApiKey', 'now' | 'keyChanged'> = async (
  { path },
  { db, ...tools },
) => (await revokeKey(db, tools, path.keyId)) ?? { status: 204 }
