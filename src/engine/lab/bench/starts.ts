import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { temporaryDirectory } from 'spec-served/internal/testing/temporary'
import { freePort, startPostgres } from 'spec-served-cli/internal/local/postgres'
import { end, launch } from 'spec-served-cli/internal/local/process'
import { table } from 'spec-served-cli/internal/texts/escapes'
import { median } from './figures.ts'
import { memoryOf, processOf } from './measure.ts'
import { lastWords, ours } from './servers.ts'

/** The pause between two questions whether a server answers, in ms. */
const pause = 2
/** The calls before the memory of a server is read. */
const paths = ['/pets?limit=20', '/openapi.json', '/docs/', '/pets', '/health']
/** How long a server rests before that, in ms. */
const rest = 1_000

/** Measures how long the service needs from its start to its first answer, and its memory then, and prints it. */
export async function printStarts(rounds: number): Promise<void> {
  const directory = temporaryDirectory()
  await using closing = new AsyncDisposableStack()
  closing.defer(() => rm(directory, { recursive: true, force: true }))
  const postgres = await startPostgres()
  closing.defer(postgres.stop)
  await postgres.execute('create database starts')
  const reused = join(directory, 'known')
  const kinds = {
    PostgreSQL: async () => ({ DATABASE_URL: `${postgres.url}/starts` }),
    'known PGlite': async () => ({ DATA_DIR: reused }),
    'new PGlite': async () => ({ DATA_DIR: await mkdtemp(join(directory, 'new-')) }),
  }
  const rows: { name: string; seconds: number[]; cpu: number[]; memory: number[] }[] = []
  for (const name of Object.keys(kinds)) rows.push({ name, seconds: [], cpu: [], memory: [] })
  for (let round = 0; round <= rounds; round++)
    for (const [index, prepare] of Object.values(kinds).entries()) {
      const { seconds, cpu, memory } = await start(await prepare(), directory)
      if (round === 0) continue // it makes the databases, and fills the cache of compiled code
      rows[index]?.seconds.push(seconds)
      rows[index]?.cpu.push(cpu)
      rows[index]?.memory.push(memory)
    }
  const head = ['database', 'from start to first answer, s: median', 'longest', 'CPU s', 'memory, MiB']
  const cells = rows.map(({ name, seconds, cpu, memory }) => [
    name,
    median(seconds).toFixed(2),
    Math.max(...seconds).toFixed(2),
    median(cpu).toFixed(2),
    median(memory).toFixed(0),
  ])
  console.log(table(head, cells, column => column > 0))
}

/** Starts the service once. @returns the seconds and the CPU seconds to its first answer, and its memory after some calls, in MiB */
async function start(database: Record<string, string>, directory: string) {
  const port = await freePort()
  const log = join(directory, `${port}.log`)
  const { command, args } = ours
  const env = { NODE_ENV: 'production', LOG_LEVEL: 'warn', PORT: String(port), ...database }
  const began = performance.now()
  const child = launch({ command, args, cwd: directory, env, log })
  const get = async (path: string) => {
    const reply = await fetch(`http://127.0.0.1:${port}${path}`).catch(() => undefined)
    await reply?.text()
    return reply?.ok
  }
  while (!(await get('/health'))) {
    if (child.exitCode !== null) throw new Error(`The service does not start: ${lastWords(log)}`)
    await setTimeout(pause)
  }
  const seconds = (performance.now() - began) / 1_000
  const { cpu } = processOf(child.pid ?? 0)
  for (const path of paths) await get(path)
  await setTimeout(rest)
  const memory = memoryOf(child.pid ?? 0)
  await end(child)
  return { seconds, cpu, memory }
}
