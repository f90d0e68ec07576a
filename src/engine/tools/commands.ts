import { flag, option, overlayOption, rootOption, today } from 'spec-served/internal/command/arguments'
import { type Command, leaf } from 'spec-served/internal/command/command'
import { ownDirectory, ownDocument } from 'spec-served/internal/command/project'
import { rootWith } from 'spec-served/internal/command/tree'
import { operatorCommands } from 'spec-served/internal/operate/tree'

const spec = option('FILE', 'the document', { default: ownDocument })
const overlay = overlayOption

/** The options of `check:contract`. */
export const contractOptions = {
  seed: option('N', 'draws other requests'),
  now: option('DATE-TIME', 'the time of the service', { default: new Date().toISOString() }),
  operation: option('ID', 'only this operation; more by several', { multiple: true }),
  bail: flag('stops at the first fault'),
  url: option('URL', 'where the service runs'),
  spec: option('FILE', `the document (default: ${ownDocument})`),
  overlay: overlayOption,
  root: rootOption,
  auth: option(
    'NAME=VALUE',
    'a credential, by its security scheme; NAME alone takes the value of the variable NAME; a scheme again begins another caller',
    { multiple: true },
  ),
  'auth-file': option('FILE', 'the same, a line each'),
  'key-file': option(
    'FILE',
    'a credential for any scheme a line; the first that an operation lets in is used',
  ),
  key: option(
    'KEY',
    'a credential for any scheme, which others on this machine can see in the list of processes',
    {
      multiple: true,
    },
  ),
  yes: flag('lets it create, change and remove records, and does not ask'),
  writes: flag('the same as --yes'),
  'read-only': flag('sends only GET, HEAD and OPTIONS'),
  examples: option(
    'FILE',
    'data that is there already: values by path parameter, parts of requests by operationId',
  ),
  requests: option('N', 'how many requests it sends at most', { default: '100000' }),
  strict: flag('fails if an operation never answered with a success'),
  reporter: option('FORM', 'the form of the report', {
    default: 'text',
    choices: ['text', 'json', 'junit'],
  }),
} as const

/** Commands that work on the document and on the code around it. */
const documentCommands: Readonly<Record<string, Command>> = {
  init: leaf({
    text: 'makes a project from a document, or with a new one',
    example: 'init openapi.yaml',
    usages: ['FILE [OPTIONS]', '--new TITLE [OPTIONS]'],
    more: `It stands in this folder: the document in spec/, a handler to be written for each operation, an embedded
database, and types. \`npm run dev\` serves it at once. The folder may have nothing but the document and what npm and git keep.`,
    arguments: [
      { name: 'FILE', text: 'OpenAPI 3.0 to 3.2 in YAML or JSON, with the files that it refers to' },
    ],
    options: {
      spec: option('FILE', 'the document, in place of the argument'),
      new: option('TITLE', 'writes a small document with this title, where there is none yet'),
      limits: flag('adds plans, API keys, header fields and refusals to the document where it lacks them'),
    },
    load: () => import('./init.ts'),
  }),
  dev: leaf({
    text: 'serves the document while it is worked on',
    example: 'dev --no-types',
    more: `On each change of spec/, src/ and migrations/ it generates and starts the server again, and the compiler checks
types beside it. Faults are shown here; those of the document and of types on the docs page too, which reloads itself.
Operations whose handler is not written answer from the document; security schemes that nobody checks take any credential.`,
    options: { 'no-types': flag("leaves types to the editor, which saves the compiler's work") },
    load: () => import('./dev.ts'),
  }),
  generate: leaf({
    text: 'writes types, facts and stubs from the document',
    example: 'generate --check',
    more: `For the service's own document it also writes a stub for each operation that has no handler, and the table of
handlers, and names the handlers whose operation is gone.`,
    options: {
      check: flag('writes nothing; exits with 1 and names the first difference if the files are not current'),
      spec,
      overlay,
      out: option('DIRECTORY', `where the files go; without it ${ownDirectory}`),
    },
    load: () => import('./generate.ts'),
  }),
  lint: leaf({
    text: 'says what it reads of the document, and names its faults',
    example: 'lint openapi.yaml',
    more: 'A document without x-rate-limits was not written by these rules, and is only read. Comments and layout stay.',
    arguments: [{ name: 'FILE' }],
    options: {
      spec,
      overlay,
      fix: flag('writes the fixes that are safe to apply, and names each'),
    },
    isData: true,
    load: () => import('./lint-spec.ts'),
  }),
  add: leaf({
    text: 'writes an operation into the document',
    example: 'add GET /books/{bookId} --reply Book',
    more: `It has all that the rules ask for. Then come the types, the table of operations, and a handler that is still to be
written (\`npm run check\` fails until it is). The operations at the nearest paths supply what is not said.
With --resource it writes five operations on records of one kind, which the schema NewNAME describes as they are sent, and
the code that keeps them: a migration, a table, its statements and the handlers.`,
    usages: ['METHOD PATH [OPTIONS]', '--resource NAME [--tag TAG]'],
    arguments: [{ name: 'METHOD', choices: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] }, { name: 'PATH' }],
    options: {
      id: option('NAME', 'operationId; without it by method and path'),
      tag: option('TAG', 'its tag'),
      summary: option('TEXT', 'what it does, in a few words'),
      description: option('TEXT', 'the same in full'),
      reply: option('SCHEMA', 'what a success shows'),
      body: option('SCHEMA', 'what is sent (POST, PUT, PATCH)'),
      list: flag('the reply is a list of --reply, in pages'),
      versioned: flag('the record has a strong ETag, which If-Match guards'),
      scope: option('SCOPE', 'read, write or admin'),
      stability: option('WORD', 'stable, beta or experimental'),
      refusal: option('STATUS=NAME', 'one more refusal, as 409=PetInUse; more by several', {
        multiple: true,
      }),
      resource: option('NAME', 'a kind of records, as Supplier: the document has the schema NewSupplier'),
    },
    load: () => import('./add.ts'),
  }),
  deprecate: leaf({
    text: 'writes the end of an operation into the document',
    example: 'deprecate listBooks --sunset 2099-01-01 --successor searchBooks',
    more: `It writes dates, what replaces the operation, the headers that announce the end and the answer 410; then the types and
the table of operations. Of a deprecated operation it changes the date or the successor.`,
    arguments: [{ name: 'OPERATION', text: 'its operationId' }],
    options: {
      sunset: option(
        'DATE',
        'the day from which on it answers 410, YYYY-MM-DD; without it the command says the first that may be',
      ),
      successor: option('OPERATION', 'the operation that replaces it'),
      'successor-url': option('PATH', 'where that is, as /pets?ids={petId}'),
      since: option('DATE', 'the day from which on it is deprecated', { default: today() }),
    },
    load: () => import('./deprecate.ts'),
  }),
  vendor: leaf({
    text: 'saves the files on the network that the document refers to',
    example: 'vendor --host api.example',
    more: `They stand in the folder vendor beside the document. All commands then read these copies, and fetch nothing. Run it again to
replace them.`,
    options: {
      spec,
      host: option('HOST', 'a host from which files are taken, with its port; more by several', {
        multiple: true,
      }),
    },
    isData: true,
    load: () => import('./vendor.ts'),
  }),
  release: leaf({
    text: 'freezes the document as the contract of its version',
    example: 'release --version 1.1.0',
    more: `Later ones are judged against it. It adds what changed for clients to the CHANGELOG.md beside it. Unless --released names
another place, it also adds what changed for operators to CHANGELOG.md, and writes the version into package.json. Exit code 1:
the version is not bumped as the changes ask for.`,
    options: {
      version: option('X.Y.Z', 'write this version into the document first (generate again then)'),
      spec,
      released: option('DIRECTORY', 'where releases are', { default: 'spec/released' }),
      now: option('DATE', 'the day of the release, YYYY-MM-DD', { default: today() }),
    },
    isData: true,
    load: () => import('./release.ts'),
  }),
}

