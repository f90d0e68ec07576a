import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { temporaryDirectory } from 'spec-served/internal/testing/temporary'
import { cutPower, recording } from '../support/power-cut.ts'
import { prepareOrders } from './orders.ts'
import type { Scenario } from './scenario.ts'
import { startService } from './service.ts'

/** How many orders are acknowledged in all rounds, at least. */
const orders = { short: 200, long: 2_000 }

export const powerCuts: Scenario = {
  name: 'power cuts',
  description:
    'the power fails while callers place orders: what the service has not flushed to the disk is gone',
  databases: ['pglite'],
  async run({ short, database, progress }) {
    const rounds = short ? 2 : 7
    const directory = join(temporaryDirectory(), 'data')
    await using service = await startService(database, { directory, env: recording(directory) })
    const placed = await prepareOrders(service)
    const wanted = short ? orders.short : orders.long
    for (let round = 1; round <= rounds; round++) {
      placed.begin(8)
      while (placed.placed() < (wanted * round) / rounds) await setTimeout(20)
      await service.kill()
      await placed.stop()
      cutPower(directory)
      await service.start()
      progress(`${round} of ${rounds} power cuts, ${placed.placed()} orders acknowledged`)
    }
    const { faults, ...figures } = await placed.settle()
    return { figures: { 'power cuts': rounds, ...figures }, faults }
  },
}
