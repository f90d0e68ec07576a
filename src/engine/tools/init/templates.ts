import { bearerSchemes } from 'spec-served/internal/callers/scheme'
import { schemesOf } from 'spec-served/internal/callers/security'
import { packageName, version } from 'spec-served/internal/command/project'
import { docsAddresses } from 'spec-served-document/contract/addresses'
import type { Model } from 'spec-served-document/model'
import { plain } from '../texts/escapes.ts'
import { toolsName, versionOf } from '../versions.ts'

/** The service as one word, for names that allow no other characters: of the package, of metrics, in shared stores. */
function nameOf({ document }: Model): string {
  const [name = 'service'] =
    /[a-z][a-z0-9]{0,29}/.exec(document.info.title.toLowerCase().replace(/[^a-z0-9]+/g, '')) ?? []
  return name
}

/** The service as the name of a package: its words with hyphens between them. */
function packageNameOf({ document }: Model): string {
  const words = document.info.title.toLowerCase().match(/[a-z0-9]+/g) ?? ['service']
  return words.join('-').slice(0, 60).replace(/-$/, '')
}

/** The start script, as in this package's own services. It bounds the heap and the young generation, in MiB. */
const start = 'node --disable-sigusr1 --max-old-space-size=1024 --max-semi-space-size=16 src/main.ts'

/** The commands of each day. `npx` runs any other. */
const commands = ['dev', 'generate', 'check', 'add', 'release', 'keys']

/**
 * Returns the word by which a program that goes on takes the place of the script's shell, which would not pass signals on.
 * Yarn passes them on itself, and its shell has no such word, nor has that of Windows.
 */
const inPlace = (isOfYarn: boolean) => (isOfYarn || process.platform === 'win32' ? '' : 'exec ')

const scriptsFor = (isOfYarn: boolean) => ({
  start: `${inPlace(isOfYarn)}${start}`,
  test: 'node --test "test/**/*.test.ts"',
  ...Object.fromEntries(commands.map(name => [name, `${packageName} ${name}`])),
  dev: `${inPlace(isOfYarn)}${packageName} dev`,
})

/**
 * A project's package.json.
 * @param present the text of the one that is there, whose entries stay
 * @param isOfYarn whether Yarn runs its scripts
 */
function packageJson(model: Model, present = '{}', isOfYarn = false): string {
  const there = JSON.parse(present)
  const needed = [
    '@electric-sql/pglite',
    'fastify',
    'kysely',
    ...(bearerSchemes(model).length > 0 ? ['jose'] : []),
  ]
  const dependencies = {
    [packageName]: `^${version}`,
    ...Object.fromEntries(needed.map(name => [name, versionOf(name)])),
    ...there.dependencies,
  }
  // The compiler, and the types that tsconfig.json names. Some package managers show a project only what it names itself.
  const tools = {
    [toolsName]: `^${version}`,
    ...Object.fromEntries(['@types/node', 'typescript'].map(name => [name, versionOf(name)])),
  }
  const description = {
    name: packageNameOf(model),
    version: '0.1.0',
    private: true,
    engines: { node: '>=24' },
    ...there,
    type: 'module', // the project's files are modules, whatever `npm init` has written
    scripts: { ...there.scripts, ...scriptsFor(isOfYarn) },
    dependencies,
    devDependencies: { ...tools, ...there.devDependencies },
  }
  return `${JSON.stringify(description, null, 2)}\n`
}

const compilerOptions = {
  target: 'es2024',
  lib: ['es2024', 'esnext.iterator'],
  module: 'nodenext',
  types: ['node'],
  noEmit: true,
  strict: true,
  noUncheckedIndexedAccess: true,
  exactOptionalPropertyTypes: true,
  erasableSyntaxOnly: true,
  verbatimModuleSyntax: true,
  allowImportingTsExtensions: true,
  resolveJsonModule: true,
  skipLibCheck: true,
}

const server = (name: string) => `import { defineService } from '${packageName}'
import { migrations } from '../migrations/index.ts'
import type { Own } from './handlers/handler.ts'
import { handlers } from './generated/handlers.ts'

/** The service for the document of spec/. */
export default defineService<Own>({
  root: new URL('..', import.meta.url),
  name: '${name}',
  handlers,
  migrations,
  // Checkers of credentials by the names of the security schemes. API keys in a header field need none, nor do bearer
  // tokens, OAuth 2 and OpenID Connect where the settings TOKEN_ISSUER and TOKEN_AUDIENCE are set.
  checkers: {},
})
`

const main = `import { serve } from '${packageName}'

// A failure to load the service names the file of the project.
await serve(async () => (await import('./server.ts')).default)
`

