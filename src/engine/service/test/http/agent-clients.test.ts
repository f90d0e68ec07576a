import { agents, missingPython, type Target } from 'spec-served-lab/support/agents'
import { fromSources } from 'spec-served-lab/support/command'
import { freshDatabase } from 'spec-served-lab/support/database'
import { shared } from 'spec-served-lab/support/fixtures'
import { startIssuer } from 'spec-served-lab/support/issuer'
import { addPet, issueKey, startWithTokens } from 'spec-served-lab/support/store'
import { expect, test } from 'vitest'

const issuer = shared(startIssuer)
const database = shared(freshDatabase)
const store = shared(() => startWithTokens(issuer.issuer, database.db))

/** Returns the server as an agent reaches it with a key or a token: over HTTP, or by a command that sends its requests. */
const targets: Record<string, (credential: string, field: string) => Target> = {
  'over HTTP': (credential, field) => {
    const value = field === 'authorization' ? `Bearer ${credential}` : credential
    return { url: `${store.url}/mcp`, headers: { [field]: value } }
  },
  'over stdio': credential => ({
    command: process.execPath,
    args: [fromSources, 'src/engine/service/cli.js', 'mcp', '--url', store.url],
    env: { API_KEY: credential },
  }),
}

const missing = missingPython()
if (missing !== undefined) console.warn(missing)
const clients = Object.keys(agents).filter(name => missing === undefined || !name.startsWith('Python'))
const rows = clients.flatMap(client => Object.keys(targets).map(way => [client, way] as const))

test.each(rows)(
  '%s, %s: it lists tools with keys and a token, orders, repeats it safely, and is refused for stock, scope and quota',
  async (client, way) => {
    await using closing = new AsyncDisposableStack()
    const connect = async (credential: string, field = 'x-api-key') => {
      const target = targets[way]?.(credential, field)
      const agent = target && (await agents[client]?.(target))
      if (!agent) throw new Error('There is no such client')
      return closing.use(agent)
    }
    const [read, write] = [['read' as const], ['read' as const, 'write' as const]]
    const { authorization } = await issuer.token(
      'writer',
      way === 'over HTTP' ? `${store.url}/mcp` : 'https://api.example',
    )
    const [reader, writer, all, holder, poor] = await Promise.all([
      connect(await issueKey(database.db, { scopes: read })),
      connect(await issueKey(database.db, { scopes: write })),
      connect(await issueKey(database.db)),
      connect(authorization.replace('Bearer ', ''), 'authorization'),
      connect(await issueKey(database.db, { plan: 'Enterprise', quotas: { minute: 1, day: 9 } })),
    ])

    const lists = await Promise.all([reader, writer, all, holder].map(item => item.names()))
    const [ofReader, ofWriter, ofAll, ofToken] = lists.map(names => names.sort())
    expect(ofToken).toEqual(ofWriter)
    // A command does not know the scopes of its key: it lists all tools, and the service refuses.
    const isListed = (tool: string) => [ofReader, ofWriter, ofAll].map(names => names?.includes(tool))
    const isWhole = way === 'over stdio'
    expect(isListed('listPets')).toEqual([true, true, true])
    expect(isListed('placeOrder')).toEqual([isWhole, true, true])
    expect(isListed('revokeApiKey')).toEqual([isWhole, isWhole, true])

    for (const agent of [writer, holder]) {
      const petId = await addPet(store.call, 3)
      const order = async (quantity: number, retryKey?: string) =>
        agent.call('placeOrder', {
          body: { petId, quantity },
          ...(retryKey && { 'Idempotency-Key': retryKey }),
        })
      expect((await order(4)).text).toMatch(/^insufficient_stock \(409\)/)
      const key = crypto.randomUUID()
      const first = await order(1, key)
      expect(first.value).toMatchObject({ petId, quantity: 1 })
      expect((await order(1, key)).value.id).toBe(first.value.id)
      const second = await order(1)
      expect(second.value.id).not.toBe(first.value.id)
      const suggested = /^idempotency-key: (.+)$/m.exec(second.text)?.[1]
      expect((await order(1, suggested)).value.id).toBe(second.value.id)
      const { value } = await agent.call('getOrder', { orderId: first.value.id })
      expect(value).toMatchObject({ id: first.value.id, petId })
    }
    const refused = await reader.call('placeOrder', { body: { petId: 1, quantity: 1 } })
    expect([refused.isError, refused.text]).toEqual([
      true,
      expect.stringMatching(/^insufficient_scope \(403\)/),
    ])
    await poor.call('listPets')
    expect((await poor.call('listPets')).text).toMatch(/^rate_limited \(429\): .*\nTry again in \d+ s\.$/)
  },
  120_000, // a command and a Python start for each credential
)
