import { inOneStatement, refusal } from 'spec-served'
import type { Handler } from './handler.ts'

const noKey = (id: number) => refusal('not_found', `There is no API key ${id}.`)

export const listApiKeys: Handler<'listApiKeys', 'keys' | 'page'> = async ({ query }, { keys, page }) => {
  const [after] = page.after(['number']) ?? []
  const { rows, headers } = page.cut(await keys.list(after, query.limit + 1), key => [key.id])
  return { status: 200, headers, body: rows }
}

export const createApiKey: Handler<'createApiKey', 'keys'> = inOneStatement(async ({ body }, { keys }) => {
  const made = await keys.create(body)
  if ('code' in made) return made
  return { status: 201, headers: { Location: `/api-keys/${made.id}` }, body: made }
})

export const rotateApiKey: Handler<'rotateApiKey', 'keys'> = inOneStatement(
  async ({ path, body }, { keys }) => {
    const rotated = await keys.rotate(path.keyId, body.overlapHours)
    return rotated ? { status: 200, body: rotated } : noKey(path.keyId)
  },
)

export const getApiKey: Handler<'getApiKey', 'keys'> = async ({ path }, { keys }) => {
  const key = await keys.find(path.keyId)
  return key ? { status: 200, body: key } : noKey(path.keyId)
}

export const updateApiKey: Handler<'updateApiKey', 'keys'> = async ({ path, body }, { keys }) => {
  const changed = await keys.update(path.keyId, body)
  if (!changed) return noKey(path.keyId)
  return 'code' in changed ? changed : { status: 200, body: changed }
}

export const revokeApiKey: Handler<'revokeApiKey', 'keys'> = async ({ path }, { keys }) => {
  const revoked = await keys.revoke(path.keyId)
  if (typeof revoked === 'object') return revoked
  return revoked ? { status: 204 } : noKey(path.keyId)
}
