import { mkdir, rm, writeFile } from 'node:fs/promises'
import { cpus, release, totalmem, type } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { temporaryDirectory } from 'spec-served/internal/testing/temporary'
import { type RedisServer, startRedis } from 'spec-served-cli/internal/local/redis'
import { type Answer, askAll, differences } from './answers.ts'
import { clean, type Databases, issueKey, startDatabases } from './database.ts'
import { type Comparison, type Contender, details, figures, writeReadme } from './figures.ts'
import { measure, memoryOf, warmUp } from './measure.ts'
import type { Operation } from './operations.ts'
import { installPeers } from './peers.ts'
import { type Keyed, ours, type Program, startServer } from './servers.ts'

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

/** A server under test, with a database of its own. */
interface Tested extends Contender {
  databaseUrl: string
  /** Starts a process of it, which ends with the stack. */
  start(until: AsyncDisposableStack): Promise<Keyed>
}

/** How long a server rests before its memory is read, in ms. */
const rest = 1_000

/** The directory of the results, outside of git. */
const output = 'test/.output/bench'

/** Measures this service against others, in turns. */
export async function compare(options: CompareOptions): Promise<void> {
  await using closing = new AsyncDisposableStack()
  const others = () =>
    options.before === undefined ? installPeers(options.peers, console.log) : [programIn(options.before)]
  const peers = options.redis ? [closing.use(await startRedis())].map(withRedis) : await others()
  const contenders = [...peers, ...(options.workers ? [withWorkers] : [])]
  const directory = temporaryDirectory()
  closing.defer(() => rm(directory, { recursive: true, force: true }))
  console.log('filling a database …')
  const databases = await startDatabases()
  closing.defer(databases.stop)
  const prepare = async (program: Program): Promise<{ tested: Tested; answers: Answer[] }> => {
    const databaseUrl = await databases.copy()
    const key = await issueKey(databaseUrl)
    const env = { ...program.env, DATABASE_URL: databaseUrl }
    const start = async (stack: AsyncDisposableStack) => {
      const served = await startServer({ ...program, env }, directory)
      stack.defer(served.stop)
      return { ...served, key }
    }
    await using until = new AsyncDisposableStack()
    const { url, pid } = await start(until)
    await setTimeout(rest)
    const tested = { name: program.name, databaseUrl, start, atRest: memoryOf(pid), samples: {} }
    return { tested, answers: await askAll(url, key, databaseUrl) }
  }
  const petstore = await prepare(ours)
  const all: Tested[] = []
  for (const peer of contenders) {
    const { tested, answers } = await prepare(peer)
    const differing = differences(petstore.answers, answers)
    if (differing.length === 0) all.push(tested)
    else console.log(`${tested.name} is left out, as it answers otherwise:\n  ${differing.join('\n  ')}`)
  }
  if (options.redis) all.unshift(petstore.tested)
  else all.push(petstore.tested)
  const count = petstore.answers.length
  console.log(`${count} answers of each are equal. Measuring ${all.map(({ name }) => name).join(', ')} …`)
  for (let round = 1; round <= options.rounds; round++) await measureInTurns(all, round, options, databases)
  await tell(all, options, databases.version, count)
}

/** This service as another checkout has it, with its own packages. */
const programIn = (directory: string): Program => ({
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
 * Measures all servers in turns, in a round: what slows the machine down for a while slows all of them down. Each round starts
 * them again, as one start of a server differs from the next by a tenth and more. A short load first compiles their code.
 * Their order changes from round to round, as what a machine has just done tells on what it does next.
 */
async function measureInTurns(
  all: readonly Tested[],
  round: number,
  { rounds, operations, ...options }: CompareOptions,
  databases: Databases,
): Promise<void> {
  await using until = new AsyncDisposableStack()
  const first = round % all.length
  const running: (Tested & { served: Keyed })[] = []
  for (const tested of [...all.slice(first), ...all.slice(0, first)])
    running.push({ ...tested, served: await tested.start(until) })
  const servedBy = (operation: Operation) =>
    running.filter(({ name }) => !(operation.isInNodeAlone && name === 'go'))
  for (const operation of operations)
    for (const { served } of servedBy(operation)) await warmUp(served, operation, options)
  for (const operation of operations)
    for (const { name, served, databaseUrl, samples } of servedBy(operation)) {
      if (operation.method !== 'GET') await databases.execute(databaseUrl, clean)
      const sample = await measure(served, databases.pid, operation, options)
      samples[operation.name] = [...(samples[operation.name] ?? []), sample]
      console.log(
        `round ${round} of ${rounds}, ${operation.title}: ${name} ${sample.throughput.toFixed(0)}/s`,
      )
    }
}

async function tell(
  all: readonly Tested[],
  { rounds, seconds, connections, operations, readme }: CompareOptions,
  postgres: string,
  answers: number,
): Promise<void> {
  const comparison: Comparison = {
    machine: machine(postgres),
    date: new Date().toISOString().slice(0, 10),
    settings: { rounds, seconds, connections, answers },
    operations: operations.map(({ name, title }) => ({ name, title })),
    contenders: all.map(({ name, atRest, samples }) => ({ name, atRest, samples })),
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