const tables = `import type { Kysely } from 'kysely'
import { type DbOf, type ServiceTables, statementsOn } from '${packageName}'

/** The tables that handlers write and read, each made by a migration: columns by table, as Kysely has them. */
export interface Tables extends ServiceTables {}

export type Database = Kysely<Tables>
/** The database or a transaction in it, for what works in both. */
export type Db = DbOf<Tables>

export const { prepared, finder } = statementsOn<Tables>()
`

const migrations = `import type { Migrations } from '${packageName}'

/** Every migration of the project's tables, in order. A released one is never changed; a new one is added below it. */
export const migrations: Migrations = {}
`

const test = `import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startTest } from '${packageName}/testing'
import type { Own } from '../src/handlers/handler.ts'
import service from '../src/server.ts'

test('the service serves its document, or says what is left to be written', async () => {
  try {
    const { app, close } = await startTest<Own>(service) // \`call\` calls an operation by its operationId
    assert.equal((await app.inject('/openapi.json')).statusCode, 200)
    await close()
  } catch (error) {
    assert.match(String(error), /not written yet|checks/)
  }
})
`

function readme(model: Model): string {
  const { title } = model.document.info
  return `# ${plain(title)}

\`spec/openapi.yaml\` is the contract; [${packageName}](node_modules/${packageName}/README.md) serves it.

\`\`\`sh
npm install && npm run dev
\`\`\`

serves it at <http://localhost:3000${model.basePath}>, with its docs at ${docsAddresses(model).page}. A handler takes the place of its
stub in \`src/handlers\`, SQL goes to \`src/store\`, a table is a migration. \`npm run check\` names what is left,
and \`npx ${packageName} --help\` all commands.
`
}

/** The settings by which the server checks tokens; undefined where the document takes none. */
function tokenSettings(model: Model): string | undefined {
  const names = bearerSchemes(model)
  if (names.length === 0) return undefined
  const schemes = schemesOf(model).filter(({ name }) => names.includes(name))
  const [discovery] = schemes.flatMap(({ scheme }) => scheme.openIdConnectUrl ?? [])
  const [login = ''] = schemes.flatMap(({ scheme: { flows = {} } }) =>
    Object.values(flows).flatMap(({ tokenUrl, authorizationUrl }) => tokenUrl ?? authorizationUrl ?? []),
  )
  const issuer =
    discovery?.replace(/\/\.well-known\/openid-configuration$/, '') ??
    URL.parse(login)?.origin ??
    'https://login.example'
  const { url = '' } = model.document.servers?.[0] ?? {}
  return `# The document takes bearer tokens (${names.join(', ')}). Copy this file to .env, and name who issues them: the server then
# checks JSON Web Tokens itself. Without these settings a checker in src/server.ts does so. All: npm start -- --help
# The issuer, as tokens name it in iss:
TOKEN_ISSUER=${issuer}
# This service, as tokens name it in aud:
TOKEN_AUDIENCE=${URL.canParse(url) ? url : 'https://api.example'}
# The claim with the scopes:
TOKEN_SCOPE_CLAIM=scope
`
}

/** The types of handlers, as they stand in each project. */
export const handlerTypes = `import type * as engine from '${packageName}'
import type { operations as facts } from '../generated/operations.ts'
import type { components, operations } from '../generated/schema.ts'
import type { Tables } from '../store/tables.ts'

export interface Own {
  operations: operations
  facts: typeof facts
  components: components
  tables: Tables
}

export type OperationId = engine.OperationIdOf<Own>
export type Reply<Id extends OperationId> = engine.Reply<Own, Id>
export type Handlers = engine.Handlers<Own>

/**
 * Handles one operation. It knows nothing of HTTP except the declared statuses.
 * \`Handler<'getUsage', 'limits' | 'caller'>\` uses those two tools. Its callers need no others.
 */
export type Handler<Id extends OperationId, Uses extends engine.ToolName<Own, Id> = 'db'> = engine.Handler<
  Own,
  Id,
  Uses
>
`

/**
 * The files of a project beside its document and what is generated from it.
 * @param there the texts of files that are there already, whose entries stay
 */
export function projectFiles(
  model: Model,
  there: Readonly<Record<'packageJson' | 'gitignore', string | undefined>> & { isOfYarn: boolean },
): Map<string, string> {
  const tokens = tokenSettings(model)
  return new Map([
    ['package.json', packageJson(model, there.packageJson, there.isOfYarn)],
    [
      'tsconfig.json',
      `${JSON.stringify({ compilerOptions, include: ['src', 'migrations', 'test'] }, null, 2)}\n`,
    ],
    ['.gitignore', `${there.gitignore ?? ''}node_modules\ndata\n.env\n`],
    ...(tokens === undefined ? [] : [['.env.example', tokens] as const]),
    ['README.md', readme(model)],
    ['migrations/index.ts', migrations],
    ['src/main.ts', main],
    ['src/server.ts', server(nameOf(model))],
    ['src/handlers/handler.ts', handlerTypes],
    ['src/store/tables.ts', tables],
    ['test/service.test.ts', test],
  ])
}
