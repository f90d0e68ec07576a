import '../src/compile-cache.js'
import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { startOptions } from './start/options.ts'

/** How long the first start may take, in ms. */
const startedWithin = 60_000

/** Says that a part is left to the first start, which does it as well. */
const leave = (what: string) => (error: Error & { killed?: boolean; signal?: string }) => {
  if (error.signal === 'SIGTERM' && !error.killed) return // so Windows ends what has run to its end
  const [reason] = error.killed
    ? [`it took longer than ${startedWithin / 1_000} s`]
    : String(error).split('\n')
  console.error(`${what} is left to the first start: ${reason}`)
}

// After an installation, so that the first start need not: a test's start keeps an embedded database without rows, of
// which new ones become copies, and compiles the code. A start works without both, too.
console.log('Preparing the first start, which takes some 10 s: an empty database, and compiled code.')
const [{ startTest }, { default: service }] = await Promise.all([
  import('spec-served/testing'),
  import('../src/server.ts'),
])
await rm('node_modules/.cache/embedded-database', { recursive: true, force: true }) // those of earlier migrations
await startTest(service).then(({ close }) => close(), leave('The database'))

// Node keeps what it has compiled by its options: commands run without any, the service with those of `npm start`. One
// that can't start yet compiles the more when it can.
const place = await mkdtemp(join(tmpdir(), 'first-start-')) // no `.env` is there, which may lead to other stores
const { PATH = '' } = process.env
await promisify(execFile)(process.execPath, [...startOptions(), join(import.meta.dirname, 'start/once.ts')], {
  cwd: place,
  env: { PATH, HOST: '127.0.0.1', PORT: '0', DATA_DIR: join(place, 'data'), LOG_FORMAT: 'pretty' },
  timeout: startedWithin,
}).catch(leave('A part of the compiled code'))
await rm(place, { recursive: true, force: true })
console.log(`Prepared in ${Math.round(performance.now() / 1_000)} s.`)
