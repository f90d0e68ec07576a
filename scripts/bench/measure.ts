import type { LoadGenerator, RequestTemplate } from './load.ts'
import { lastWords, type Served } from './servers.ts'
import { cpuOf, cpuOfFamily, memoryOf } from './usage.ts'

/** What one server did with one kind of request for a while. */
export interface Sample {
  /** requests a second that were answered as they should be */
  throughput: number
  /** milliseconds */
  p50: number
  p99: number
  /** CPU seconds for 10,000 answers; NaN where the system does not tell */
  serverCpu: number
  databaseCpu: number
  /** the most memory that the server held, in MiB */
  memory: number
  /** answers by status */
  statuses: Record<number, number>
}

/** What of a sample is one number. */
export type Measure = Exclude<keyof Sample, 'statuses'>

export interface Task {
  request: RequestTemplate
  /** the statuses that are right */
  expect: readonly number[]
  connections: number
  seconds: number
}

/** How long each server is under load before it is measured, in seconds. */
const warmFor = 0.5
/** How many answers may be others than expected before the figure is worth nothing. */
const othersAtMost = 0.02

/**
 * Puts a server under load and reads what it and the database take.
 * @param databasePid the process whose children serve the sessions
 * @throws Error when it answers otherwise than it should
 */
export async function measure(
  load: LoadGenerator,
  served: Served,
  databasePid: number,
  { request, expect, connections, seconds }: Task,
): Promise<Sample> {
  const { port, pid } = served
  await load.run({ port, connections, seconds: warmFor, request })
  let memory = memoryOf(pid)
  const watching = setInterval(() => {
    memory = Math.max(memory, memoryOf(pid))
  }, 100)
  try {
    const database = () => cpuOfFamily(databasePid)
    const before = { server: cpuOf(pid), database: database() }
    const result = await load.run({ port, connections, seconds, request })
    const after = { server: cpuOf(pid), database: database() }
    const right = expect.reduce((total, status) => total + (result.statuses[status] ?? 0), 0)
    if (right === 0 || result.answered - right > othersAtMost * result.answered)
      throw new Error(
        `${served.name} answers ${request.method} ${request.path} with ${JSON.stringify(result.statuses)}. Its last words: ${lastWords(served.log)}`,
      )
    const each = 10_000 / result.answered
    return {
      throughput: right / result.seconds,
      p50: result.p50,
      p99: result.p99,
      serverCpu: (after.server - before.server) * each,
      databaseCpu: (after.database - before.database) * each,
      memory,
      statuses: result.statuses,
    }
  } finally {
    clearInterval(watching)
  }
}
