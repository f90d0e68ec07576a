import { readdir } from 'node:fs/promises'

/** Where the code stands that answers requests. */
const directories = ['src/handlers', 'src/store', 'src/keys', 'src/engine', 'src/database', 'migrations']

/**
 * Code that the check does not run, as it stands in one process on the embedded database: each with who proves it
 * instead. An entry ends with a slash for all that is below it, and may name a function, after those around it.
 */
const elsewhere: Readonly<Record<string, string>> = {
  'src/engine/docs/': 'the page of the docs: test/docs, in a browser',
  'src/handlers/index.ts': 'nothing but names: the compiler',
  'src/engine/limits/shared-redis.ts': 'counting in Redis: test/http/limits.test.ts',
  'src/database/check-server.ts': 'connections to PostgreSQL: test/database/postgres',
  'src/database/backup.ts': 'copies for operators: test/database/pglite/backup.test.ts',
  'src/database/copy-files.ts': 'copies for operators: test/database/pglite/backup.test.ts',
  'src/database/directory.ts': 'a database in a directory: test/database/pglite',
  'src/database/lock.ts': 'a database in a directory: test/database/pglite',
  'src/database/open.ts': 'a database in a directory, and messages for operators: test/scripts/start.test.ts',
  'src/database/pipeline-dialect.ts': 'connections to PostgreSQL: test/database/postgres',
  'src/database/pool.ts': 'connections to PostgreSQL: test/database/postgres',
  'src/database/shared-connections.ts': 'connections to PostgreSQL: test/database/postgres',
  'src/database/statement-names.ts': 'connections to PostgreSQL: test/database/postgres',
  'src/database/taken-client.ts': 'connections to PostgreSQL: test/database/postgres',
  'src/database/reading-times.ts': 'times foretold to operators: test/database/migrations.test.ts',
  'src/database/template.ts': 'a database in a directory: test/database/pglite',
  'src/database/connect.ts connectPostgres': 'connections to PostgreSQL: test/database/postgres',
  'src/database/connect.ts probeWithin': 'connections to PostgreSQL: test/database/postgres',
  'src/database/migrate.ts migrateDown': 'steps taken back: test/database/migrate.test.ts',
  'src/database/migrate.ts migrationStatus': 'told to operators: test/database/migrate.test.ts',
  'src/engine/requests/alternatives.ts':
    'alternatives, which our document has none of: test/engine/schemas.test.ts',
  'src/engine/requests/multipart.ts':
    'bodies of forms, which our document has none of: test/engine/bodies.test.ts',
  'src/engine/requests/bodies.ts formReader':
    'bodies of forms, which our document has none of: test/engine/bodies.test.ts',
  'src/engine/requests/styles.ts':
    'other styles of parameters than our document has: test/engine/parameters.test.ts',
  'src/engine/requests/pairs.ts deepName':
    'other styles of parameters than our document has: test/engine/parameters.test.ts',
  'src/engine/requests/pairs.ts graft':
    'other styles of parameters than our document has: test/engine/parameters.test.ts',
  'src/engine/requests/pairs.ts pairsReader.grow':
    'other styles of parameters than our document has: test/engine/parameters.test.ts',
  'src/engine/replies/error-filling.ts':
    'errors in the forms of other documents: test/engine/error-forms.test.ts',
  'src/engine/replies/error-forms.ts':
    'errors in the forms of other documents: test/engine/error-forms.test.ts',
  'src/engine/replies/error-words.ts':
    'errors in the forms of other documents: test/engine/error-forms.test.ts',
  'src/engine/memory-parts.ts': 'a service without a store: test/engine',
  'src/keys/seal.ts createSeal.hmac': 'keys sealed with a pepper: test/store/pepper.test.ts',
  'src/keys/seal.ts createSeal.stored': 'keys sealed with a pepper: test/store/pepper.test.ts',
  'src/store/key-seals.ts': 'keys sealed with a pepper: test/store/pepper.test.ts',
  'src/keys/api-key.ts encodable': 'keys in lines of the log: test/http/log.test.ts',
  'src/keys/api-key.ts keyAnywhere': 'keys in lines of the log: test/http/log.test.ts',
  'src/keys/api-key.ts hexPattern': 'keys in lines of the log: test/http/log.test.ts',
  'src/keys/api-key.ts redactKeys': 'keys in lines of the log: test/http/log.test.ts',
  'src/engine/access/security.ts howToSend': 'words of messages: test/engine/security.test.ts',
  'src/engine/access/security.ts credentialName': 'words of messages: test/engine/security.test.ts',
  'src/engine/access/callers.ts createCallers.recall':
    'a server that has more to do than it can: test/http/load.test.ts',
  'src/keys/checker.ts createKeyChecker.recall':
    'a server that has more to do than it can: test/http/load.test.ts',
  'src/engine/plugins/load-shedding.ts': 'a server that has more to do than it can: test/http/load.test.ts',
  'src/engine/connections/': 'connections and their ends: test/http/connections.test.ts',
  'src/engine/replies/cross-origin.ts':
    'browsers of other origins, where they are let in: test/http/browsers.test.ts',
  'src/engine/replies/reply-check.ts':
    'a part of the check and of the tests themselves: test/contract/faults.test.ts',
  'src/engine/replies/reply-checker.ts':
    'a part of the check and of the tests themselves: test/contract/faults.test.ts',
  'src/store/key-cache.ts createLoader': 'how often keys are looked up: test/http/unknown-keys.test.ts',
  'src/store/idempotency.ts removeOldReplies': 'rows that nobody asks for any more: test/http/clock.test.ts',
  'src/store/limits.ts removeEndedWindows': 'rows that nobody asks for any more: test/http/clock.test.ts',
  'src/store/limits.ts removeEndedBans': 'rows that nobody asks for any more: test/http/clock.test.ts',
  'src/store/deprecated-calls.ts removeOldCalls':
    'rows that nobody asks for any more: test/http/clock.test.ts',
  'migrations/0007-key-changes.ts up': 'notes that a later step removes',
  'migrations/0010-limit-notes.ts up': 'notes that a later step removes',
  'src/store/remove.ts': 'rows that nobody asks for any more: test/http/clock.test.ts',
  'src/store/sample.ts': 'the sample store of the first start: test/scripts/start.test.ts',
  ...Object.fromEntries(
    [
      '0001-store',
      '0002-api-keys',
      '0003-idempotency',
      '0004-deprecated-calls',
      '0005-names-and-pages',
      '0006-plans-of-the-document',
      '0007-key-changes',
      '0008-stock-levels',
      '0010-limit-notes',
      '0011-plain-indexes',
      '0012-no-stock-levels',
      '0013-one-write-path',
    ].map(name => [`migrations/${name}.ts down`, 'steps taken back: test/database/migrate.test.ts']),
  ),
  'migrations/0009-index-on-stock-levels.ts':
    'rows and indexes of an earlier step: test/database/migrate.test.ts',
  'migrations/0005-names-and-pages.ts replaceKeys': 'rows of an earlier step: test/database/migrate.test.ts',
  'migrations/0005-names-and-pages.ts freeNames': 'rows of an earlier step: test/database/migrate.test.ts',
  'migrations/0005-names-and-pages.ts batch': 'rows of an earlier step: test/database/migrate.test.ts',
  'migrations/0005-names-and-pages.ts replacePetKeys':
    'rows of an earlier step: test/database/migrate.test.ts',
  'migrations/0005-names-and-pages.ts indexesBefore':
    'rows of an earlier step: test/database/migrate.test.ts',
}

/** Why a part of the code is no business of the check; undefined for all that is. */
export function provenElsewhere(file: string, within: string): string | undefined {
  const place = `${file} ${within}.`
  const entry = Object.keys(elsewhere).find(
    key => key === file || place.startsWith(`${key}.`) || (key.endsWith('/') && file.startsWith(key)),
  )
  return entry && elsewhere[entry]
}

/** The part of the code that a file belongs to: `store`, `engine/limits`, `migrations`. */
export function areaOf(file: string): string {
  const [, first = '', second = ''] = file.split('/')
  if (!file.startsWith('src/')) return 'migrations'
  return first === 'engine' && !second.includes('.') ? `${first}/${second}` : first
}

/** The source files that are changed, in a stable order. */
export async function codeFiles(): Promise<string[]> {
  const found = await Promise.all(
    directories.map(async directory =>
      (await readdir(directory, { recursive: true })).map(name => `${directory}/${name}`),
    ),
  )
  return found
    .flat()
    .filter(name => name.endsWith('.ts'))
    .sort()
}
