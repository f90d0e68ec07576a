import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { temporaryDirectory } from '../../test/support/temporary.ts'
import { type Settings, withBench } from './bench.ts'
import { machine, progress, writeResults } from './output.ts'
import { ours } from './servers.ts'
import { median } from './statistics.ts'
import { markdownTable } from './table.ts'
import { cpuOf, memoryOf } from './usage.ts'

interface Start {
  /** until it takes connections */
  seconds: number
  cpu: number
  /** a second later, in MiB */
  memory: number
}

/** How long it takes to start, and what it then holds: on a new embedded database, on a known one, on PostgreSQL. */
export function benchStart(settings: Settings): Promise<number> {
  return withBench(settings, async ({ databases, closing, start }) => {
    const directory = temporaryDirectory()
    closing.add(() => rm(directory, { recursive: true, force: true }))
    const url = await databases.copy(await databases.template(1_000))
    let number = 0
    const kinds: Record<string, () => Promise<Record<string, string>>> = {
      'embedded, new': async () => ({ DATA_DIR: join(directory, `new-${number}`) }),
      'embedded, known': async () => ({ DATA_DIR: join(directory, 'new-0') }),
      PostgreSQL: async () => ({ DATABASE_URL: url }),
    }
    await mkdir(directory, { recursive: true })
    const starts: Record<string, Start[]> = {}
    const step = progress(settings.rounds + 1)
    // The first round compiles what the next ones load, and makes the database that new ones copy, as an install does.
    for (; number <= settings.rounds; number++) {
      const figures: string[] = []
      for (const [kind, place] of Object.entries(kinds)) {
        const served = await start(ours(kind, await place()))
        const cpu = cpuOf(served.pid)
        await setTimeout(1_000)
        const seen: Start = { seconds: served.startedIn, cpu, memory: memoryOf(served.pid) }
        await served.stop()
        if (number > 0) starts[kind] = [...(starts[kind] ?? []), seen]
        figures.push(`${kind} ${seen.seconds.toFixed(2)} s`)
      }
      step(`${number === 0 ? 'warm-up' : `round ${number}`}: ${figures.join(', ')}`)
    }
    const where = `${machine(databases.version)}; medians of ${settings.rounds} starts, in turns.`
    const table = markdownTable(
      ['start', 'seconds until it listens', 'CPU seconds', 'memory at rest, MiB'],
      Object.entries(starts).map(([kind, seen]) => [
        kind,
        median(seen.map(({ seconds }) => seconds)),
        median(seen.map(({ cpu }) => cpu)),
        median(seen.map(({ memory }) => memory)).toFixed(0),
      ]),
    )
    console.log(`\n${where}\n\n${table}`)
    await writeResults({
      'start.json': `${JSON.stringify({ where, starts }, null, 2)}\n`,
      'start.md': `${where}\n\n${table}\n`,
    })
    return 0
  })
}
