import { hasPgBouncer, startPgBouncer } from '../../../test/support/pgbouncer.ts'
import type { Bench, OurServer } from '../bench.ts'
import type { Group } from '../turns.ts'
import { sessionsOf } from '../usage.ts'
import { list, ratio, requests, startOn, usually, variant, type Wall } from './wall.ts'

/** Sessions that PgBouncer opens for as many connections of the server's. */
const pooled = 10

/**
 * What more and fewer connections to PostgreSQL do, and connections to PgBouncer.
 * @param usual the service with the pool that it has unless told
 */
export async function connectionsWall(bench: Bench, usual: OurServer): Promise<Wall> {
  const withPool = (size: number) =>
    startOn(bench, `pool of ${size}`, () => ({ DATABASE_POOL_SIZE: String(size) }))
  const servers = [usual, await withPool(2), await withPool(50)]
  if (hasPgBouncer) {
    const { databaseUrl } = usual
    const bouncer = await startPgBouncer(databaseUrl.slice(0, databaseUrl.lastIndexOf('/')), pooled)
    bench.closing.add(bouncer.stop)
    servers.push(
      await startOn(bench, 'through PgBouncer', url => ({
        DATABASE_URL: bouncer.url + url.slice(url.lastIndexOf('/')),
      })),
    )
  }
  const group = (name: string): Group => ({
    title: `${name}, by connections to PostgreSQL`,
    variants: servers.map(served =>
      variant(bench, served.name, served, requests[name], {
        read: async () => ({
          ...sessionsOf(bench.databases.pid, new URL(served.databaseUrl).pathname.slice(1)),
        }),
      }),
    ),
  })
  const [reads, orders] = [group('read'), group('order')]
  const against = ({ variants }: Group) => list(variants.map(each => ratio(each, variants[0])))
  const names = servers.map(({ name }) => name).join(', ')
  const after = (name: 'count' | 'memory') =>
    orders.variants.map(each => usually(each, ({ readings }) => readings?.[1][name] ?? Number.NaN))
  return {
    name: 'Connections',
    groups: [reads, orders],
    figures: () => {
      const counts = after('count')
      const each = after('memory').map((memory, i) => memory / (counts[i] ?? Number.NaN))
      return [
        [`reads: ${names}`, against(reads)],
        ['orders, likewise', against(orders)],
        ['sessions open after orders, likewise', list(counts, 0)],
        ['MiB of memory that a session has to itself, likewise', list(each, 1)],
      ]
    },
  }
}
