/** What a scenario is run with. */
export interface Setting {
  /** less of everything, for a run of seconds */
  short: boolean
  database: 'pglite' | 'postgres'
  /** Tells how far it is. */
  progress(text: string): void
}

/** What came out of a scenario. */
export interface Outcome {
  /** by their names, for the table */
  figures: Readonly<Record<string, number | string>>
  /** what must not be; empty when all held */
  faults: readonly string[]
}

export interface Scenario {
  name: string
  /** what is done to the service, in a sentence */
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
