import { rm } from 'node:fs/promises'
import { setTimeout } from 'node:timers/promises'
import { temporaryDirectory } from '../../test/support/temporary.ts'
import { type Closing, withClosing } from './closing.ts'
import { clean, type Databases, issueKey, startDatabases } from './database.ts'
import { type LoadGenerator, startLoadGenerator } from './load.ts'
import type { Measure } from './measure.ts'
import { operations } from './operations.ts'
import { machine, writeResults } from './output.ts'
import { ours, type Program, type Served, startServer } from './servers.ts'
import { median, medianRatio } from './statistics.ts'
import { type Cell, markdownTable } from './table.ts'
import { type Group, inTurns } from './turns.ts'

/** This service in a process of its own, with a key to it. */
export type OurServer = Served & { key: string; databaseUrl: string }

export interface Settings {
  rounds: number
  /** of each measurement */
  seconds: number
  connections: number
}

/** A place to measure in: a PostgreSQL, a load generator, and servers, all of which end with it. */
export interface Bench {
  settings: Settings
  databases: Databases
  load: LoadGenerator
  closing: Closing
  start(program: Program): Promise<Served>
  /** Starts this service on a database, with a key of its own. */
  startOurs(name: string, databaseUrl: string, env?: Record<string, string>): Promise<OurServer>
}

/** How long a server rests before anything of it is read, in ms. */
const rest = 500

/** Opens a bench for a while; `mayFlush`: on a PostgreSQL that can be told to wait for the disk. */
export function withBench<T>(
  settings: Settings,
  run: (bench: Bench) => Promise<T>,
  mayFlush = false,
): Promise<T> {
  return withClosing(async closing => {
    const databases = await startDatabases(closing, mayFlush)
    const load = startLoadGenerator()
    closing.add(load.stop)
    const directory = temporaryDirectory()
    closing.add(() => rm(directory, { recursive: true, force: true }))
    const start = (program: Program) => startServer(program, directory, closing)
    return run({
      settings,
      databases,
      load,
      closing,
      start,
      async startOurs(name, databaseUrl, env = {}) {
        const key = await issueKey(databaseUrl)
        const served = await start(ours(name, { DATABASE_URL: databaseUrl, ...env }))
        await setTimeout(rest)
        return { ...served, key, databaseUrl }
      },
    })
  })
}

/** A group for each operation, in which some servers are held against each other. */
export function everyOperation(
  servers: readonly OurServer[],
  { settings: { connections, seconds }, databases }: Bench,
): Group[] {
  return operations.map(({ title, request, status, writes }) => ({
    title,
    variants: servers.map(served => ({
      name: served.name,
      served,
      samples: [],
      task: {
        request: { ...request, headers: { 'X-API-Key': served.key } },
        expect: [status],
        connections,
        seconds,
      },
      before: writes ? () => databases.execute(served.databaseUrl, clean) : undefined,
    })),
  }))
}

/**
 * Measures groups in turns and writes a table of them: of each variant against the first of its group.
 * @param name of the files
 * @param pictures made of what was measured, by file name
 */
export async function measureGroups(
  { databases, load, settings }: Bench,
  name: string,
  groups: readonly Group[],
  pictures: () => Record<string, string> = () => ({}),
): Promise<void> {
  await inTurns(load, databases.pid, groups, settings.rounds)
  const { rounds, seconds } = settings
  const where = `${machine(databases.version)}; ${rounds} rounds of ${seconds} s in turns, medians.`
  const text = `${where}\n\n${groups.map(table).join('\n\n')}`
  console.log(`\n${text}`)
  const results = groups.map(({ title, variants }) => ({
    title,
    variants: variants.map(variant => ({ name: variant.name, samples: variant.samples })),
  }))
  await writeResults({
    [`${name}.json`]: `${JSON.stringify({ where, results }, null, 2)}\n`,
    [`${name}.md`]: `${text}\n`,
    ...pictures(),
  })
}

const head = [
  'requests a second',
  'p99',
  'CPU of the server',
  'CPU s for 10,000: server',
  'database',
  'memory, MiB',
]

function table({ title, variants }: Group): string {
  const [first] = variants
  const rows = variants.map(({ name, samples }): Cell[] => {
    const of = (measure: Measure) => samples.map(sample => sample[measure])
    const base = (measure: Measure) => (first?.samples ?? []).map(sample => sample[measure])
    const against = (measure: Measure) => medianRatio(of(measure), base(measure))
    return [
      name,
      against('throughput'),
      against('p99'),
      against('serverCpu'),
      median(of('serverCpu')),
      median(of('databaseCpu')),
      Math.max(...of('memory')).toFixed(0),
    ]
  })
  return markdownTable([title, ...head], rows)
}
