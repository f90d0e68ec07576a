import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { LongestFirst } from './test/support/longest-first.ts'

/** Tests that meet no other database than the embedded one, or none: they run once. */
const once = [
  'browsers',
  'client',
  'docs',
  'foreign-document',
  'hostile-bodies',
  'routes',
  'slow-readers',
  'targets',
]

/** The folders of tests that run on each database. */
const onAny = ['operations', 'http', 'store', 'database']

/** The tests that need a database run on each of them, the very same files, but for what only one of them has. */
const onDatabase = (kind: 'pglite' | 'postgres') => ({
  extends: true as const,
  test: {
    name: kind,
    isolate: false, // no test leaves anything behind in a module, and loading them anew takes a third of the time
    include: [`test/{${kind === 'pglite' ? onAny : [...onAny, 'cluster']}}/**/*.test.ts`],
    exclude:
      kind === 'pglite'
        ? ['test/database/postgres/**']
        : ['test/database/pglite/**', `test/http/{${once}}.test.ts`],
    globalSetup: [`test/support/${kind}-setup.ts`],
  },
})

export default defineConfig({
  test: {
    pool: 'forks',
    // One more than the cores of a small machine: many tests wait for a while, for time or for a process.
    maxWorkers: 3,
    // Machines are busy: what hangs does so for ever, and nothing else is told by these.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 60_000 } },
    // What one process has compiled the others that the tests start need not.
    env: { NODE_COMPILE_CACHE: join(tmpdir(), 'petstore-compile-cache') },
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        extends: true,
        test: {
          name: 'tools',
          isolate: false,
          include: ['test/{document,engine,scripts,contract}/**/*.test.ts'],
        },
      },
      {
        extends: true,
        test: {
          name: 'docs',
          isolate: false,
          include: ['test/docs/**/*.test.ts'],
          globalSetup: ['test/support/browser.ts'],
        },
      },
      onDatabase('pglite'),
      onDatabase('postgres'),
    ],
  },
})
