import { readFile, writeFile } from 'node:fs/promises'
import { type Comparison, report, titleOf } from './report.ts'
import { medianRatio } from './statistics.ts'
import { markdownTable } from './table.ts'

const readme = new URL('./README.md', import.meta.url)
const picture = new URL('./throughput.svg', import.meta.url)
const marked = /(<!-- figures -->\n)[\s\S]*?(<!-- \/figures -->)/

/** The short table: what a reader asks first. */
export function figures({ contenders, operations, machine, date, settings }: Comparison): string {
  const [base] = contenders
  const rows = contenders.map(({ name, samples }) => [
    titleOf(name),
    ...operations.map(operation =>
      medianRatio(
        (samples[operation.name] ?? []).map(({ throughput }) => throughput),
        (base?.samples[operation.name] ?? []).map(({ throughput }) => throughput),
      ),
    ),
    ...operations.slice(0, 1).map(operation =>
      medianRatio(
        (samples[operation.name] ?? []).map(({ serverCpu }) => serverCpu),
        (base?.samples[operation.name] ?? []).map(({ serverCpu }) => serverCpu),
      ),
    ),
  ])
  const head = ['', ...operations.map(({ title }) => title), `CPU, ${operations[0]?.title ?? ''}`]
  const { rounds, seconds, connections, answers } = settings
  return `${markdownTable(head, rows)}

Measured on ${date} on one machine that load, server and database share: ${machine}. ${rounds} rounds of ${seconds} s in turns,
${connections} connections, medians of each round’s ratio; ${answers} answers of each server were equal to this service’s before it counted.
`
}

/** Writes the picture and the table of the README beside this file. */
export async function writeReadme(comparison: Comparison): Promise<void> {
  await writeFile(picture, report(comparison).svg)
  const text = await readFile(readme, 'utf8')
  await writeFile(
    readme,
    text.replace(marked, (_, begin, end) => `${begin}\n${figures(comparison)}\n${end}`),
  )
}
