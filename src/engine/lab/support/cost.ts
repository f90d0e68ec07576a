import { threadCpuUsage } from 'node:process'

const sample = JSON.stringify(Array.from({ length: 20_000 }, (_, i) => ({ name: `Name ${i}`, i })))

/** A fixed amount of work, by which other work is measured: some 10 ms of a quiet machine of 2026. */
const unit = () => JSON.stringify(JSON.parse(sample)).length

function cpuOf(before: ReturnType<typeof threadCpuUsage>): number {
  const { user, system } = threadCpuUsage(before)
  return user + system
}

/** How often work is done in vain, until it is too costly: the least is the work itself, the rest of the others is chance. */
const tries = 8
/** The kernel counts CPU time in steps, in microseconds. */
const step = 4_000

/**
 * Returns the CPU time of work in units of other work of the same run, so that a busy or a slow machine changes nothing.
 * The least of several, until it is within a limit.
 */
export async function unitsOf(work: () => unknown, limit: number): Promise<number> {
  let least = Number.POSITIVE_INFINITY
  for (let i = 0; i < tries && least > limit; i++) {
    const start = threadCpuUsage()
    for (let round = 0; round < 4; round++) unit()
    const units = Math.max(step, cpuOf(start) / 4)
    const before = threadCpuUsage()
    await work()
    least = Math.min(least, cpuOf(before) / units)
  }
  return least
}
