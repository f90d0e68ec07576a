import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config'
import { LongestFirst } from './src/engine/test/support/longest-first.ts'
import { skipped } from './src/engine/test/support/programs.ts'

/** The tests of one kind. */
interface Group {
  name: string
  /** the folders of its tests */
  folders: string
  /** starts what all of them use */
  setup?: string
  /** those of them that `npm test` leaves to `npm run test:long` */
  long?: string[]
  /** those that another group runs */
  exclude?: string[]
}

const groups: Group[] = [
  {
    name: 'tools',
    folders: '{project,document,service,tools,check}',
    // The check, the compiler, starts, and the long ways that README describes.
    long: [
      'check/{check,forms,mock,mutants,renames}',
      'project/{alerts,dockerfile,recipes,start}',
      'service/{log-faults,start}',
      'tools/{client-installed,compiled,hostile-names,interface,judge-invariants,keys,package}',
    ],
  },
  {
    name: 'docs',
    folders: 'docs',
    setup: 'browser',
    // Each look and size of the page, what a reader does on it, the code of each operation, a slow machine, and `npm run dev`.
    long: ['docs/{accessibility,development,layout,loading,prefilled,reading,snippets,try-it}'],
  },
  {
    name: 'pglite',
    folders: '{operations,store,http,callers,database}',
    setup: 'pglite-setup',
    // How its files are kept, and what the tests on PostgreSQL tell as well.
    long: [
      'callers/*',
      'database/{batch-writer,by-id,document,full-disk,migrate,migration-effects,migrations,prepared,sessions}',
      'database/pglite/!(power-cut)',
      'http/{killed,resets,stopping}',
      'operations/{api-keys,names}',
      'store/{indexes,migrations}',
    ],
    // They meet the database through the same code, and are run on PostgreSQL.
    exclude: ['database/postgres/*', 'http/!(health|killed|resets|retries|stopping)'],
  },
  {
    name: 'postgres',
    folders: '{operations,store,http,callers,database,cluster}',
    setup: 'postgres-setup',
    // Faults of a disk, a database, a process or a network, each of which takes time to be noticed.
    long: [
      'cluster/{killed,lives,short}',
      'database/full-disk',
      'database/postgres/{failover,growth,hangs,replicas}',
      'http/{agent-clients,killed,slow-readers,traces}',
      'store/indexes',
    ],
    // A migration does the same on any database; a connection may not.
    exclude: ['database/pglite/*', 'database/migration-effects', 'http/resets'],
  },
]

const testsIn = (paths: readonly string[] = []) => paths.map(path => `{test,src/engine/test}/${path}.test.ts`)

/**
 * Node takes as much memory as a machine has before it frees any.
 * @param heap the most that long-lived objects may take, in MiB; to compile all sources with their types needs the most
 */
const argvFor = (heap: number) => [`--max-old-space-size=${heap}`]

/** The two projects of a group: what is run at each change, and what takes too long for that. */
const projectsOf = ({
  name,
  folders,
  setup,
  long,
  exclude = [],
}: Group): TestProjectInlineConfiguration[] => {
  const shared = { isolate: false, globalSetup: setup ? [`src/engine/test/support/${setup}.ts`] : [] }
  return [
    {
      extends: true,
      test: {
        ...shared,
        name,
        setupFiles: ['src/engine/test/support/memory-limit.ts'],
        include: testsIn([`${folders}/**/*`]),
        exclude: testsIn([...exclude, ...(long ?? [])]),
      },
    },
    {
      extends: true,
      test: { ...shared, name: `long-${name}`, include: testsIn(long), execArgv: argvFor(2_048) },
    },
  ]
}

// The threads of a process share one arena of memory, as in production: else what each has freed stays its own.
process.env.MALLOC_ARENA_MAX ??= '1'
const skips = skipped()
if (skips !== undefined) console.warn(skips)

export default defineConfig({
  test: {
    pool: 'forks',
    execArgv: argvFor(512),
    // More than the cores of a small machine: many tests wait for a while, for time or for a process. Not many more, as
    // each has to load the service, and PGlite, before it is of use.
    maxWorkers: 4,
    // Machines are busy, and what hangs does so for ever: these limits are for that alone.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 300_000 } },
    // Node loads what it can load as it is: nothing is translated for it, in each project again.
    experimental: { viteModuleRunner: false },
    // The processes that the tests start share compiled code.
    env: { NODE_COMPILE_CACHE: join(tmpdir(), 'petstore-compile-cache') },
    sequence: { sequencer: LongestFirst },
    projects: groups.flatMap(projectsOf),
  },
})
