import type { LoadGenerator } from './load.ts'
import { measure, type Sample, type Task } from './measure.ts'
import { progress } from './output.ts'
import type { Served } from './servers.ts'

/** One of several things that are measured in turns. */
export interface Variant {
  name: string
  served: Served
  task: Task
  /** what is done before each measurement */
  before?: (() => Promise<void>) | undefined
  /** takes what was measured, a sample a round */
  samples: Sample[]
}

/** Variants that are held against the first of them. */
export interface Group {
  title: string
  variants: readonly Variant[]
}

/**
 * Measures all variants in turns, round after round: what slows the machine down for a while, slows all of them down. A
 * first round does not count: it compiles the code that is used, and fills caches. Their order changes from round to round, as
 * what a machine has just done tells on what it does next.
 */
export async function inTurns(
  load: LoadGenerator,
  databasePid: number,
  groups: readonly Group[],
  rounds: number,
): Promise<void> {
  const step = progress((rounds + 1) * groups.length)
  for (let round = 0; round <= rounds; round++)
    for (const { title, variants } of groups) {
      const measured = new Map<Variant, number>()
      for (const variant of shuffled(variants)) {
        await variant.before?.()
        const sample = await measure(load, variant.served, databasePid, variant.task)
        if (round > 0) variant.samples.push(sample)
        measured.set(variant, sample.throughput)
      }
      const [base = Number.NaN] = variants.map(variant => measured.get(variant))
      const figures = variants.map(
        variant => `${variant.name} ${((measured.get(variant) ?? Number.NaN) / base).toFixed(2)}`,
      )
      step(`${round === 0 ? 'warm-up' : `round ${round}`}, ${title}: ${figures.join(', ')}`)
    }
}

function shuffled<T>(items: readonly T[]): T[] {
  const rest = [...items]
  return items.flatMap(() => rest.splice(Math.floor(Math.random() * rest.length), 1))
}
