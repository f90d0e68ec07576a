import { setTimeout } from 'node:timers/promises'
import { type Settings, withBench } from './bench.ts'
import { clean } from './database.ts'
import { measure } from './measure.ts'
import { animals, operations } from './operations.ts'
import { machine, progress, writeResults } from './output.ts'
import { lineChart } from './svg.ts'
import { markdownTable } from './table.ts'
import { memoryOf } from './usage.ts'

/** How long it is left alone in the end, in ms: what it then still holds is not of requests under way. */
const rest = 5_000

/**
 * What memory one server holds while it is under load round after round, each operation in turn: at rest before, the most
 * in each round, and at rest after.
 */
export function benchMemory(settings: Settings): Promise<number> {
  return withBench(settings, async ({ databases, load, startOurs }) => {
    const { rounds, seconds, connections } = settings
    const url = await databases.copy(await databases.template(animals))
    const served = await startOurs('this service', url)
    const before = memoryOf(served.pid)
    const most: number[] = []
    const step = progress(rounds)
    for (let round = 1; round <= rounds; round++) {
      let memory = 0
      for (const { request, status, writes } of operations) {
        if (writes) await databases.execute(url, clean)
        const sample = await measure(load, served, undefined, {
          request: { ...request, headers: { 'X-API-Key': served.key } },
          expect: [status],
          connections,
          seconds,
        })
        memory = Math.max(memory, sample.memory)
      }
      most.push(memory)
      step(`round ${round}: ${memory.toFixed(0)} MiB`)
    }
    await setTimeout(rest)
    const where = `${machine(databases.version)}; ${rounds} rounds, ${operations.length} operations of ${seconds} s each.`
    const names = most.map((_, index) => String(index + 1))
    const rows = [
      ['at rest, before', before],
      ...most.map((memory, index) => [`round ${index + 1}`, memory] as const),
      ['at rest, after', memoryOf(served.pid)],
    ] as const
    const table = markdownTable(
      ['', 'most memory, MiB'],
      rows.map(([name, memory]) => [name, memory.toFixed(0)]),
    )
    console.log(`\n${where}\n\n${table}`)
    await writeResults({
      'memory.md': `${where}\n\n${table}\n`,
      'memory.svg': lineChart({
        title: 'Memory under load',
        note: `MiB, the most in each round of ${operations.length * seconds} s`,
        steps: names,
        lines: [{ name: 'this service', values: most, highlighted: true }],
      }),
    })
    return 0
  })
}
