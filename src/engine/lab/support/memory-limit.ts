import { afterAll } from 'vitest'

/**
 * The most memory that a process of `npm test` may hold at any time, in MiB. They hold some 550 at most, by the files that
 * come to run in one; what takes it beyond this is a new cause.
 */
const most = 700
const peak = () => Math.round(process.resourceUsage().maxRSS / 1_024)
const before = peak()

// Other machines may count memory otherwise: it is held where changes are judged.
if (process.env.CI)
  afterAll(() => {
    const after = peak()
    if (before <= most && after > most)
      throw new Error(
        `This file took its process to ${after} MiB, from ${before}: ${most} are allowed. Let a child process do what takes most`,
      )
  })
