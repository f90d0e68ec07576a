import type { Measure, Sample } from './measure.ts'
import { titles } from './peers.ts'
import { median, medianRatio, spread } from './statistics.ts'
import { barChart } from './svg.ts'
import { type Cell, markdownTable } from './table.ts'

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
  settings: {
    rounds: number
    seconds: number
    connections: number
    orders: string
    animals: number
    answers: number
  }
  operations: readonly { name: string; title: string }[]
  contenders: readonly Contender[]
}

export const titleOf = (name: string) =>
  ({ petstore: 'this service, log at warn', 'petstore-info': 'this service, log at info' })[name] ??
  titles[name] ??
  name

/** What a contender is by one measure, against the first one: in a table, ratios to that. */
function ratios({ contenders, operations }: Comparison, measure: Measure) {
  const of = (contender: Contender, operation: string) =>
    (contender.samples[operation] ?? []).map(sample => sample[measure])
  const [base] = contenders
  return contenders.map(contender =>
    operations.map(({ name }) => {
      const [own, first] = [of(contender, name), base ? of(base, name) : []]
      return { ratio: medianRatio(own, first), spread: spread(own, first), median: median(own) }
    }),
  )
}

/** The comparison as Markdown tables, and its throughput as a picture. */
export function report(comparison: Comparison): { markdown: string; svg: string } {
  const { contenders, operations, settings, machine } = comparison
  const heads = operations.map(({ title }) => title)
  const rowsOf = (cell: (contender: Contender, index: number) => Cell[]) =>
    contenders.map((contender, index) => [titleOf(contender.name), ...cell(contender, index)])
  const table = (title: string, columns: readonly string[], cell: Parameters<typeof rowsOf>[0]) =>
    `${title}\n\n${markdownTable(['', ...columns], rowsOf(cell))}`

  const throughput = ratios(comparison, 'throughput')
  const [p50, p99] = [ratios(comparison, 'p50'), ratios(comparison, 'p99')]
  const [server, database] = [ratios(comparison, 'serverCpu'), ratios(comparison, 'databaseCpu')]
  const each = (figures: ReturnType<typeof ratios>, index: number) => figures[index] ?? []
  const [first] = contenders
  const base = first ? titleOf(first.name) : ''
  const sections = [
    table(
      `Requests a second (${base} = 1; in brackets the least and the greatest round)`,
      heads,
      (_, index) =>
        each(throughput, index).map(
          ({ ratio, spread: [least, most] }) =>
            `${ratio.toFixed(2)} (${least.toFixed(2)}–${most.toFixed(2)})`,
        ),
    ),
    table('CPU seconds for 10,000 requests: server + database', heads, (_, index) =>
      each(server, index).map(
        (own, at) => `${own.median.toFixed(2)} + ${(database[index]?.[at]?.median ?? Number.NaN).toFixed(2)}`,
      ),
    ),
    table(`CPU of the server for a request (${base} = 1)`, heads, (_, index) =>
      each(server, index).map(({ ratio }) => ratio),
    ),
    table(`Time of a request, p50 / p99 (${base} = 1)`, heads, (_, index) =>
      each(p50, index).map(
        (own, at) => `${own.ratio.toFixed(2)} / ${(p99[index]?.[at]?.ratio ?? Number.NaN).toFixed(2)}`,
      ),
    ),
    table('Memory in MiB: at rest, and the most under load', ['at rest', ...heads], ({ atRest, samples }) => [
      atRest.toFixed(0),
      ...operations.map(({ name }) =>
        Math.max(...(samples[name] ?? []).map(({ memory }) => memory)).toFixed(0),
      ),
    ]),
  ]
  const { rounds, seconds, connections, animals } = settings
  const note = `${rounds} rounds of ${seconds} s in turns, ${connections} connections, ${animals.toLocaleString('en')} animals; medians`
  const svg = barChart({
    title: `Requests a second, ${base} = 1`,
    note,
    groups: operations.map(({ title }, at) => ({
      name: title,
      bars: contenders.map(({ name }, index) => ({
        name: titleOf(name),
        value: throughput[index]?.[at]?.ratio ?? 0,
        highlighted: name.startsWith('petstore'),
      })),
    })),
  })
  return { markdown: [`${machine}; ${note}.`, ...sections].join('\n\n'), svg }
}
