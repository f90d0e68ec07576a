import { mkdir, rm, writeFile } from 'node:fs/promises'
import { cpus, release, totalmem, type } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { temporaryDirectory } from 'spec-served/internal/testing/temporary'
import { type RedisServer, startRedis } from 'spec-served-cli/internal/local/redis'
import { askAll, differences } from './answers.ts'
import { clean, type Databases, issueKey, startDatabases } from './database.ts'
import { type Comparison, type Contender, details, figures, writeReadme } from './figures.ts'
import { measure, memoryOf } from './measure.ts'
import type { Operation } from './operations.ts'
import { installPeers } from './peers.ts'
import { ours, type Program, type Served, startServer } from './servers.ts'

export interface CompareOptions {
  rounds: number
  /** of each measurement */
  seconds: number
  connections: number
  operations: readonly Operation[]
  peers: readonly string[]
  /** whether this service with Redis is measured against itself without, in place of the peers */
  redis: boolean
  /** whether this service with two workers is measured, too */
  workers: boolean
  /** the directory of another checkout of this service, which is measured in place of the peers */
  before: string | undefined
  /** whether the table in the README is written again */
  readme: boolean
}

/** A server under test, on a database of its own. */
interface Running extends Contender {
  served: Served & { key: string }
  databaseUrl: string
}

/** How long a server rests before its memory is read, in ms. */
const rest = 1_000

/** The directory of the results, outside of git. */
const output = 'test/.output/bench'

/** Measures this service against others, in turns. */
export async function compare(options: CompareOptions): Promise<void> {
  await using closing = new AsyncDisposableStack()
  const others = () =>
    options.before === undefined ? installPeers(options.peers, console.log) : [at(options.before)]
  const peers = options.redis ? [closing.use(await startRedis())].map(withRedis) : await others()
  const contenders = [...peers, ...(options.workers ? [withWorkers] : [])]
  const directory = temporaryDirectory()
  closing.defer(() => rm(directory, { recursive: true, force: true }))
  console.log('filling a database …')
  const databases = await startDatabases()
  closing.defer(databases.stop)
  const start = async (program: Program): Promise<Running> => {
    const databaseUrl = await databases.copy()
    const key = await issueKey(databaseUrl)
    const env = { ...program.env, DATABASE_URL: databaseUrl }
    const served = { ...(await startServer({ ...program, env }, directory)), key }
    closing.defer(served.stop)
    await setTimeout(rest)
    return { name: served.name, served, databaseUrl, atRest: memoryOf(served.pid), samples: {} }
  }
  const petstore = await start(ours)
  const ask = ({ served, databaseUrl }: Running) => askAll(served.url, served.key, databaseUrl)
  const expected = await ask(petstore)
  const running: Running[] = []
  for (const peer of contenders) {
    const contender = await start(peer)
    const differing = differences(expected, await ask(contender))
    if (differing.length === 0) running.push(contender)
    else console.log(`${contender.name} is left out, as it answers otherwise:\n  ${differing.join('\n  ')}`)
  }
  if (options.redis) running.unshift(petstore)
  else running.push(petstore)
  console.log(
    `${expected.length} answers of each are equal. Measuring ${running.map(({ name }) => name).join(', ')} …`,
  )
  await measureInTurns(running, options, databases)
  await tell(running, options, databases.version, expected.length)
}

/** This service as another checkout has it, with its own packages. */
const at = (directory: string): Program => ({
  ...ours,
  name: 'before',
  args: [...ours.args.slice(0, -1), resolve(directory, 'src/main.js')],
})

/** This service, counting limits in a Redis. */
const withRedis = ({ url }: RedisServer): Program => ({
  ...ours,
  name: 'with Redis',
  env: { ...ours.env, REDIS_URL: url },
})

/** This service as two processes, which count limits together in memory. */
const withWorkers: Program = { ...ours, name: 'two workers', env: { ...ours.env, WORKERS: '2' } }

/**
 * Measures all servers in turns, round after round: what slows the machine down for a while slows all of them down. A first
 * round does not count: it compiles the code that is used, and fills caches. Their order changes from round to round, as
 * what a machine has just done tells on what it does next.
 */
async function measureInTurns(
  running: readonly Running[],
  { rounds, operations, ...options }: CompareOptions,
  databases: Databases,
): Promise<void> {
  for (let round = 0; round <= rounds; round++)
    for (const operation of operations) {
      const first = round % running.length
      for (const { served, databaseUrl, samples } of [...running.slice(first), ...running.slice(0, first)]) {
        if (operation.isInNodeAlone && served.name === 'go') continue
        if (operation.method !== 'GET') await databases.execute(databaseUrl, clean)
        const sample = await measure(served, databases.pid, operation, options)
        if (round > 0) samples[operation.name] = [...(samples[operation.name] ?? []), sample]
        console.log(
          `round ${round} of ${rounds}, ${operation.title}: ${served.name} ${sample.throughput.toFixed(0)}/s`,
        )
      }
    }
}

async function tell(
  running: readonly Running[],
  { rounds, seconds, connections, operations, readme }: CompareOptions,
  postgres: string,
  answers: number,
): Promise<void> {
  const comparison: Comparison = {
    machine: machine(postgres),
    date: new Date().toISOString().slice(0, 10),
    settings: { rounds, seconds, connections, answers },
    operations: operations.map(({ name, title }) => ({ name, title })),
    contenders: running.map(({ name, atRest, samples }) => ({ name, atRest, samples })),
  }
  const text = `${figures(comparison)}\n${details(comparison)}\n`
  await mkdir(output, { recursive: true })
  await writeFile(join(output, 'results.json'), JSON.stringify(comparison, null, 2))
  await writeFile(join(output, 'results.md'), text)
  console.log(`\n${text}\nresults.json, results.md: in ${output}`)
  if (readme) await writeReadme(comparison)
}

/** The machine on which something was measured. */
function machine(postgres: string): string {
  const [first] = cpus()
  const memory = Math.round(totalmem() / 2 ** 30)
  return `${cpus().length} cores (${first?.model.trim() || process.arch}), ${memory} GiB, ${type()} ${release().split('-')[0]}, Node ${process.versions.node}, PostgreSQL ${postgres.split(' ')[0]}`
}
