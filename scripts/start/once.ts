import '../../src/compile-cache.js'
import { globSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'

/** How long it runs, in ms: the docs are made after it listens. */
const served = 1_000

// Starts the service and stops it again, for what Node keeps of it: code that was compiled, down to the functions that
// ran. What only other settings need is compiled at least.
const { serve } = await import('../../src/engine/process/service.ts') // once its code is kept
await serve((await import('../../src/server.ts')).default)
await Promise.allSettled(
  globSync('../../src/**/*.ts', { cwd: import.meta.dirname }).map(file => import(file)),
)
await setTimeout(served)
if (process.exitCode === undefined) process.kill(process.pid, 'SIGTERM')
