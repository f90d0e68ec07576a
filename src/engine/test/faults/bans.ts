import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { watchHealth } from './health.ts'
import type { Scenario } from './scenario.ts'
import { startService } from './service.ts'

/** The longest silence of `/health`, in ms, and the most memory of the service, in MiB. */
const most = { silence: 1_000, memory: 512 }

export const bans: Scenario = {
  name: 'bans',
  description: 'the service starts with very many stored bans, and reads new ones while it runs',
  databases: ['postgres'],
  async run({ short, database, progress }) {
    const many = short ? 300_000 : 1_000_000
    await using service = await startService(database)
    await service.kill()
    const client = new pg.Client({ connectionString: service.env.DATABASE_URL })
    await client.connect()
    await client.query(
      `insert into address_bans (address, banned_until)
       select 'stored ' || i, now() + interval '15 minutes' from generate_series(1, $1::int) as i`,
      [many],
    )
    progress(`${many} bans are stored`)
    const begun = performance.now()
    await service.start()
    const started = Math.round(performance.now() - begun)
    progress(`started within ${started} ms`)
    const watch = watchHealth(service.process())
    for (let i = 0; i < 4; i++) {
      await client.query(`insert into address_bans select 'new ' || $1, now() + interval '15 minutes'`, [i])
      await sleep(4_000)
    }
    const { silence, foreign } = await watch.end()
    await client.end()
    const faults: string[] = []
    if (silence > most.silence) faults.push(`/health was silent for ${silence} ms`)
    if (foreign > 0) faults.push(`/health was not answered ${foreign} times`)
    if (service.peakMemory() > most.memory) faults.push(`the service held ${service.peakMemory()} MiB`)
    return {
      figures: {
        'stored bans': many,
        'until it serves, ms': started,
        'longest silence of /health, ms': silence,
        'most memory, MiB': service.peakMemory(),
      },
      faults,
    }
  },
}
