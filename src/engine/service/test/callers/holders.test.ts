import { freshDatabase } from 'spec-served-lab/support/database'
import { shared } from 'spec-served-lab/support/fixtures'
import { changedContract } from 'spec-served-lab/support/model'
import { issueKey, type Server, startOn } from 'spec-served-lab/support/store'
import { expect, test } from 'vitest'
import type { Checkers } from '../../callers/security.ts'
import { callersOf } from '../../lifecycle/lifecycle.ts'

/** The pet store, which also takes a bearer token: the identifier of its user. */
const contract = await changedContract(document => {
  document.components.securitySchemes.Token = { type: 'http', scheme: 'bearer' }
  document.security.push({ Token: [] })
  document['x-rate-limits'].plans.Free = { minute: 4, day: 100 }
  document['x-rate-limits'].ban.refusals = 2
})
const rights = { scopes: ['read', 'write'], plan: 'Free', quotas: null, bannedUntil: null }
/** A user whose holder is always the same object. */
const kept = { ...rights, id: 'kept' }
const checkers: Checkers = {
  Token: {
    find: ({ value }) =>
      value === kept.id
        ? kept
        : { ...rights, id: /^\d+$/.test(value) ? Number(value) : value.replace('.', ' ') },
  },
}

const database = shared(freshDatabase)
const start = () => startOn(database.db, { contract, checkers })
const token = (user: string | number) => ({ authorization: `Bearer ${user}` })

/** A key on the plan Free, with its identifier. */
async function newKey(): Promise<{ id: number; headers: Record<string, string> }> {
  const headers = { 'x-api-key': await issueKey(database.db) }
  const { id } = await database.db
    .selectFrom('api_keys')
    .select('id')
    .orderBy('id', 'desc')
    .executeTakeFirstOrThrow()
  return { id, headers }
}

const call = async ({ app }: Server, headers: Record<string, string>, url = '/pets?limit=1') => {
  const reply = await app.inject({ url, headers })
  return [reply.statusCode, Number(reply.headers['x-ratelimit-remaining'])]
}

test('a key and the user of a token with the same identifier have quotas and bans of their own, over a restart', async () => {
  const { id, headers } = await newKey()
  const user = token(id)
  {
    await using store = await start()
    expect([await call(store, headers), await call(store, user)]).toEqual([
      [200, 3],
      [200, 3],
    ])
    for (const status of [200, 200, 200, 429, 429, 403]) expect((await call(store, user))[0]).toBe(status)
    expect(await call(store, headers)).toEqual([200, 2])
  }
  await using store = await start()
  expect((await call(store, user))[0]).toBe(403)
  expect((await call(store, token(`${id}0`)))[0]).toBe(200)
  expect((await call(store, headers))[0]).toBe(200)
})

test('a user that two servers know is banned at both, soon after one of them has banned it', async () => {
  await using first = await start()
  await using second = await start()
  const user = token(kept.id)
  expect((await call(second, user))[0]).toBe(200)
  for (const status of [200, 200, 200, 200, 429, 429, 403]) expect((await call(first, user))[0]).toBe(status)
  // A few calls, so that this server has no reason of its own.
  const seldom = { interval: 4_500 }
  await expect.poll(async () => (await call(second, user))[0], seldom).toBe(403)
})

test('calls of deprecated operations are those of a key or of a user, whatever their identifiers', async () => {
  const { id, headers } = await newKey()
  await using store = await start()
  const deprecatedOf = async (of: Record<string, string>) => {
    const reply = await store.app.inject({ url: '/usage', headers: of })
    return [reply.statusCode, reply.json().deprecated]
  }
  const replyWith = (calls: number) => [200, [{ operationId: 'getPet', calls, sunset: '2030-12-05' }]]
  await call(store, headers, '/pets/1')
  for (const url of ['/pets/1', '/pets/2']) await call(store, token(id), url)
  for (const url of ['/pets/1', '/pets/2', '/pets/3']) await call(store, token('ann.lee'), url)
  expect(await deprecatedOf(headers)).toEqual(replyWith(1))
  expect(await deprecatedOf(token(id))).toEqual(replyWith(2))
  expect(await deprecatedOf(token('ann.lee'))).toEqual(replyWith(3))
  const callers = await callersOf(database.db, 'getPet', contract.lifetimes, new Date())
  expect(callers.map(caller => [caller.id, caller.name, caller.calls])).toEqual([
    [null, 'holder:Token:ann lee', 3],
    [null, `holder:Token:${id}`, 2],
    [id, 'Test', 1],
  ])
})

test('a user of a token does not get the stored reply of a key with the same identifier', async () => {
  const { id, headers } = await newKey()
  await using store = await start()
  const add = async (of: Record<string, string>) => {
    const reply = await store.app.inject({
      method: 'POST',
      url: '/categories',
      headers: { ...of, 'idempotency-key': 'the same' },
      payload: { name: 'Dogs' },
    })
    return [reply.statusCode, reply.headers['idempotent-replayed']]
  }
  expect(await add(headers)).toEqual([201, undefined])
  expect(await add(headers)).toEqual([201, 'true'])
  expect(await add(token(id))).toEqual([409, undefined])
})