/** Commands that serve a document, or call it. */
const uses: Readonly<Record<string, Command>> = {
  mock: leaf({
    text: 'serves a document with nothing behind it',
    example: 'mock --spec openapi.yaml --port 4010',
    more: `It takes OpenAPI 3.0 to 3.2. It begins with the records of the document's examples, and keeps in memory what clients make,
change and remove. All else is answered with the document's example, or a value of its schema. What the document does not
allow is refused. POST /__reset brings the records of the start back. Clients choose with the header field Prefer: code=404,
example=NAME, dynamic=true, delay=MS. Pages of all origins may call it, or those of CORS_ORIGINS.`,
    options: {
      spec,
      overlay,
      root: rootOption,
      port: option('PORT', 'where it listens; else the variable PORT says so, or it is 4010'),
      host: option('HOST', 'on which address', { default: '127.0.0.1' }),
      stateless: flag('every reply is an example; nothing is kept'),
      watch: flag('serves the document again when its files change; records begin as at the start'),
      seed: option('FILE', 'the records at the start, as JSON by collection: { "/pets": [{ "id": 1, … }] }'),
      credential: option(
        'TEXT',
        'the only credential that is right, besides those that the mock issues; else any is',
      ),
      'base-path': option('PATH', 'where the operations are, as /api/v3; default: as the first server says'),
      latency: option('MS', 'the wait before each reply, in ms: 300, or from 200-800'),
      errors: option('SHARE', 'the share of valid requests that fail with a 5xx, as 0.05'),
      webhooks: option('URL', 'where webhooks are sent, and callbacks whose address is at the same origin'),
    },
    load: () => import('./mock.ts'),
  }),
  mcp: leaf({
    text: 'gives a local agent the operations of a document as tools',
    example: 'mcp --url https://api.example/v1 --read-only',
    more: `It does so by the Model Context Protocol on stdin and stdout. It calls the service at a URL or, without one, mocks. The
variable API_KEY holds the credential of all calls.`,
    options: {
      spec: option('FILE', `the document; by default the one of the service at the URL, or ${ownDocument}`),
      overlay,
      root: rootOption,
      url: option('URL', 'the base URL of the operations, such as https://api.example/v1'),
      tools: option('LIST', 'tags and operations to offer, separated by commas; by default all'),
      'read-only': flag('offers only operations that read'),
      key: option('KEY', 'the credential in the place of API_KEY; others on this machine can see it'),
    },
    load: () => import('./mcp.ts'),
  }),
  client: leaf({
    text: 'writes an npm package for clients',
    example: 'client --out client',
    more: `It has the types of an OpenAPI document (3.0 to 3.2), and a client that writes requests as the document says, retries by
Retry-After, sends Idempotency-Keys, goes through pages, and tells errors apart by their codes.`,
    options: {
      out: option('DIRECTORY', 'where the package goes; what is there of the same name is written over'),
      spec,
      overlay,
      root: rootOption,
      name: option('NAME', "of the package; without it from the document's title"),
      dates: flag('dates and times are values of Date, and not texts'),
      int64: option('TYPE', 'whole numbers of 64 bits are of this type, and not rounded to numbers', {
        choices: ['bigint', 'string'],
      }),
    },
    load: () => import('./client.ts'),
  }),
  docs: leaf({
    text: 'writes the docs page as files that any host serves',
    example: 'docs --out public',
    more: `These are the page, the document and the Markdown for agents. Their addresses are relative, so that they may stand below any
path. The page calls the servers that the document names; those must let pages of other origins call them (CORS). It replaces
only files that it wrote itself, and lists them in spec-served-docs.json.`,
    options: {
      out: option('DIRECTORY', 'where the files go'),
      spec,
      overlay,
      root: rootOption,
      server: option('URL', 'where the service runs, in place of the servers of the document'),
    },
    isData: true,
    load: () => import('./docs.ts'),
  }),
  'check:contract': leaf({
    text: 'checks that a service, also one that runs at a URL, matches its document',
    example: 'check:contract --url http://localhost:3000 --spec openapi.yaml',
    more: `It runs the service on an empty database and checks every reply by the document, with requests made from the
document alone. Another seed draws other requests; seed and time, printed with a fault, bring the same ones back. While
handlers are still to be written, and for a document that is not checked by all rules, each operation is only called as the
document allows and as it does not.
With --url it asks a service that is running, whatever it is written in, and needs no project. It asks only for what the
document promises. Nobody else should write to the service meanwhile. What needs a clock, an empty database, a restart or
settings is left out, and the summary says so. The variable API_KEY holds the credential, unless options do.`,
    options: contractOptions,
    isData: true,
    load: () => import('./check-contract.ts'),
  }),
}

