import { readFile, writeFile } from 'node:fs/promises'
import { table, withBlock } from 'spec-served-cli/internal/texts/escapes'
import type { Sample } from './measure.ts'
import { titles } from './peers.ts'

export interface Contender {
  name: string
  /** memory before any load, in MiB */
  atRest: number
  /** by operation, a sample for each round */
  samples: Record<string, Sample[]>
}

/** All that a comparison has measured. */
export interface Comparison {
  machine: string
  date: string
  settings: { rounds: number; seconds: number; connections: number; answers: number }
  operations: readonly { name: string; title: string }[]
  contenders: readonly Contender[]
}

/** The middle of some numbers, or the mean of the two in the middle; NaN of none. */
export function median(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b)
  const [low, high] = [sorted[(sorted.length - 1) >> 1], sorted[sorted.length >> 1]]
  return low === undefined || high === undefined ? Number.NaN : (low + high) / 2
}

/** The median of each round's ratio, so that what slows a whole round down does not count. */
export const medianRatio = (numbers: readonly number[], base: readonly number[]): number =>
  median(numbers.map((number, round) => number / (base[round] ?? Number.NaN)))

/** The name of a server as tables show it. */
export const titleOf = (name: string) => (name === 'petstore' ? 'this service' : (titles[name] ?? name))

const of = (contender: Contender | undefined, operation: string, measure: keyof Sample) =>
  (contender?.samples[operation] ?? []).map(sample => sample[measure])

/** The short table: what a reader asks first. Ratios to the first server. */
export function figures({ contenders, operations, machine, date, settings }: Comparison): string {
  const [base] = contenders
  const ratio = (contender: Contender, operation: string, measure: keyof Sample) =>
    medianRatio(of(contender, operation, measure), of(base, operation, measure))
  const [first] = operations
  const rows = contenders.map(contender => [
    titleOf(contender.name),
    ...operations.map(({ name }) => ratio(contender, name, 'throughput')),
    ...(['serverCpu', 'p99'] as const).map(measure => ratio(contender, first?.name ?? '', measure)),
    Math.max(...operations.flatMap(({ name }) => of(contender, name, 'memory'))).toFixed(0),
  ])
  const captions = operations.map(({ title }) => title)
  const head = ['', ...captions, `CPU, ${captions[0]}`, `p99, ${captions[0]}`, 'most memory, MiB']
  const { rounds, seconds, connections, answers } = settings
  return `${table(head, rows, column => column > 0)}

Measured on ${date} on one machine that load, server and database share: ${machine}. ${rounds} rounds of ${seconds} s in turns,
${connections} connections, medians of each round’s ratio; ${answers} answers of each server were equal to this service’s before it counted.
`
}

/** All measures of each operation, as they are. */
export function details({ contenders, operations }: Comparison): string {
  const measures = {
    throughput: 'requests a second',
    p50: 'p50, ms',
    p99: 'p99, ms',
    serverCpu: 'CPU s for 10,000: server',
    databaseCpu: 'database',
    memory: 'memory, MiB',
  } as const satisfies Record<keyof Sample, string>
  const keys = Object.keys(measures) as (keyof Sample)[] // these, and no others
  return operations
    .map(({ name, title }) => {
      const measured = contenders.filter(({ samples }) => samples[name] !== undefined)
      const rows = measured.map(contender => [
        titleOf(contender.name),
        ...keys.map(measure => median(of(contender, name, measure))),
      ])
      return table([title, ...Object.values(measures)], rows, column => column > 0)
    })
    .join('\n\n')
}

const readme = new URL('./README.md', import.meta.url)

/** Writes the table of the README beside this file. */
export async function writeReadme(comparison: Comparison): Promise<void> {
  const text = await readFile(readme, 'utf8')
  await writeFile(readme, withBlock(text, 'figures', `\n${figures(comparison)}`))
}
