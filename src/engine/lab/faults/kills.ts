import { setTimeout } from 'node:timers/promises'
import { prepareOrders } from './orders.ts'
import type { Scenario } from './scenario.ts'
import { startService } from './service.ts'

/** Longest time between a start and the kill that follows, in ms. */
const longestLife = 800

export const kills: Scenario = {
  name: 'kills',
  description: 'the service is killed (SIGKILL) while callers place orders, and started again',
  databases: ['pglite', 'postgres'],
  async run({ short, database, progress }) {
    const rounds = short ? 3 : 25
    await using service = await startService(database)
    const orders = await prepareOrders(service)
    for (let round = 1; round <= rounds; round++) {
      orders.begin(8)
      await setTimeout(50 + Math.random() * longestLife)
      await service.kill()
      await service.start()
      await orders.stop()
      progress(`${round} of ${rounds} kills`)
    }
    const { faults, ...figures } = await orders.settle()
    return { figures: { kills: rounds, ...figures, 'peak memory, MiB': service.peakMemory() }, faults }
  },
}