/** Commands that check that the code, or a running service, matches the document. */
const checks: Readonly<Record<string, Command>> = {
  check: leaf({
    text: 'checks that code and document agree',
    example: 'check --fast',
    more: `It runs all checks of a commit side by side, and shows what fails. With --url it does what check:contract
does with it, and takes its options.`,
    options: { fast: flag('leaves out the steps that start a service or a database'), ...contractOptions },
    isData: true,
    load: async () => ({
      run: async values =>
        values.url === undefined
          ? (await import('./check.ts')).run(values)
          : (await import('./check-contract.ts')).run(values),
    }),
  }),
  'check:breaking': leaf({
    text: 'says what changes of the document mean for clients',
    example: 'check:breaking --base-ref main',
    more: `Exit code 1: some break, or the version is not bumped as they ask for. A breaking change that is meant is accepted by
the release of a new major version.`,
    options: {
      base: option('FILE', 'the document before; without it the newest of spec/released'),
      'base-ref': option('GITREF', 'the document of the same path at this commit, branch or tag'),
      spec,
      format: option('FORM', 'the form of the findings', {
        default: 'text',
        choices: ['text', 'json', 'github'],
      }),
      now: option('DATE', 'the day on which sunsets are checked, YYYY-MM-DD', { default: today() }),
    },
    isData: true,
    load: () => import('./check-breaking.ts'),
  }),
  'check:database': leaf({
    text: 'checks that a migrated, empty database fits the document',
    example: 'check:database',
    more: 'Each migration must keep no caller of the release before waiting, and leave it what it uses.',
    isData: true,
    load: () => import('./check-database.ts'),
  }),
  'check:routes': leaf({
    text: 'names routes, and tools of agents, that differ from the document',
    example: 'check:routes',
    isData: true,
    load: () => import('./check-routes.ts'),
  }),
  'check:written': leaf({
    text: 'names what is left to be written',
    example: 'check:written',
    more: 'This is each handler that has a stub only, and each security scheme whose credentials nobody checks.',
    isData: true,
    load: () => import('./check-written.ts'),
  }),
}

/** The program with all its commands. */
export const root: Command = rootWith({
  commands: { ...documentCommands, ...uses, ...checks, ...operatorCommands },
  groups: {
    'Begin and write': ['init', 'dev', 'add', 'generate', 'deprecate', 'vendor'],
    Check: Object.keys({ lint: 0, ...checks, 'check:contract': 0 }),
    'Use the document': ['mock', 'client', 'docs', 'mcp', 'release'],
    'Operate the service': Object.keys(operatorCommands),
  },
})
