import { setTimeout } from 'node:timers/promises'
import { prepareOrders } from '../faults/orders.ts'
import type { Outcome } from '../faults/scenario.ts'
import { callSite, readOn } from './callers.ts'
import type { Site } from './site.ts'

/** The site and the callers of a scenario. */
export interface Stage {
  site: Site
  /** with every scope and more quota than any run uses */
  key: string
  /** Makes a key with a quota of its own. */
  limitedKey(quota: number): Promise<string>
  /** callers who read, and who place orders, at once */
  readers: number
  buyers: number
  /** how often it is done */
  rounds: number
  progress(text: string): void
}

interface SiteScenario {
  name: string
  description: string
  /** rounds of a whole run */
  rounds: number
  needs?: 'redis'
  play(stage: Stage): Promise<Outcome>
}

/** How long HAProxy may take to notice that a server is back, in ms: it looks every 2 s. */
const noticed = 2_500
/** Longest time after which the servers must serve again once Redis or PostgreSQL does, in ms. */
const backWithin = 10_000

/** Joins as many failures as are worth reading. */
const some = (failures: readonly string[]) => [...new Set(failures)].slice(0, 3).join('; ')
const sum = (numbers: Iterable<number>) => [...numbers].reduce((total, number) => total + number, 0)

const exactLimits: SiteScenario = {
  name: 'limits',
  description: 'callers use a quota from many connections to all servers, then go on',
  rounds: 20,
  needs: 'redis',
  async play({ site, limitedKey, rounds, progress }) {
    const quota = 200
    const beyond = 15 // fewer than bring about a ban
    const faults: string[] = []
    let sent = 0
    for (let round = 1; round <= rounds; round++) {
      const key = await limitedKey(quota)
      const statuses: number[] = []
      let left = quota + beyond
      await Promise.all(
        Array.from({ length: 10 }, async () => {
          const { send, close } = callSite(site, key)
          while (left-- > 0) statuses.push((await send('GET', '/pets?limit=1')).status)
          close()
        }),
      )
      sent += statuses.length
      const allowed = statuses.filter(status => status === 200).length
      const others = new Set(statuses.filter(status => status !== 200 && status !== 429))
      if (allowed !== quota) faults.push(`${allowed} of a quota of ${quota} went through`)
      if (others.size > 0) faults.push(`some were answered with ${[...others]}`)
      if (round % 5 === 0) progress(`${round} of ${rounds} quotas`)
    }
    return { figures: { quotas: rounds, requests: sent, 'too many or too few': faults.length }, faults }
  },
}

/** Whether each server has all that it depends on. */
async function isWell({ servers }: Site): Promise<boolean> {
  const states = await Promise.all(servers.map(async ({ url }) => (await fetch(`${url}/health`)).text()))
  return states.every(text => JSON.parse(text).status === 'ok')
}

/** Readers and buyers at work, while something is done beneath them. */
async function underLoad(
  { site, key, readers, buyers }: Stage,
  act: (load: { failed(): number }) => Promise<void>,
) {
  const client = callSite(site, key)
  const orders = await prepareOrders(client)
  const calling = readOn(site, key, readers)
  orders.begin(buyers)
  await setTimeout(500)
  await act({
    failed: () => calling.met().failures.length + orders.broken() + sum(orders.refused.values()),
  })
  await orders.stop()
  const reading = await calling.end()
  const broken = orders.broken()
  const refused = new Map(orders.refused)
  const { faults, ...settled } = await orders.settle()
  client.close()
  return {
    reading,
    refused,
    failed: reading.failures.length + broken + sum(refused.values()),
    figures: {
      'requests answered': reading.answered + settled.acknowledged,
      'reads without an answer, or refused': reading.failures.length,
      'orders without an answer': broken,
      'orders refused': sum(refused.values()),
      'orders acknowledged': settled.acknowledged,
      lost: settled.lost,
      doubled: settled.doubled,
      'longest wait, ms': Math.round(reading.longest),
    },
    faults,
  }
}

