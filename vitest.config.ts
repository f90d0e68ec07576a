import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { LongestFirst } from 'spec-served-lab/support/longest-first'
import { skipped } from 'spec-served-lab/support/programs'
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config'

/** The tests of one kind, by paths without the ending. */
interface Group {
  name: string
  tests: string[]
  /** starts what all of them use */
  setup?: string
  /** those of them that `npm test` leaves to `npm run test:long` */
  long?: string[]
  /** those that another group runs */
  exclude?: string[]
}

const service = 'src/engine/service/test'
const tools = 'src/engine/tools/test'

/** The tests that run on each database. */
const onDatabases = ['test/{operations,store}/*', `${service}/{http,callers,database}/**/*`]

const groups: Group[] = [
  {
    name: 'tools',
    tests: [
      'test/project/*',
      `${service}/*`,
      `${tools}/**/*`,
      'src/engine/document/test/*',
      'src/engine/lab/test/*',
    ],
    // The check, the compiler, starts, and the long ways that README describes.
    long: [
      'test/project/{alerts,dockerfile,recipes,start}',
      `${service}/{log-faults,start}`,
      `${tools}/check/{all-makes,check,forms,mock,mutants,renames}`,
      `${tools}/{client-installed,compiled,hostile-names,int64,interface,judge-invariants,keys}`,
      'src/engine/lab/test/package',
    ],
  },
  {
    name: 'docs',
    tests: ['src/engine/docs/test/*'],
    setup: 'browser',
    // Each look and size of the page, what a reader does on it, the code of each operation, a slow machine, and `npm run dev`.
    long: [
      'src/engine/docs/test/{accessibility,development,layout,loading,prefilled,reading,snippets,try-it}',
    ],
  },
  {
    name: 'pglite',
    tests: onDatabases,
    setup: 'pglite-setup',
    // How its files are kept, and what the tests on PostgreSQL tell as well.
    long: [
      `${service}/callers/*`,
      `${service}/database/{batch-writer,by-id,document,full-disk,migrate,migration-effects,migrations,prepared,sessions}`,
      `${service}/database/pglite/!(power-cut|statements)`,
      `${service}/http/{killed,resets,stopping}`,
      'test/operations/{api-keys,names}',
      'test/store/{indexes,migrations}',
    ],
    // They meet the database through the same code, and are run on PostgreSQL.
    exclude: [`${service}/database/postgres/*`, `${service}/http/!(health|killed|resets|retries|stopping)`],
  },
  {
    name: 'postgres',
    tests: [...onDatabases, 'src/engine/lab/cluster/*'],
    setup: 'postgres-setup',
    // Faults of a disk, a database, a process or a network, each of which takes time to be noticed.
    long: [
      'src/engine/lab/cluster/{killed,lives,short}',
      `${service}/database/full-disk`,
      `${service}/database/postgres/{failover,growth,hangs,replicas}`,
      `${service}/http/{agent-clients,killed,slow-readers,traces}`,
      'test/store/indexes',
    ],
    // A migration does the same on any database; a connection may not.
    exclude: [
      `${service}/database/pglite/*`,
      `${service}/database/migration-effects`,
      `${service}/http/resets`,
    ],
  },
]

const testsIn = (paths: readonly string[] = []) => paths.map(path => `${path}.test.ts`)

/**
 * Node takes as much memory as a machine has before it frees any.
 * @param heap the most that long-lived objects may take, in MiB; to compile all sources with their types needs the most
 */
const argvFor = (heap: number) => [`--max-old-space-size=${heap}`]

/** The two projects of a group: what is run at each change, and what takes too long for that. */
const projectsOf = ({ name, tests, setup, long, exclude = [] }: Group): TestProjectInlineConfiguration[] => {
  const shared = { isolate: false, globalSetup: setup ? [`src/engine/lab/support/${setup}.ts`] : [] }
  return [
    {
      extends: true,
      test: {
        ...shared,
        name,
        setupFiles: ['src/engine/lab/support/memory-limit.ts'],
        include: testsIn(tests),
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
// The packages of this repository are run from their sources, also where `npm` does not say so.
process.env.NODE_OPTIONS = [process.env.NODE_OPTIONS, '--conditions=spec-served-source'].join(' ').trim()
const skips = skipped()
if (skips !== undefined) console.warn(skips)

export default defineConfig({
  test: {
    pool: 'forks',
    // Alive are 170 MiB at most, and 160 more while a file serves a thousand operations. All else is garbage, or young.
    execArgv: [...argvFor(384), '--max-semi-space-size=16'],
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
