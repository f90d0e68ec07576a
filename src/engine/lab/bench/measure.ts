import { readdirSync, readFileSync } from 'node:fs'
import { sendLoad } from './load.ts'
import type { Operation } from './operations.ts'
import { type Keyed, lastWords } from './servers.ts'

/** The results of one server for one kind of request. */
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

/** How long a server is under load when it has started, and before each measurement, in seconds. */
const warmFor = 0.5

/** Puts a server under load for a moment. */
export const warmUp = ({ url, key }: Keyed, operation: Operation, { connections }: { connections: number }) =>
  sendLoad(url, key, operation, { connections, seconds: warmFor })

/**
 * Puts a server under load and reads what it and the database take.
 * @param databasePid the process whose children serve the sessions
 * @throws Error when it answers otherwise than it should
 */
export async function measure(
  served: Keyed,
  databasePid: number,
  operation: Operation,
  { connections, seconds }: { connections: number; seconds: number },
): Promise<Sample> {
  await warmUp(served, operation, { connections })
  const workers = childrenOf(served.pid)
  const held = () => [served.pid, ...workers].reduce((total, pid) => total + memoryOf(pid), 0)
  let memory = held()
  const watching = setInterval(() => {
    memory = Math.max(memory, held())
  }, 100)
  const cpu = () => ({ server: cpuOfFamily(served.pid), database: cpuOfFamily(databasePid) })
  const before = cpu()
  const load = await sendLoad(served.url, served.key, operation, { connections, seconds }).finally(() =>
    clearInterval(watching),
  )
  const after = cpu()
  const { [operation.status]: right, ...others } = load.statuses
  if (!right || load.errors > 0 || Object.keys(others).length > 0)
    throw new Error(
      `${served.name} answers ${operation.method} ${operation.path} with ${JSON.stringify(load.statuses)} and ${load.errors} errors. Its last words: ${lastWords(served.log)}`,
    )
  const each = 10_000 / right
  const percentile = (share: number) => load.times[Math.floor(load.times.length * share)] ?? Number.NaN
  return {
    throughput: right / load.seconds,
    p50: percentile(0.5),
    p99: percentile(0.99),
    serverCpu: (after.server - before.server) * each,
    databaseCpu: (after.database - before.database) * each,
    memory,
  }
}

/** Clock ticks in a second, as Linux counts the time of processes (`getconf CLK_TCK`). */
const ticks = 100

/** A process, by its parent, with the CPU seconds of it and of its ended children; NaN: not told. */
export function processOf(pid: number | string): { parent: number; cpu: number; ended: number } {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The name may hold anything; of the fields behind it the first is the third of all, the state.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
    const secondsIn = (from: number) => (Number(fields[from]) + Number(fields[from + 1])) / ticks
    return { parent: Number(fields[1]), cpu: secondsIn(11), ended: secondsIn(13) }
  } catch {
    return { parent: Number.NaN, cpu: Number.NaN, ended: Number.NaN } // it has ended, or the system has no /proc
  }
}

/** The CPU seconds that a process, its children and those of them that have ended have taken. */
function cpuOfFamily(pid: number): number {
  const { cpu, ended } = processOf(pid)
  if (Number.isNaN(cpu)) return cpu
  return childrenOf(pid).reduce((total, child) => total + processOf(child).cpu, cpu + ended)
}

/** Returns the processes that a process has started; none where the system does not tell. */
function childrenOf(pid: number): number[] {
  if (Number.isNaN(processOf(pid).cpu)) return []
  const all = readdirSync('/proc').filter(name => /^\d+$/.test(name))
  return all.map(Number).filter(candidate => processOf(candidate).parent === pid)
}

/** The memory that a process holds, in MiB; NaN where the system does not tell. */
export function memoryOf(pid: number): number {
  try {
    return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1_024
  } catch {
    return Number.NaN
  }
}
