import { execFileSync } from 'node:child_process'
import { rmSync, statfsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { temporaryDirectory } from 'spec-served/internal/testing/temporary'
import { prepareOrders } from './orders.ts'
import type { Scenario } from './scenario.ts'
import { startService } from './service.ts'

/** The space that is left on the full disk, in bytes. */
const left = 256 * 1_024

export const diskFull: Scenario = {
  name: 'disk full',
  description: 'the disk of the database fills up while callers place orders, then has room again',
  databases: ['pglite', 'postgres'],
  async run({ short, database, progress }) {
    const rounds = short ? 1 : 4
    let ended = 0
    const disk = temporaryDirectory()
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=400m,mode=0755', 'tmpfs', disk], { stdio: 'pipe' })
    } catch (error) {
      rmSync(disk, { recursive: true })
      throw new Error('A disk of its own can be made by root on Linux only', { cause: error })
    }
    try {
      await using service = await startService(database, { directory: join(disk, 'database') })
      const orders = await prepareOrders(service)
      for (let round = 1; round <= rounds; round++) {
        orders.begin(4)
        await setTimeout(300)
        const filler = join(disk, 'filler')
        fill(disk, filler)
        await setTimeout(short ? 2_000 : 5_000)
        rmSync(filler)
        // It ends by itself where it can't even recover, and whoever runs it starts it again.
        if (service.postgres?.isRunning() === false) {
          ended++
          await service.postgres.restart()
        }
        await setTimeout(1_500)
        await orders.stop()
        progress(`${round} of ${rounds} times full; refused: ${[...orders.refused].join('; ') || 'nobody'}`)
      }
      // Only data on the disk counts, not what a process remembers.
      await service.kill()
      await service.start()
      const { faults, ...figures } = await orders.settle()
      const refused = [...orders.refused.values()].reduce((sum, count) => sum + count, 0)
      return {
        figures: { 'times full': rounds, 'of these the end of PostgreSQL': ended, ...figures, refused },
        faults,
      }
    } finally {
      execFileSync('umount', ['-l', disk])
      rmSync(disk, { recursive: true, force: true })
    }
  },
}

function fill(disk: string, file: string): void {
  const { bavail, bsize } = statfsSync(disk)
  writeFileSync(file, Buffer.alloc(Math.max(0, bavail * bsize - left)))
}
