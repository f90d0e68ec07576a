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

/** How long the measure of a unit holds, in ms: a machine gets slower and faster. */
const holds = 500
let measured = { units: Number.POSITIVE_INFINITY, at: Number.NEGATIVE_INFINITY }

/** Measures a unit, in microseconds. */
function measureUnit(): number {
  const start = threadCpuUsage()
  for (let round = 0; round < 4; round++) unit()
  measured = { units: Math.max(step, cpuOf(start) / 4), at: performance.now() }
  return measured.units
}

async function costOf(work: () => unknown, units: number): Promise<number> {
  const before = threadCpuUsage()
  await work()
  return cpuOf(before) / units
}

/**
 * Returns the CPU time of work in units of other work of the same run, so that a busy or a slow machine changes nothing.
 * The least of several, until it is within a limit. What is within it by a unit that was measured shortly before is not
 * measured again: most work takes less time than a unit.
 */
export async function unitsOf(work: () => unknown, limit: number): Promise<number> {
  const first = await costOf(work, performance.now() - measured.at < holds ? measured.units : measureUnit())
  if (first < limit) return first
  let least = Number.POSITIVE_INFINITY
  for (let i = 0; i < tries && least > limit; i++) least = Math.min(least, await costOf(work, measureUnit()))
  return least
}
