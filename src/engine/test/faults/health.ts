import { setTimeout } from 'node:timers/promises'
import { createClient, isDeclaredError } from '../support/http.ts'

/** How often /health is asked, in ms. */
const every = 50

/** Asks a service how it is, again and again, and notes for how long it has kept silent. */
export interface HealthWatch {
  /** Ends it. @returns the longest wait for an answer, in ms, and what /health said */
  end(): Promise<{ silence: number; said: ReadonlySet<string>; foreign: number }>
}

export function watchHealth(url: string): HealthWatch {
  const { send, close } = createClient(url)
  const said = new Set<string>()
  let silence = 0
  let foreign = 0
  let ended = false
  const watching = (async () => {
    while (!ended) {
      const begun = performance.now()
      try {
        const answer = await send('GET', '/health')
        const { status }: { status?: string } = JSON.parse(answer.text)
        if (typeof status === 'string') said.add(status)
        else if (!isDeclaredError(answer)) foreign++
      } catch {
        foreign++
      }
      silence = Math.max(silence, performance.now() - begun)
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
