import { fileURLToPath } from 'node:url'
import { type Bench, measureGroups, type OurServer, type Settings, withBench } from './bench.ts'
import { clean, issueKeys } from './database.ts'
import type { RequestTemplate } from './load.ts'
import { readFromAnywhere, useEach } from './many-keys.ts'
import { operations } from './operations.ts'
import { installPeers } from './peers.ts'
import type { Served } from './servers.ts'
import { medianRatio } from './statistics.ts'
import { lineChart } from './svg.ts'
import type { Group, Variant } from './turns.ts'

const sizes = [1_000, 100_000, 1_000_000]
/** Keys that are stored, and of these the ones in use. */
const keyCounts = [
  { stored: 10, used: 10 },
  { stored: 100_000, used: 10 },
  { stored: 100_000, used: 100_000 },
]
const pages = [1, 5_000]
/** The first is what the others are held against. */
const connectionCounts = [64, 1, 8, 256, 512]
const operationCounts = [1, 1_000]

const many = (count: number) => count.toLocaleString('en')

/** What becomes of it when there is more: animals, pages, keys, connections, operations in the document. */
export function benchGrowth(settings: Settings): Promise<number> {
  return withBench(settings, async bench => {
    console.log(`filling databases with up to ${many(Math.max(...sizes))} animals …`)
    const variant = (
      name: string,
      served: Served,
      request: RequestTemplate,
      more: Partial<Variant['task']> = {},
    ) => ({
      name,
      served,
      samples: [],
      task: {
        request,
        expect: [200, 201],
        connections: settings.connections,
        seconds: settings.seconds,
        ...more,
      },
    })
    const bySize: { size: number; served: OurServer }[] = []
    for (const size of sizes) {
      const url = await bench.databases.copy(await bench.databases.template(size))
      bySize.push({
        size,
        served: await bench.startOurs(`${many(size)} animals`, url, { TRUST_PROXY: '1' }),
      })
    }
    const animals = operations.map(
      ({ name, title, request, writes }): Group => ({
        title,
        variants: bySize.map(({ size, served }) => ({
          ...variant(`${many(size)} animals`, served, {
            ...request,
            headers: { 'X-API-Key': served.key },
            ids: [1, name === 'order' ? size * 0.9 : size],
          }),
          before: writes ? () => bench.databases.execute(served.databaseUrl, clean) : undefined,
        })),
      }),
    )
    const [, middle, largest] = bySize
    if (!middle || !largest) throw new Error('There are three sizes')

    const cursors = await Promise.all(
      pages.map(page => cursorOf(largest.served.url, largest.served.key, page)),
    )
    const known = { 'X-API-Key': largest.served.key }
    const byPage = cursors.map((cursor, index) =>
      variant(`page ${many(pages[index] ?? 0)}`, largest.served, {
        method: 'GET',
        path: `/pets?limit=20${cursor ? `&cursor=${cursor}` : ''}`,
        headers: known,
      }),
    )
    const byKeys = []
    for (const { stored, used } of keyCounts) {
      // Each on a server of its own: what many keys have used is written behind the other requests' back.
      const keyed = await bench.startOurs(
        `${many(used)} of ${many(stored)} keys`,
        await bench.databases.copy(await bench.databases.template(middle.size)),
        { TRUST_PROXY: '1' },
      )
      const keys = await issueKeys(keyed.databaseUrl, stored, 1_000_000_000)
      const inUse = keys.slice(0, used)
      await useEach(bench, keyed, inUse)
      byKeys.push(variant(keyed.name, keyed, { ...readFromAnywhere, keys: inUse }))
    }
    const plain = await startPlain(
      bench,
      await bench.databases.copy(await bench.databases.template(middle.size)),
    )
    const byConnections = [middle.served, ...plain].map(served => ({
      title: `read by id, ${served === middle.served ? 'this service' : served.name}`,
      variants: connectionCounts.map(connections =>
        variant(`${connections} connections`, served, read(middle.served.key), { connections }),
      ),
    }))
    const byOperations = []
    for (const count of operationCounts)
      byOperations.push(
        variant(`${many(count)} operations`, await startOperations(bench, count), {
          method: 'GET',
          path: `/things${count}/{id}?limit=5`,
        }),
      )
    const groups: Group[] = [
      ...animals,
      { title: 'list of 20, of 1,000,000', variants: byPage },
      { title: 'read by id', variants: byKeys },
      ...byConnections,
      { title: 'a bare reply', variants: byOperations },
    ]
    await measureGroups(bench, 'growth', groups, () => ({
      'growth.svg': picture(animals),
      'p99.svg': latencies(byConnections),
    }))
    return 0
  })
}

const read = (key: string): RequestTemplate => ({
  method: 'GET',
  path: '/pets/{id}',
  headers: { 'X-API-Key': key },
})

/** The peer that all are held against, where it can be installed. */
async function startPlain(bench: Bench, databaseUrl: string): Promise<Served[]> {
  const peers = await installPeers(['plain'], console.log)
  const plain = peers.get('plain')
  return plain ? [await bench.start(plain(databaseUrl, 'transaction'))] : []
}

function startOperations(bench: Bench, count: number): Promise<Served> {
  const program = fileURLToPath(new URL('./many-operations.ts', import.meta.url))
  return bench.start({
    name: `${count} operations`,
    command: process.execPath,
    args: [program, String(count)],
  })
}

/** The cursor with which a page of 20 begins, as one comes to it: by following those of larger pages. */
async function cursorOf(url: string, key: string, page: number): Promise<string | undefined> {
  let cursor: string | undefined
  for (let skipped = 0; skipped < (page - 1) * 20; ) {
    const limit = Math.min(100, (page - 1) * 20 - skipped)
    const query = `limit=${limit}${cursor ? `&cursor=${cursor}` : ''}`
    const response = await fetch(`${url}/pets?${query}`, { headers: { 'x-api-key': key } })
    await response.arrayBuffer()
    cursor = response.headers.get('x-next-cursor') ?? undefined
    if (!cursor) throw new Error(`There is no page ${page}`)
    skipped += limit
  }
  return cursor
}

const throughput = ({ samples }: Variant) => samples.map(sample => sample.throughput)

function picture(animals: readonly Group[]): string {
  return lineChart({
    title: 'Requests a second as the store grows',
    note: `of what it is with ${many(sizes[0] ?? 0)} animals`,
    steps: sizes.map(size => `${many(size)} animals`),
    lines: animals.map(({ title, variants }) => {
      const [first] = variants
      return {
        name: title,
        values: variants.map(each => medianRatio(throughput(each), first ? throughput(first) : [])),
      }
    }),
  })
}

/** Each round’s p99 against that of the last group’s first variant, in the same round. */
function latencies(groups: readonly Group[]): string {
  const steps = connectionCounts.toSorted((a, b) => a - b)
  const nameOf = ({ title }: Group) => title.replace(/.*, /, '')
  const p99 = (variant: Variant | undefined) => variant?.samples.map(sample => sample.p99) ?? []
  const base = groups.at(-1)
  return lineChart({
    title: 'Time of a read by id, by connections: p99',
    note: base ? `${nameOf(base)} at ${connectionCounts[0]} connections = 1` : '',
    steps: steps.map(String),
    lines: groups.map((group, index) => ({
      name: nameOf(group),
      highlighted: index === 0,
      values: steps.map(count =>
        medianRatio(p99(group.variants[connectionCounts.indexOf(count)]), p99(base?.variants[0])),
      ),
    })),
  })
}
