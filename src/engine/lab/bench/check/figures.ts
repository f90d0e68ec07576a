import { readFile, writeFile } from 'node:fs/promises'
import { cpus, type } from 'node:os'
import { table, withBlock } from 'spec-served-cli/internal/texts/escapes'

/** The outcome of a tool on a server. */
export interface Trial {
  tool: string
  server: string
  /** the planted faults that it told, and those that it did not */
  found: readonly string[]
  missed: readonly string[]
  /** the number of faults that it told where there are none */
  falseAlarms: number
  /** without faults, and with them */
  requests: readonly [number, number]
  seconds: readonly [number, number]
}

/** The table of all trials, and what each tool missed. */
export function figures(trials: readonly Trial[]): string {
  const rows = trials.map(({ server, tool, found, missed, falseAlarms, requests, seconds }) => [
    server,
    tool,
    `${found.length} of ${found.length + missed.length}`,
    `${falseAlarms}`,
    requests.map(count => count.toLocaleString('en')).join(' / '),
    seconds.map(time => time.toFixed(0)).join(' / '),
  ])
  const head = ['server', 'tool', 'faults found', 'false alarms', 'requests', 'seconds']
  const omissions = trials.flatMap(({ server, tool, missed }) =>
    missed.length > 0 ? `- ${tool}, ${server}: ${missed.join('; ')}` : [],
  )
  const [first] = cpus()
  const day = new Date().toISOString().slice(0, 10)
  return `${table(head, rows, column => column > 1)}

Missed:

${omissions.length > 0 ? omissions.join('\n') : '- nothing'}

Measured on ${day} on one machine: ${cpus().length} cores (${first?.model.trim() || process.arch}), ${type()}. Requests and seconds are those without faults and with them.
Other work slows both tools, and 120 seconds show less of a large document then.
`
}

const readme = new URL('./README.md', import.meta.url)

/** Writes the table of the README beside this file. */
export async function writeReadme(text: string): Promise<void> {
  await writeFile(readme, withBlock(await readFile(readme, 'utf8'), 'figures', `\n${text}`))
}
