import { keepFigures } from 'spec-served-cli/internal/readme/figures-table'

/** The parameters of a scenario's run. */
export interface Setting {
  /** less of everything, for a run of seconds */
  short: boolean
  database: 'pglite' | 'postgres'
  /** Tells how far it is. */
  progress(text: string): void
}

/** The results of a scenario. */
export interface Outcome {
  /** by their names, for the table */
  figures: Readonly<Record<string, number | string>>
  /** the failures; empty when all held */
  faults: readonly string[]
}

export interface Scenario {
  name: string
  /** the course of the scenario, in a sentence */
  description: string
  databases: readonly Setting['database'][]
  /** a program that npm does not bring; such a scenario is left out of a short run */
  needs?: { command: string; from: string }
  run(setting: Setting): Promise<Outcome>
}

/** The value below which the share given (0 to 1) of the numbers lies. */
export function quantile(numbers: readonly number[], share: number): number {
  const sorted = numbers.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
}

/** Figures and faults of a scenario, as a table of text. */
function print(title: string, { figures, faults }: Outcome): void {
  console.log(`\n${title}: ${faults.length === 0 ? 'passed' : 'FAILED'}`)
  for (const [figure, value] of Object.entries(figures)) console.log(`  ${figure.padEnd(45)} ${value}`)
  for (const fault of faults) console.log(`  ! ${fault}`)
}

/**
 * Runs scenarios one after the other, and prints what became of each.
 * @param isRecorded whether the figures of those that held are kept for the READMEs
 * @returns whether all held
 */
export async function carryOut(
  runs: readonly {
    title: string
    description: string
    run(progress: Setting['progress']): Promise<Outcome>
  }[],
  isRecorded = false,
): Promise<boolean> {
  const day = new Date().toISOString().slice(0, 10)
  let failed = 0
  for (const { title, description, run } of runs) {
    console.log(`\n${title}: ${description}`)
    const begun = performance.now()
    const progress = (text: string) =>
      console.log(`  ${((performance.now() - begun) / 1_000).toFixed(0).padStart(4)} s  ${text}`)
    const outcome = await run(progress).catch(
      (error: unknown): Outcome => ({
        figures: {},
        faults: [error instanceof Error ? (error.stack ?? error.message) : String(error)],
      }),
    )
    print(title, outcome)
    if (outcome.faults.length > 0) failed++
    else if (isRecorded) await keepFigures({ [title]: { day, description, figures: outcome.figures } })
  }
  console.log(failed === 0 ? '\nAll passed.' : `\n${failed} failed.`)
  return failed === 0
}
