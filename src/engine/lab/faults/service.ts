import { readFileSync } from 'node:fs'
import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { temporaryDirectory } from 'spec-served/internal/testing/temporary'
import { type PostgresServer, startPostgres } from 'spec-served-cli/internal/local/postgres'
import { prepare } from 'spec-served-cli/internal/local/prepare'
import { dataDirectory } from '../support/data-directory.ts'
import { createClient, type Send } from '../support/http.ts'
import { type RunningServer, startProcess } from '../support/petstore.ts'
import type { Setting } from './scenario.ts'

/** A pet store in a process of its own, to be killed and started again. */
export interface Service {
  /** the process that runs now */
  process(): RunningServer
  /** the PostgreSQL beneath; undefined on the embedded database */
  postgres: PostgresServer | undefined
  /** the replicas of that PostgreSQL */
  replicas: readonly PostgresServer[]
  /** how its processes are set up */
  env: Readonly<Record<string, string>>
  /** a key with every scope and more quota than any run uses */
  key: string
  /** Sends requests with that key to the process that runs now. */
  send: Send
  start(): Promise<void>
  kill(): Promise<void>
  /** the memory that it holds now, in MiB */
  memory(): number
  /** the most memory that any of its processes was seen to hold while it ran, in MiB */
  peakMemory(): number
  [Symbol.asyncDispose](): Promise<void>
}

interface Options {
  env?: Record<string, string>
  /** the directory of the database */
  directory?: string
  /** how many replicas follow its PostgreSQL */
  replicas?: number
}

const databaseName = 'petstore'

export async function startService(
  database: Setting['database'],
  { env = {}, directory = temporaryDirectory(), replicas: count = 0 }: Options = {},
): Promise<Service> {
  const postgres = database === 'postgres' ? await startPostgres(directory) : undefined
  const replicas: PostgresServer[] = []
  let place: Record<string, string> = { DATA_DIR: directory }
  let firstKey = ''
  if (postgres) {
    await postgres.execute(`create database ${databaseName}`)
    const url = `${postgres.url}/${databaseName}`
    firstKey = await prepare(url)
    while (replicas.length < count) replicas.push(await startPostgres(undefined, postgres))
    const urls = replicas.map(each => `${each.url}/${databaseName}`).join(',')
    place = { DATABASE_URL: url, ...(urls && { DATABASE_REPLICA_URLS: urls }) }
  } else await dataDirectory(directory)

  let running: RunningServer
  let client: ReturnType<typeof createClient>
  let peak = 0
  const measuring = setInterval(() => {
    peak = Math.max(peak, memoryOf(running?.child.pid))
  }, 100).unref()
  let key: string | undefined
  async function start(): Promise<void> {
    running = await startProcess({ ...place, ...env })
    client = createClient(running.url, key)
  }
  await start()
  if (!postgres) firstKey = (await readFile(join(directory, 'api-key'), 'utf8')).trim()
  const send: Send = (...request) => client.send(...request)
  const useKey = () => {
    client.close()
    client = createClient(running.url, key)
  }
  key = await makeKey(send, firstKey)
  useKey()

  return {
    process: () => running,
    postgres,
    replicas,
    env: { ...place, ...env },
    key,
    send,
    start,
    async kill() {
      client.close()
      await running.stop('SIGKILL')
    },
    memory: () => memoryOf(running.child.pid),
    peakMemory: () => peak,
    async [Symbol.asyncDispose]() {
      clearInterval(measuring)
      client.close()
      if (running.child.exitCode === null) await running.stop('SIGKILL')
      for (const replica of replicas) await replica.stop()
      await postgres?.stop()
      await rm(directory, { recursive: true, force: true })
    },
  }
}

/** Makes a key with every scope and more quota than any run uses, or with the quota given. */
export async function makeKey(send: Send, admin: string, quota = 1_000_000): Promise<string> {
  const quotas = { minute: quota, day: quota }
  const scopes = ['read', 'write', 'admin']
  const reply = await send('POST', '/api-keys', {
    body: { name: 'Load', plan: 'Enterprise', quotas, scopes },
    headers: { 'x-api-key': admin },
  })
  if (reply.status !== 201) throw new Error(`No key: ${reply.text}`)
  const { secret }: { secret: string } = JSON.parse(reply.text)
  return secret
}

/** The memory that a process holds, in MiB; 0 where the system does not tell. */
function memoryOf(pid: number | undefined): number {
  try {
    const kilobytes = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
    return Math.round(Number(kilobytes ?? 0) / 1_024)
  } catch {
    return 0
  }
}
