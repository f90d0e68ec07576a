import type { Bench } from './bench.ts'
import type { RequestTemplate } from './load.ts'
import type { Served } from './servers.ts'

/** A server looks up few keys of an address at once that it does not know yet. */
export const readFromAnywhere: RequestTemplate = {
  method: 'GET',
  path: '/pets/{id}',
  headers: { 'X-Forwarded-For': '{address}' },
}

/** Uses each of some keys, as the first request with a key costs a look-up. */
export async function useEach(
  { load, settings }: Bench,
  { port }: Served,
  keys: readonly string[],
): Promise<void> {
  const request = { ...readFromAnywhere, keys, inTurn: 1 }
  for (let used = 0; used < keys.length; ) {
    const { answered } = await load.run({ port, connections: settings.connections, seconds: 1, request })
    if (answered === 0) throw new Error('Nothing is answered')
    used += answered
  }
}
