import { flag, option } from 'spec-served/internal/command/arguments'
import { type Command, leaf } from 'spec-served/internal/command/command'

const scenarioOptions = {
  short: flag('less of everything, in a quarter of an hour at most'),
  only: option('NAME', 'the scenarios whose name begins with this', { default: '' }),
  record: flag('keep the figures of those that pass, for `npm run readme`'),
}

/** The directory of the public documents that a command tries, and the list of those that it takes. */
const publicDocuments = {
  name: 'DIRECTORY',
  text: 'holds each as owner__name__path, with __ for each /; one of several files is a directory',
  isDirectory: true,
}
const listed = option('FILE', 'the documents, one a line: owner/name, a tab, the path there; else all')

/** The commands that prove and measure the engine. Only its own repository has them. */
export const labCommands: Readonly<Record<string, Command>> = {
  bench: leaf({
    text: 'measures the service against others that serve the same operations',
    more: `They take turns on a PostgreSQL that it starts. The others are installed into src/engine/lab/bench/.peers. Tables and
samples go into test/.output/bench.`,
    options: {
      rounds: option('N', 'rounds, each with new starts of the servers (default: 5)'),
      seconds: option('N', 'of each measurement (default: 3)'),
      connections: option('N', 'each sends its next request when the last is answered', { default: '64' }),
      only: option(
        'LIST',
        'of read, list, order, create, keyed, and of order-spaced, order-pretty, create-spaced, create-pretty, batch, patch',
      ),
      peers: option('LIST', 'of the services; the first is what ratios are against'),
      redis: flag('measure this service with a Redis against itself without, in place of the peers'),
      workers: flag('measure this service with two workers, too'),
      before: option('DIRECTORY', 'another checkout of this service, measured in place of the peers'),
      starts: flag('measure starts, and the memory after them, instead'),
      short: flag('2 rounds of 1 second: to see that it works, not to compare'),
      counts: flag(
        'count promises, bytes, files and calls of a request instead: exact on a busy machine, too',
      ),
      json: flag('with --counts: print JSON, with the names of the files'),
      readme: flag('write the table of src/engine/lab/bench/README.md again'),
    },
    load: () => import('./bench/run.ts'),
  }),
  'bench:check': leaf({
    text: 'measures the check against Schemathesis, on servers with planted faults',
    more: `Both hold four servers to their documents, without faults and with some: in ten to twenty minutes. Schemathesis is installed
into src/engine/lab/bench/.peers. Results go into test/.output/bench-check.`,
    options: {
      only: option('LIST', 'of the servers: plain, petstore, python, mock'),
      tools: option('LIST', 'of the tools: check, schemathesis'),
      readme: flag('write the table of src/engine/lab/bench/check/README.md again'),
    },
    load: () => import('./bench/check/run.ts'),
  }),
  'test:faults': leaf({
    text: 'breaks what the service stands on, with real parts',
    more: `It prints what became of it. Exit code 1: something was lost, doubled, silent for too long, or answered in another form
than the document's.`,
    options: scenarioOptions,
    load: () => import('./faults/run.ts'),
  }),
  'test:cluster': leaf({
    text: 'restarts and kills the parts of a cluster under load',
    more: `It starts what compose.yaml describes on this machine. Then it kills or stops the primary of PostgreSQL under Patroni, in
about eight minutes. Exit code 1: something was lost, doubled or not exact.`,
    options: {
      ...scenarioOptions,
      kills: option('COUNT', 'how many primaries are struck under Patroni, 1 to 10'),
    },
    load: () => import('./cluster/run.ts'),
  }),
  cluster: leaf({
    text: 'starts three servers behind HAProxy, with PostgreSQL and Redis, on this machine',
    more: `They stand as in compose.yaml, by scripts/production/haproxy.cfg, until Ctrl-C; their data are gone then. HAProxy and Redis
are those of the system, PostgreSQL comes with the install.`,
    options: { port: option('NUMBER', 'where HAProxy listens', { default: '3000' }) },
    load: () => import('./cluster/start.ts'),
  }),
  'test:newcomer': leaf({
    text: 'follows README and its recipes word by word in a clone',
    more: 'It writes fields, operations, a resource, a deprecation, a plan and a release, with the whole check and all tests.',
    options: {
      from: option('REPOSITORY', 'the project that is cloned, as committed', { default: '.' }),
      link: flag("take this project's node_modules instead of installing"),
      untested: flag('leave `npm test` out'),
      keep: flag('leave the clone where it is'),
    },
    load: () => import('./newcomer/run.ts'),
  }),
  'test:lending': leaf({
    text: 'installs the packed package for the lending library, as any team does, and works with it',
    more: `By npm, pnpm and Yarn 1 and 4, each in an empty folder: without the parts that only commands need it tests and starts, then with
all it checks, releases, writes a client and calls by it, and lists the tools of agents. It takes about two minutes.`,
    options: {
      keep: flag('leave the folders where they are'),
      workspace: flag('the library is a package of a workspace'),
      only: option('LIST', 'of the package managers: npm, pnpm, yarn1, yarn4, pnp (Yarn 4 with Plug’n’Play)'),
    },
    load: () => import('./newcomer/lending.ts'),
  }),
  'check:mutants': leaf({
    text: 'proves the check by changes that it must notice',
    more: `It makes small changes of meaning in the document, one at a time. Each is to show in the regenerated service (derived) or
to make the check fail (caught); all others have survived. With --random it proves the tests instead: it puts N small faults
into the code of a folder, one at a time, in a copy, and runs the tests that are nearest to each. Exit code 1: some survived.`,
    options: {
      random: option('N', 'how many faults are put into the code'),
      in: option('FOLDER', 'the code to put them into', { default: 'src/engine' }),
      sample: option('N', 'how many, spread over the kinds of change', { default: '60' }),
      all: flag('every one; takes hours'),
      seconds: option('N', 'begin no further one after so much time'),
      seed: option('N', 'draws another sample', { default: '1' }),
      only: option('TEXT', 'those whose name holds this: a kind of change, a place', { default: '' }),
    },
    load: () => import('./mutants/run.ts'),
  }),
  'try:documents': leaf({
    text: 'takes public documents from their text to answered calls',
    more: 'Each has a process of its own. The documents are not kept here: they come from the repositories in the list.',
    arguments: [publicDocuments],
    options: {
      list: listed,
      table: flag('write the table of the documents'),
      verbose: flag('print failures in full'),
    },
    load: () => import('./trials/documents.ts'),
  }),
  'try:clients': leaf({
    text: 'compiles and calls the clients of public documents',
    more: `A client sends a request of each operation to the mock of its document, and each reply must fit. With --pages the docs page
does so in Chromium with what it fills in. Exit code 1: something does not compile, or was refused.`,
    arguments: [publicDocuments],
    options: {
      list: listed,
      pages: flag('send from the docs pages, too'),
      table: flag('write the table of the documents'),
    },
    load: () => import('./trials/clients.ts'),
  }),
  'try:mocks': leaf({
    text: 'checks the mocks of public documents by the whole check',
    more: `Each mock keeps records, and has a process of its own. The documents come as for try:documents. Exit code 1: the check
found a fault in a mock, or could not look at one.`,
    arguments: [publicDocuments],
    options: {
      list: listed,
      seconds: option('N', 'how long each is checked', { default: '60' }),
      requests: option('N', 'how many requests each gets', { default: '20000' }),
      'at-once': option('N', 'how many are checked at the same time', { default: '1' }),
      table: flag('write the table of the documents'),
      verbose: flag('print each fault with its request, and each silent operation'),
    },
    load: () => import('./trials/mocks.ts'),
  }),
  'try:schemas': leaf({
    text: 'checks validation by files of the JSON Schema Test Suite',
    more: `The suite is not kept here: its repository is json-schema-org/JSON-Schema-Test-Suite. A component of a document refers to
each schema, and its values are judged as bodies are. Exit code 1: a verdict was wrong.`,
    arguments: [{ name: 'DIRECTORY', text: 'as tests/draft2020-12 of the suite', isDirectory: true }],
    options: {
      remotes: option('DIRECTORY', 'the schemas that those of the suite refer to by http://localhost:1234'),
      dialect: option('URI', 'the jsonSchemaDialect of the documents, for files of an older draft'),
      verbose: flag('print each wrong verdict'),
    },
    load: () => import('./trials/schemas.ts'),
  }),
  readme: leaf({
    text: 'writes the tables of operations, settings and figures, and the page of the interface',
    more: 'They come from the document, the code and the kept figures.',
    options: {
      check: flag('write nothing; exit 1 and name the first line that differs'),
      file: option('FILE', 'stands for the page of settings', { default: 'scripts/production/settings.md' }),
    },
    load: () => import('spec-served-cli/internal/readme'),
  }),
}
