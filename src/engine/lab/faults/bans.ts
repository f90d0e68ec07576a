import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { type DatabaseConfig, openDatabase } from 'spec-served/internal/database/connect'
import { watchHealth } from './health.ts'
import type { Scenario } from './scenario.ts'
import { type Service, startService } from './service.ts'

/** The longest silence of `/health`, in ms, and the most memory of the service, in MiB. */
const most = { silence: 1_000, memory: 512 }

/** How often a new ban is stored while the service runs, where its database may be opened beside it. */
const rounds = 4

/** Opens the database of a service. The embedded one must have been closed. */
const openOf = ({ env: { DATABASE_URL: url, DATA_DIR = '' } }: Service) => {
  const limits = { poolSize: 1, connectTimeoutMs: 60_000, statementTimeoutMs: 0 }
  const config: DatabaseConfig =
    url === undefined ? { kind: 'embedded', dataDir: DATA_DIR } : { kind: 'postgres', url, ...limits }
  return openDatabase(config)
}

export const bans: Scenario = {
  name: 'bans',
  description: 'the service starts with very many stored bans and quotas, and reads new bans while it runs',
  databases: ['pglite', 'postgres'],
  async run({ short, database, progress }) {
    const many = short ? 100_000 : 1_000_000
    await using service = await startService(database)
    await service.kill()
    const stored = await openOf(service)
    const expiry = sql`now() + interval '15 minutes'`
    await sql`
      insert into address_bans (address, banned_until)
      select 'stored ' || i, ${expiry} from generate_series(1, ${many}::int) as i`.execute(stored.db)
    await sql`
      insert into limit_windows (counter, count, ends_at)
      select '{address:' || i || '}:day', 1, ${expiry} from generate_series(1, ${many}::int) as i`.execute(
      stored.db,
    )
    if (database === 'pglite') await stored.close()
    progress(`${many} bans and quotas are stored`)
    const begun = performance.now()
    await service.start()
    const started = Math.round(performance.now() - begun)
    progress(`started within ${started} ms`)
    const watch = watchHealth(service.process())
    for (let round = 0; round < rounds; round++) {
      if (database === 'postgres')
        await sql`insert into address_bans select 'new ' || ${round}::int, ${expiry}`.execute(stored.db)
      await sleep(4_000)
    }
    const { silence, foreign } = await watch.end()
    if (database === 'postgres') await stored.close()
    const faults: string[] = []
    if (silence > most.silence) faults.push(`/health was silent for ${silence} ms`)
    if (foreign > 0) faults.push(`/health was not answered ${foreign} times`)
    if (service.peakMemory() > most.memory) faults.push(`the service held ${service.peakMemory()} MiB`)
    return {
      figures: {
        'stored bans, and quotas': many,
        'until it serves, ms': started,
        'longest silence of /health, ms': silence,
        'most memory, MiB': service.peakMemory(),
      },
      faults,
    }
  },
}
