import { defineConfig } from 'vitest/config'

/** The tests that need a database run on each of them, the very same files, but for what only one of them has. */
const onDatabase = (kind: 'pglite' | 'postgres') => ({
  extends: true as const,
  test: {
    name: kind,
    isolate: false, // no test leaves anything behind in a module, and loading them anew takes a third of the time
    include: ['test/{operations,http,store,database}/**/*.test.ts'],
    exclude: [`test/database/${kind === 'pglite' ? 'postgres' : 'pglite'}/**`],
    globalSetup: [`test/support/${kind}-setup.ts`],
  },
})

export default defineConfig({
  test: {
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // The longest files come first, so that no worker is left with one at the end.
    projects: [
      {
        extends: true,
        test: { name: 'tools', include: ['test/{document,engine,scripts,contract}/**/*.test.ts'] },
      },
      {
        extends: true,
        test: {
          name: 'docs',
          include: ['test/docs/**/*.test.ts'],
          globalSetup: ['test/support/browser.ts'],
        },
      },
      onDatabase('pglite'),
      onDatabase('postgres'),
    ],
  },
})
