import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { startRedis } from 'spec-served-cli/internal/local/redis'
import { freshPostgres, startFollower } from 'spec-served-lab/support/database'
import { shared } from 'spec-served-lab/support/fixtures'
import { has } from 'spec-served-lab/support/programs'
import { addPet, issueKey, startOn, type TestStore } from 'spec-served-lab/support/store'
import { describe, expect, onTestFinished, test } from 'vitest'
import { openReplicas, type Replicas } from '../../../database/replicas.ts'

type Server = Omit<TestStore, 'cut' | 'waitingForLocks'> & { replicas: Replicas; messages: string[] }

const database = shared(freshPostgres)
const follower = shared(startFollower)

async function atFollower(statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: `${follower.url}/postgres` })
  await client.connect()
  await client.query(statement).finally(() => client.end())
}
const pause = () => atFollower('select pg_wal_replay_pause()')
const resume = () => atFollower('select pg_wal_replay_resume()')

/** A server that reads from the replica, or from what else is given; ended with the test. */
async function startServer(redisUrl?: string, url?: string): Promise<Server> {
  const { config, pool } = database
  if (!pool) throw new Error('This is for PostgreSQL')
  const { pathname } = new URL(config.url)
  const messages: string[] = []
  const replicas = openReplicas(pool, config, [url ?? follower.url + pathname], {
    warn: ({ reason }: { reason?: unknown }, message) => messages.push(`${message} ${reason}`),
    info: message => messages.push(message),
  })
  const server = await startOn(database.db, { replicas, redisUrl })
  onTestFinished(async () => {
    await server.close()
    await replicas.close()
  })
  return { ...server, replicas, messages }
}
const inUse = (server: Server) => expect.poll(() => server.replicas.state().inUse)
/** Reads until a replica has answered; what it has said. */
async function readThere(server: Server, path: string, key = server.key) {
  const before = server.replicas.state().reads.replica
  for (;;) {
    const reply = await server.request({ url: path, headers: { 'x-api-key': key } })
    if (server.replicas.state().reads.replica > before) return reply
    await sleep(20)
  }
}

describe('With a replica', () => {
  test('a caller reads its own writes at once, and others read from the replica', async () => {
    const server = await startServer()
    await inUse(server).toBe(1)
    const petId = await addPet(server.call)
    const other = await issueKey(server.db)
    await readThere(server, `/pets/${petId}`)
    await pause()
    try {
      await server.call('updatePet', { path: { petId }, body: { name: 'Max' } })
      expect((await server.request(`/pets/${petId}`)).json().name).toBe('Max')
      expect((await readThere(server, `/pets/${petId}`, other)).json().name).toBe('Rex')
    } finally {
      await resume()
    }
    expect((await readThere(server, `/pets/${petId}`)).json().name).toBe('Max')
  })

  test('a caller’s own limits are read from the primary', async () => {
    const server = await startServer()
    await inUse(server).toBe(1)
    const { replica } = server.replicas.state().reads
    await server.request('/usage')
    await server.request('/health')
    expect(server.replicas.state().reads.replica).toBe(replica)
  })

  test('a late replica is left out, and taken in again when it catches up', async () => {
    const server = await startServer()
    await inUse(server).toBe(1)
    await pause()
    try {
      await addPet(server.call)
      await inUse(server).toBe(0)
      await expect
        .poll(() => server.messages.at(-1))
        .toBe('Replica 1 is left out: the primary is read from until it is back. it is more than 2 s late')
      expect((await server.request('/pets')).statusCode).toBe(200)
    } finally {
      await resume()
    }
    await inUse(server).toBe(1)
    await expect.poll(() => server.messages.at(-1)).toBe('Replica 1 is read from.')
  })

  test.each([
    ['is killed', () => follower.kill(), () => follower.restart()],
    ['hangs', async () => follower.signal('SIGSTOP'), async () => follower.signal('SIGCONT')],
  ])('no read fails when it %s', async (_title, leave, comeBack) => {
    const server = await startServer()
    await inUse(server).toBe(1)
    await leave()
    try {
      const replies = await Promise.all(
        Array.from({ length: 20 }, (_, i) => server.request(`/pets?limit=${i + 1}`)),
      )
      expect(new Set(replies.map(({ statusCode }) => statusCode))).toEqual(new Set([200]))
      await inUse(server).toBe(0)
      expect((await server.request('/pets')).statusCode).toBe(200)
    } finally {
      await comeBack()
    }
    await inUse(server).toBe(1)
  })

  test.each([
    ['the primary itself', () => database.config.url, 'it is no replica'],
    ['a replica of another database', () => `${follower.url}/postgres`, 'it is of another database'],
  ])('%s is no replica to read from', async (_, url, reason) => {
    const server = await startServer(undefined, url())
    expect((await server.request('/pets')).statusCode).toBe(200)
    await expect.poll(() => server.messages.join()).toContain(reason)
    expect(server.replicas.state()).toMatchObject({ inUse: 0, reads: { replica: 0 } })
  })

  test.skipIf(!has('redis-server'))(
    'a caller reads at any server what it has written by another',
    async () => {
      const redis = await startRedis()
      onTestFinished(redis.kill)
      const [a, b] = [await startServer(redis.url), await startServer(redis.url)]
      const petId = await addPet(a.call)
      await inUse(b).toBe(1)
      await readThere(b, `/pets/${petId}`, a.key)
      const nameAt = async (server: Server) =>
        (await server.request({ url: `/pets/${petId}`, headers: { 'x-api-key': a.key } })).json().name
      await pause()
      try {
        await a.call('updatePet', { path: { petId }, body: { name: 'Max' } })
        expect(await nameAt(b)).toBe('Max')
        // Without Redis, nobody knows the writes elsewhere.
        await redis.kill()
        expect(await nameAt(b)).toBe('Max')
        await redis.restart()
        expect(await nameAt(b)).toBe('Max')
      } finally {
        await resume()
      }
    },
  )
})
