import { setTimeout } from 'node:timers/promises'
import { prepareOrders } from './orders.ts'
import type { Scenario } from './scenario.ts'
import { startService } from './service.ts'

/** Callers who keep their connections. */
const callers = 24

export const stops: Scenario = {
  name: 'stops',
  description: 'the service is stopped (SIGTERM) under load, and started again',
  databases: ['pglite', 'postgres'],
  async run({ short, database, progress }) {
    const rounds = short ? 1 : 20
    await using service = await startService(database)
    const orders = await prepareOrders(service)
    const faults: string[] = []
    let broken = 0
    let longest = 0
    for (let round = 1; round <= rounds; round++) {
      orders.begin(4)
      let stopping = false
      const reading = Promise.all(
        Array.from({ length: callers }, async () => {
          while (!stopping)
            await service.send('GET', '/store/inventory/1').catch(error => {
              // Nobody listens any more: that is how a stopped service is known, and no answer is lost.
              if ((error as NodeJS.ErrnoException).code !== 'ECONNREFUSED') broken++
              stopping = true
            })
        }),
      )
      await setTimeout(400)
      const begun = performance.now()
      const code = await service.process().stop('SIGTERM')
      longest = Math.max(longest, performance.now() - begun)
      stopping = true
      await reading
      if (code !== 0) faults.push(`it ended with exit code ${code}`)
      await service.start()
      await orders.stop()
      progress(`${round} of ${rounds} stops`)
    }
    const { faults: wrong, ...figures } = await orders.settle()
    if (broken > 0) faults.push(`${broken} connections broke`)
    return {
      figures: {
        stops: rounds,
        ...figures,
        'broken connections': broken,
        'longest stop, ms': Math.round(longest),
      },
      faults: [...faults, ...wrong],
    }
  },
}
