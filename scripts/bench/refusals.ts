import { measureGroups, type Settings, withBench } from './bench.ts'
import { issueKey, issueKeys } from './database.ts'
import type { RequestTemplate } from './load.ts'
import { animals } from './operations.ts'

/** Each key that has used up its limit is refused so often: one more refusal, and it would be banned. */
const refusedEach = 18

/** So many that none of them is refused often, and that each keeps a counter of its own: there is room for 250,000. */
const addresses = 2 ** 17

/** Strangers share the allowance of their address, and so do keys that are not known yet: each comes from another one. */
const fromAnywhere = (request: RequestTemplate): RequestTemplate => ({
  ...request,
  headers: { ...request.headers, 'X-Forwarded-For': '{address}' },
  ids: [1, addresses],
})

/** What refusals cost, each against the same read that is answered. */
export function benchRefusals(settings: Settings): Promise<number> {
  return withBench(settings, async bench => {
    const databaseUrl = await bench.databases.copy(await bench.databases.template(animals))
    const readless = await issueKey(databaseUrl, { scopes: ['write'] })
    const { rounds, seconds, connections } = settings
    // Enough in each round for more than anybody is refused in this time; a key that is used twice would be banned.
    const each = Math.ceil((seconds + 1) * (60_000 / refusedEach))
    const limited = await issueKeys(databaseUrl, (rounds + 1) * each, 1)
    const exhausted: string[] = []
    const served = await bench.startOurs('this service', databaseUrl, { TRUST_PROXY: '1' })
    const url = `${served.url}/pets/1`
    const tag = (await fetch(url, { headers: { 'x-api-key': served.key } })).headers.get('etag') ?? ''

    const read = (headers: Record<string, string>, path = '/pets/1'): RequestTemplate => ({
      method: 'GET',
      path,
      headers,
    })
    const known = { 'X-API-Key': served.key }
    const kinds: [string, number[], RequestTemplate][] = [
      ['200', [200], read(known)],
      ['200, any animal', [200], { ...read(known, '/pets/{id}'), ids: [1, animals] }],
      ['304, with the ETag', [304], read({ ...known, 'If-None-Match': tag })],
      ['400, an identifier that is none', [400], read(known, '/pets/abc')],
      ['401, without a key', [401], fromAnywhere(read({}))],
      ['403, without the scope', [403], read({ 'X-API-Key': readless })],
      ['404, no such animal', [404], read(known, `/pets/${animals * 10}`)],
      ['429, over the limit', [429], { ...fromAnywhere(read({})), keys: exhausted, inTurn: refusedEach }],
    ]
    /**
     * Callers who are refused have been served before: the first call of a key, which is looked up for it, is not measured.
     * Each comes from another address, which may have few keys looked up at once.
     */
    const exhaust = async () => {
      exhausted.splice(0, exhausted.length, ...limited.splice(0, each))
      for (let i = 0; i < each; i += 200)
        await Promise.all(
          exhausted.slice(i, i + 200).map(async (key, address) => {
            const headers = { 'x-api-key': key, 'x-forwarded-for': `192.0.2.${address}` }
            await (await fetch(url, { headers })).text()
          }),
        )
    }
    const variants = kinds.map(([name, expect, request]) => ({
      name,
      served,
      samples: [],
      before: request.keys && exhaust,
      task: { request, expect, connections, seconds },
    }))
    await measureGroups(bench, 'refusals', [{ title: 'GET /pets/1', variants }])
    return 0
  })
}
