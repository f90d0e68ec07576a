import '../src/compile-cache.js'
import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { startOptions } from './start/options.ts'
import { keepTemplate } from './start/template.ts'

/** How long the first start may take, in ms. */
const startedWithin = 60_000

// Compiles the modules after an installation, so that the first start need not.
// A start works without the cache, too.
await Promise.all([
  import('../src/engine/service/process/server.ts'),
  import('../src/engine/service/process/resources.ts'),
  import('../src/engine/service/process/contract.ts'),
])
// Without a template the first start makes its whole database.
await keepTemplate((await import('../src/server.ts')).default.migrations).catch(() => {})
await startOnce()

/**
 * Node keeps what it has compiled by its options: commands run without any, the service with those of `npm start`. One that
 * can't start yet compiles the more when it can.
 */
async function startOnce(): Promise<void> {
  const place = await mkdtemp(join(tmpdir(), 'first-start-')) // no `.env` is there, which may lead to other stores
  const { PATH = '' } = process.env
  await promisify(execFile)(
    process.execPath,
    [...startOptions(), join(import.meta.dirname, 'start/once.ts')],
    {
      cwd: place,
      env: { PATH, HOST: '127.0.0.1', PORT: '0', DATA_DIR: join(place, 'data'), LOG_FORMAT: 'pretty' },
      timeout: startedWithin,
    },
  ).catch(() => {})
  await rm(place, { recursive: true, force: true })
}
