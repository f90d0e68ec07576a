import '../../src/compile-cache.js'
import { globSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'

/** How long it runs, in ms: the docs are made after it listens. */
const served = 1_000

// Starts the service and stops it again, so that Node keeps the compiled code, down to the functions that ran. Code
// that only other settings need is at least compiled.
const { serve } = await import('../../src/engine/service/process/service.ts') // once its code is kept
await serve((await import('../../src/server.ts')).default)
await Promise.allSettled(
  globSync('../../src/{handlers,store,generated,engine/document,engine/service}/**/*.ts', {
    cwd: import.meta.dirname,
  }).map(file => import(file)),
)
await setTimeout(served)
if (process.exitCode === undefined) process.kill(process.pid, 'SIGTERM')
