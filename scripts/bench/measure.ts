import { readdirSync, readFileSync } from 'node:fs'
import type { Operation } from './operations.ts'
import { loadTool } from './peers.ts'
import { lastWords, type Served } from './servers.ts'

/** What one server did with one kind of request for a while. */
export interface Sample {
  /** requests a second */
  throughput: number
  /** of a request, in ms */
  p50: number
  p99: number
  /** CPU seconds for 10,000 answers; NaN where the system does not tell */
  serverCpu: number
  databaseCpu: number
  /** the most memory that the server held, in MiB */
  memory: number
}

/** What we use of autocannon. */
interface Result {
  duration: number
  errors: number
  latency: { p50: number; p99: number }
  statusCodeStats: Record<string, { count: number }>
}
interface Draft {
  path: string
  body?: string
}
type Autocannon = (options: {
  url: string
  connections: number
  duration: number
  requests: readonly (Draft & {
    method: string
    headers: Record<string, string>
    setupRequest?: (draft: Draft) => Draft
  })[]
}) => Promise<Result>

/** How long each server is under load before it is measured, in seconds. */
const warmFor = 0.5

/**
 * Puts a server under load and reads what it and the database take.
 * @param databasePid the process whose children serve the sessions
 * @throws Error when it answers otherwise than it should
 */
export async function measure(
  served: Served & { key: string },
  databasePid: number,
  operation: Operation,
  { connections, seconds }: { connections: number; seconds: number },
): Promise<Sample> {
  const autocannon = loadTool<Autocannon>()
  const run = async (duration: number) =>
    await autocannon({ url: served.url, connections, duration, requests: [requestOf(operation, served.key)] })
  await run(warmFor)
  let memory = memoryOf(served.pid)
  const watching = setInterval(() => {
    memory = Math.max(memory, memoryOf(served.pid))
  }, 100)
  const cpu = () => ({ server: cpuOf(served.pid), database: cpuOfFamily(databasePid) })
  const before = cpu()
  const { duration, errors, latency, statusCodeStats } = await run(seconds).finally(() =>
    clearInterval(watching),
  )
  const after = cpu()
  const { [operation.status]: right, ...others } = statusCodeStats
  if (!right || errors > 0 || Object.keys(others).length > 0)
    throw new Error(
      `${served.name} answers ${operation.method} ${operation.path} with ${JSON.stringify(statusCodeStats)} and ${errors} errors. Its last words: ${lastWords(served.log)}`,
    )
  const each = 10_000 / right.count
  return {
    throughput: right.count / duration,
    p50: latency.p50,
    p99: latency.p99,
    serverCpu: (after.server - before.server) * each,
    databaseCpu: (after.database - before.database) * each,
    memory,
  }
}

function requestOf({ method, path, body, ids }: Operation, key: string) {
  const headers = { 'X-API-Key': key, ...(body !== undefined && { 'Content-Type': 'application/json' }) }
  const request = { method, path, headers, ...(body !== undefined && { body }) }
  if (ids === undefined) return request
  const fill = (text: string, id: number) => text.replace('{id}', String(id))
  return {
    ...request,
    setupRequest(draft: Draft) {
      const id = 1 + Math.floor(Math.random() * ids)
      return { ...draft, path: fill(path, id), ...(body !== undefined && { body: fill(body, id) }) }
    },
  }
}

/** Clock ticks in a second, as Linux counts the time of processes (`getconf CLK_TCK`). */
const ticks = 100

/** The fields of /proc/PID/stat after the name, which may hold anything: `[0]` is the third of them, the state. */
function fields(pid: number | string): string[] {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return text.slice(text.lastIndexOf(')') + 2).split(' ')
  } catch {
    return [] // it has ended, or the system has no /proc
  }
}

const sum = (read: string[], ...indexes: number[]) =>
  indexes.reduce((total, index) => total + Number(read[index]), 0) / ticks

/** The CPU seconds that a process has taken, all of its threads. */
const cpuOf = (pid: number): number => sum(fields(pid), 11, 12)

/** The CPU seconds that a process, its children and those of them that have ended have taken. */
function cpuOfFamily(pid: number): number {
  const own = sum(fields(pid), 11, 12, 13, 14)
  if (Number.isNaN(own)) return own
  const children = readdirSync('/proc')
    .filter(name => /^\d+$/.test(name))
    .map(fields)
    .filter(read => read[1] === String(pid))
  return children.reduce((total, read) => total + sum(read, 11, 12), own)
}

/** The memory that a process holds, in MiB; NaN where the system does not tell. */
export function memoryOf(pid: number): number {
  try {
    return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1_024
  } catch {
    return Number.NaN
  }
}