const rollingRestarts: SiteScenario = {
  name: 'rolling restarts',
  description: 'each server in turn is stopped (SIGTERM) under load, and started again',
  rounds: 5,
  async play(stage) {
    const { site, rounds, progress } = stage
    const codes = new Set<number | null>()
    const { failed, reading, refused, figures, faults } = await underLoad(stage, async () => {
      for (let round = 1; round <= rounds; round++) {
        for (const server of site.servers) {
          codes.add(await server.stop('SIGTERM'))
          await server.start()
          if (site.url !== undefined) await setTimeout(noticed)
        }
        progress(`${round} of ${rounds} times each server`)
      }
    })
    if (failed > 0)
      faults.push(
        `${failed} requests failed; reads: ${some(reading.failures)}; orders: ${[...refused.keys()]}`,
      )
    if (codes.size > 1 || !codes.has(0)) faults.push(`servers ended with exit codes ${[...codes]}`)
    return { figures: { restarts: rounds * site.servers.length, ...figures }, faults }
  },
}

const kills: SiteScenario = {
  name: 'killed servers',
  description: 'a server is killed (SIGKILL) under load, and started again',
  rounds: 15,
  async play(stage) {
    const { site, readers, buyers, rounds, progress } = stage
    let most = 0
    const { reading, figures, faults } = await underLoad(stage, async load => {
      for (let round = 1; round <= rounds; round++) {
        const before = load.failed()
        const server = site.servers[round % site.servers.length]
        await setTimeout(300 + Math.random() * 300)
        await server?.stop('SIGKILL')
        await setTimeout(1_000)
        await server?.start()
        if (site.url !== undefined) await setTimeout(noticed)
        most = Math.max(most, load.failed() - before)
        progress(`${round} of ${rounds} kills`)
      }
    })
    // Each caller has one request under way.
    if (most > readers + buyers) faults.push(`${most} requests failed at one kill: ${some(reading.failures)}`)
    return { figures: { kills: rounds, ...figures, 'failed at one kill, at most': most }, faults }
  },
}

const redisOutages: SiteScenario = {
  name: 'Redis restarted',
  description: 'the Redis beneath all servers is killed under load, and started again',
  rounds: 10,
  needs: 'redis',
  async play(stage) {
    const { site, rounds, progress } = stage
    const { failed, reading, figures, faults } = await underLoad(stage, async () => {
      for (let round = 1; round <= rounds; round++) {
        await site.redis?.kill()
        await setTimeout(1_500)
        await site.redis?.restart()
        await setTimeout(2_000)
        progress(`${round} of ${rounds} restarts`)
      }
    })
    if (failed > 0) faults.push(`${failed} requests failed: ${some(reading.failures)}`)
    const begun = performance.now()
    while (performance.now() < begun + backWithin && !(await isWell(site))) await setTimeout(100)
    const after = await exactLimits.play({ ...stage, rounds: 1 })
    const afterwards = after.faults.length > 0 ? 'not exact' : 'exact'
    return {
      figures: { restarts: rounds, ...figures, 'limits afterwards': afterwards },
      faults: [...faults, ...after.faults],
    }
  },
}

const databaseOutages: SiteScenario = {
  name: 'PostgreSQL restarted',
  description: 'the PostgreSQL beneath all servers crashes (SIGQUIT) under load, and is started again',
  rounds: 10,
  async play(stage) {
    const { site, rounds, progress } = stage
    let slowest = 0
    const { refused, figures, faults } = await underLoad(stage, async load => {
      for (let round = 1; round <= rounds; round++) {
        await site.postgres.kill()
        await setTimeout(1_000)
        await site.postgres.restart()
        const began = performance.now()
        while (performance.now() < began + backWithin) {
          const before = load.failed()
          await setTimeout(500)
          if (load.failed() === before) break
        }
        slowest = Math.max(slowest, performance.now() - began - 500)
        progress(`${round} of ${rounds} restarts`)
      }
    })
    const other = [...refused.keys()].filter(status => status !== 503)
    if (other.length > 0) faults.push(`orders were answered with ${other}`)
    if (slowest >= backWithin - 500) faults.push(`requests still failed ${backWithin} ms after it was back`)
    return {
      figures: { restarts: rounds, ...figures, 'back after, ms, at most': Math.round(slowest) },
      faults,
    }
  },
}

export const scenarios = [exactLimits, rollingRestarts, kills, redisOutages, databaseOutages]
