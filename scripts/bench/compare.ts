import { rm } from 'node:fs/promises'
import { setTimeout } from 'node:timers/promises'
import { temporaryDirectory } from '../../test/support/temporary.ts'
import { type Answer, askAll, differences } from './answers.ts'
import { withClosing } from './closing.ts'
import { clean, type Databases, issueKey, startDatabases } from './database.ts'
import { type LoadGenerator, startLoadGenerator } from './load.ts'
import { animals, type Operation } from './operations.ts'
import { machine, writeResults } from './output.ts'
import { installPeers } from './peers.ts'
import { writeReadme } from './readme.ts'
import { type Comparison, type Contender, report } from './report.ts'
import { ours, type Program, type Served, startServer } from './servers.ts'
import { inTurns } from './turns.ts'
import { memoryOf } from './usage.ts'

export interface CompareOptions {
  rounds: number
  seconds: number
  connections: number
  operations: readonly Operation[]
  peers: readonly string[]
  /** `transaction`: two statements in a transaction, as they are usually written; `statement`: one that does the same */
  orders: string
  /** whether the picture and the table in the README are written anew */
  readme: boolean
}

/** A server under test, on a database of its own. */
interface Running extends Contender {
  served: Served
  databaseUrl: string
  key: string
}

/** How long a server rests before its memory is read, in ms. */
const rest = 1_000

/** Measures this service against others, in turns. */
export function compare(options: CompareOptions): Promise<number> {
  return withClosing(async closing => {
    const tell = (message: string) => console.log(message)
    const peers = await installPeers(options.peers, tell)
    tell(`filling a database with ${animals.toLocaleString('en')} animals …`)
    const databases = await startDatabases(closing)
    const directory = temporaryDirectory()
    closing.add(() => rm(directory, { recursive: true, force: true }))
    const template = await databases.template(animals)
    const start = async (program: (url: string) => Program): Promise<Running> => {
      const databaseUrl = await databases.copy(template)
      const key = await issueKey(databaseUrl)
      const served = await startServer(program(databaseUrl), directory, closing)
      await setTimeout(rest)
      return { name: served.name, served, databaseUrl, key, atRest: memoryOf(served.pid), samples: {} }
    }
    const own = (name: string, env: Record<string, string>) => (url: string) =>
      ours(name, { DATABASE_URL: url, ...env })

    const petstore = await start(own('petstore', { LOG_LEVEL: 'warn' }))
    const expected = await askAll(petstore.served.url, petstore.key, petstore.databaseUrl)
    const running: Running[] = []
    for (const name of options.peers) {
      const peer = peers.get(name)
      if (!peer) continue
      const contender = await start(url => peer(url, options.orders))
      if (await answersAsOurs(contender, expected, tell)) running.push(contender)
      else await contender.served.stop()
    }
    running.push(petstore, await start(own('petstore-info', { LOG_LEVEL: 'info' })))
    tell(
      `${expected.length} answers of each are equal. Measuring ${running.map(({ name }) => name).join(', ')} …`,
    )

    const load = startLoadGenerator()
    closing.add(load.stop)
    await measureAll(running, options, databases, load)
    const { rounds, seconds, connections, orders } = options
    const comparison: Comparison = {
      machine: machine(databases.version),
      date: new Date().toISOString().slice(0, 10),
      settings: { rounds, seconds, connections, orders, animals, answers: expected.length },
      operations: options.operations.map(({ name, title }) => ({ name, title })),
      contenders: running.map(({ name, atRest, samples }) => ({ name, atRest, samples })),
    }
    const { markdown, svg } = report(comparison)
    tell(`\n${markdown}`)
    await writeResults({
      'results.json': `${JSON.stringify(comparison, null, 2)}\n`,
      'results.md': `${markdown}\n`,
      'throughput.svg': svg,
    })
    if (options.readme) await writeReadme(comparison)
    return 0
  })
}

async function answersAsOurs(
  { name, served, key, databaseUrl }: Running,
  expected: readonly Answer[],
  tell: (message: string) => void,
): Promise<boolean> {
  const differing = differences(expected, await askAll(served.url, key, databaseUrl))
  if (differing.length > 0) tell(`${name} is left out, as it answers otherwise:\n  ${differing.join('\n  ')}`)
  return differing.length === 0
}

async function measureAll(
  running: readonly Running[],
  { rounds, operations, seconds, connections }: CompareOptions,
  databases: Databases,
  load: LoadGenerator,
): Promise<void> {
  const groups = operations.map(({ name, title, request, status, writes }) => ({
    title,
    variants: running.map(({ served, databaseUrl, key, samples, ...contender }) => {
      samples[name] = []
      return {
        name: contender.name,
        served,
        samples: samples[name],
        task: {
          request: { ...request, headers: { 'X-API-Key': key } },
          expect: [status],
          connections,
          seconds,
        },
        before: writes ? () => databases.execute(databaseUrl, clean) : undefined,
      }
    }),
  }))
  await inTurns(load, databases.pid, groups, rounds)
}
