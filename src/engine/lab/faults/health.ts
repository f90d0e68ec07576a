import { readFileSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import { createClient, isDeclaredError } from '../support/http.ts'
import type { RunningServer } from '../support/petstore.ts'

/** How often /health is asked, in ms. */
const every = 50

/** Asks a service how it is, again and again, and notes for how long it has kept silent. */
export interface HealthWatch {
  /**
   * Ends it.
   * @returns the longest wait for an answer, in ms, without the time for which other programs had the cores, and what /health
   *   said
   */
  end(): Promise<{ silence: number; said: ReadonlySet<string>; foreign: number }>
}

export function watchHealth({ url, child: { pid } }: RunningServer): HealthWatch {
  const { send, close } = createClient(url)
  const said = new Set<string>()
  let silence = 0
  let foreign = 0
  let ended = false
  const watching = (async () => {
    while (!ended) {
      const [begun, ...before] = [performance.now(), waitedFor(pid), waitedFor('self')]
      try {
        const answer = await send('GET', '/health')
        const { status }: { status?: string } = JSON.parse(answer.text)
        if (typeof status === 'string') said.add(status)
        else if (!isDeclaredError(answer)) foreign++
      } catch {
        foreign++
      }
      const waited = [waitedFor(pid), waitedFor('self')].map((now, i) => now - (before[i] ?? 0))
      silence = Math.max(silence, performance.now() - begun - Math.max(...waited)) // both may wait at once
      await setTimeout(every)
    }
  })()
  return {
    async end() {
      ended = true
      await watching
      close()
      return { silence: Math.round(silence), said, foreign }
    },
  }
}

/**
 * Returns for how long a process has been ready to run while others had the cores, in ms; 0 where the system does not tell.
 * Source: Linux, Documentation/scheduler/sched-stats.rst, `/proc/PID/schedstat`.
 */
function waitedFor(pid: number | 'self' | undefined): number {
  try {
    return Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[1]) / 1e6
  } catch {
    return 0
  }
}
