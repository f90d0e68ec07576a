import { defineConfig } from 'vitest/config'

/** The tests that need a database run on each of them, the very same files. */
const onDatabase = (kind: 'pglite' | 'postgres') => ({
  extends: true as const,
  test: {
    name: kind,
    include: ['test/{operations,http,store,database}/**/*.test.ts'],
    globalSetup: [`test/support/${kind}-setup.ts`],
  },
})

export default defineConfig({
  test: {
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 30_000,
    hookTimeout: 60_000,
    reporters: process.env.CI ? ['default'] : ['default'],
    projects: [
      onDatabase('pglite'),
      onDatabase('postgres'),
      { extends: true, test: { name: 'tools', include: ['test/scripts/**/*.test.ts'] } },
    ],
  },
})
