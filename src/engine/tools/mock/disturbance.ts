import { setTimeout as sleep } from 'node:timers/promises'

/** How far a mock is worse than a service on the same machine. */
export interface Disturbance {
  /** the least and the greatest wait before a reply, in ms */
  latencyMs?: readonly [least: number, greatest: number] | undefined
  /** the share of requests that fail, from 0 to 1 */
  errorShare?: number | undefined
}

/** The longest wait before a reply, in ms. */
export const longestDelayMs = 10_000

/** Numbers from 0 to 1 that are spread evenly, the same on each run: the golden ratio's multiples. */
const spread = (count: number) => (count * 0.618_033_988_749_895) % 1

/** Waits, and says which requests fail. Each run of a mock does so at the same requests. */
export function createDisturbance({ latencyMs: [least, greatest] = [0, 0], errorShare = 0 }: Disturbance) {
  let count = 0
  return {
    /** @param preferredMs the wait that a client prefers */
    async wait(preferredMs?: number): Promise<void> {
      const ms = preferredMs ?? least + (greatest - least) * spread(count)
      if (ms > 0) await sleep(ms)
    },
    isFailing(): boolean {
      count++
      return Math.floor(count * errorShare) > Math.floor((count - 1) * errorShare)
    },
  }
}
