import type { Bench, OurServer } from '../bench.ts'
import { clean } from '../database.ts'
import type { RequestTemplate } from '../load.ts'
import type { Sample } from '../measure.ts'
import { animals, operations } from '../operations.ts'
import { median, medianRatio } from '../statistics.ts'
import type { Group, Variant } from '../turns.ts'

/** Something that ends how far the service scales: what is measured of it, and what that says once it is. */
export interface Wall {
  name: string
  groups: readonly Group[]
  figures(): readonly (readonly [measured: string, figures: string])[]
}

/** The requests of the comparison: `read`, `order`, `create`. */
export const requests: Readonly<Record<string, RequestTemplate>> = Object.fromEntries(
  operations.map(({ name, request }) => [name, request]),
)

/** Starts the service on a database of its own. */
export async function startOn(
  bench: Bench,
  name: string,
  envOf: (url: string) => Record<string, string> = () => ({}),
): Promise<OurServer> {
  const url = await bench.databases.copy(await bench.databases.template(animals))
  return bench.startOurs(name, url, { DATABASE_CONNECT_TIMEOUT_MS: '30000', ...envOf(url) })
}

/**
 * What PostgreSQL does for each commit unless told: as it does long after a checkpoint. Right after one it writes whole pages too.
 */
const usualCommits = { fsync: 'on', synchronous_commit: 'on', full_page_writes: 'off' }

/** Changes a setting of PostgreSQL for all sessions. */
export async function setForAll(
  { databases }: Bench,
  { databaseUrl }: OurServer,
  setting: string,
): Promise<void> {
  await databases.execute(databaseUrl, `alter system set ${setting}`)
  await databases.execute(databaseUrl, 'select pg_reload_conf()')
}

/** How a variant is measured otherwise than most. */
type Otherwise = Partial<Variant['task']> & { unlike?: Partial<typeof usualCommits> }

/** What is asked of a server, by as many callers as the settings say unless told; what is written reaches the disk unless told. */
export function variant(
  bench: Bench,
  name: string,
  served: OurServer,
  request: RequestTemplate | undefined,
  { unlike, ...task }: Otherwise = {},
): Variant {
  const { connections, seconds } = bench.settings
  if (!request) throw new Error(`There is no request for ${name}`)
  const headers = request.keys ? request.headers : { 'X-API-Key': served.key }
  return {
    name,
    served,
    samples: [],
    task: {
      request: { ...request, ...(headers && { headers }) },
      expect: [200, 201],
      connections,
      seconds,
      ...task,
    },
    before: async () => {
      if (request.method === 'GET') return
      await bench.databases.execute(served.databaseUrl, clean)
      for (const [name, value] of Object.entries({ ...usualCommits, ...unlike }))
        await setForAll(bench, served, `${name} = ${value}`)
    },
  }
}

/** Requests a second of one against those of another. */
export const ratio = ({ samples }: Variant, base: Variant | undefined): number =>
  medianRatio(
    samples.map(({ throughput }) => throughput),
    (base?.samples ?? []).map(({ throughput }) => throughput),
  )

/** By how much a counter has grown while a sample was taken. */
export function growth({ readings }: Sample, counter: string): number {
  const [before, after] = readings ?? []
  return (after?.[counter] ?? Number.NaN) - (before?.[counter] ?? Number.NaN)
}

export const answered = ({ statuses }: Sample): number =>
  Object.values(statuses).reduce((total, count) => total + count, 0)

/** The median over all rounds. */
export const usually = ({ samples }: Variant, of: (sample: Sample) => number): number =>
  median(samples.map(of))

export const list = (numbers: readonly number[], decimals = 2): string =>
  numbers.map(number => (Number.isFinite(number) ? number.toFixed(decimals) : '–')).join(', ')
