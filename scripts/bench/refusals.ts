import { measureGroups, type Settings, withBench } from './bench.ts'
import { issueKey, issueKeys } from './database.ts'
import type { RequestTemplate } from './load.ts'
import { readFromAnywhere, useEach } from './many-keys.ts'
import { animals } from './operations.ts'

/** Each key that has used up its limit is refused so often: one more refusal, and it would be banned. */
const refusedEach = 18

/**
 * So many strangers, and so many keys that are in use: none of them is refused often, and each keeps a counter of its own,
 * beside those that have used up their limits. There is room for 250,000.
 */
const callers = 2 ** 16
/** No animal has this number, or a greater one. */
const absent = animals * 10

/** What refusals cost, each against a read that is answered and like it in all else. */
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
    const inUse = await issueKeys(databaseUrl, callers, 1_000_000_000)
    await useEach(bench, served, inUse)
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
    const variant = (
      name: string,
      expect: number,
      request: RequestTemplate,
      before?: () => Promise<void>,
    ) => ({
      name,
      served,
      samples: [],
      before,
      task: { request, expect: [expect], connections, seconds },
    })
    const fromAnywhere = { ...readFromAnywhere, ids: [1, callers] } as const
    await measureGroups(bench, 'refusals', [
      {
        title: 'one animal, one key',
        variants: [
          variant('200', 200, read(known)),
          variant('304, with the ETag', 304, read({ ...known, 'If-None-Match': tag })),
          variant('400, an identifier that is none', 400, read(known, '/pets/abc')),
          variant('403, without the scope', 403, read({ 'X-API-Key': readless })),
          variant('404, no such animal', 404, read(known, `/pets/${absent}`)),
        ],
      },
      {
        title: 'any animal, one key',
        variants: [
          variant('200', 200, { ...read(known, '/pets/{id}'), ids: [1, animals] }),
          variant('404, no such animal', 404, {
            ...read(known, '/pets/{id}'),
            ids: [absent, absent + animals],
          }),
        ],
      },
      {
        title: 'any animal, anybody',
        variants: [
          variant('200', 200, { ...readFromAnywhere, keys: inUse }),
          variant('401, without a key', 401, fromAnywhere),
          variant(
            '429, over the limit',
            429,
            { ...fromAnywhere, keys: exhausted, inTurn: refusedEach },
            exhaust,
          ),
        ],
      },
    ])
    return 0
  })
}
