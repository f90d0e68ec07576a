import '../../src/compile-cache.js'
import { globSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'

/** How long it runs, in ms: the docs are made after it listens. */
const served = 1_000

// Starts the service and stops it again, so that Node keeps the compiled code, down to the functions that ran. Code
// that only other settings need is at least compiled.
const { serve } = await import('spec-served') // once its code is kept
await serve((await import('../../src/server.ts')).default)
const own = join(import.meta.dirname, '../../src')
const engine = join(own, 'engine')
const files = [
  ...globSync(join(own, '{handlers,store,generated}/**/*.ts')),
  ...globSync(join(engine, '{document,docs,service}/{*,!(test)/**/*}.ts')),
]
await Promise.allSettled(files.map(file => import(pathToFileURL(file).href)))
await setTimeout(served)
if (process.exitCode === undefined) process.kill(process.pid, 'SIGTERM')
