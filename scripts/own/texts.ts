import { existsSync } from 'node:fs'
import { join } from 'node:path/posix'
import type { Model } from '../../src/document/model.ts'
import { schemesOf } from '../../src/engine/access/security.ts'
import { docsAddresses } from '../../src/engine/docs/addresses.ts'

/** The service as one word, for names that allow no other characters: of the package, of metrics, in shared stores. */
export function nameOf({ document }: Model): string {
  const [name = 'service'] =
    /[a-z][a-z0-9]{0,29}/.exec(document.info.title.toLowerCase().replace(/[^a-z0-9]+/g, '')) ?? []
  return name
}

const tradeTables = `/** The tables of the trade: those that handlers write and read, each made by a step in \`migrations/\`. */
export type TradeTables = Record<never, never>
`

const sample = `import type { Database } from '../database/tables.ts'

/**
 * Fills a database in which nothing was ever stored.
 * @returns whether it did
 */
export async function loadSample(_db: Database): Promise<boolean> {
  return false
}
`

/** What the document shows of each table. @param hasKeys whether that is API keys, by the handlers that are there */
export const shownTables = (hasKeys: boolean) => `import type { ShownTable } from './database.ts'

/** Each table of the database, and what the document shows of it; a text where it shows nothing: the reason. */
export const tables: Readonly<Record<string, ShownTable | string>> = {
${
  hasKeys
    ? `  api_keys: {
    schemas: ['ApiKey'],
    hidden: { hash: 'a secret’s', previous_hash: 'a secret’s' },
    named: { 'ApiKey.previousSecretExpiresAt': 'previous_expires_at' },
    open: ['plan', 'scopes'],
  },`
    : `  api_keys: 'told by \`npm run keys\`',`
}
  idempotent_replies: 'whole replies, as they were sent',
  limit_windows: 'counts of callers, told in header fields',
  address_bans: 'bans of addresses, told by refusals',
  deprecated_calls: 'counts, told by \`npm run deprecations\`',
}
`

function readme(model: Model): string {
  const { title, description = '' } = model.document.info
  const [about = ''] = description.trim().split(/\n\s*\n/)
  const read = model.operations.find(({ method, path }) => method === 'GET' && !path.includes('{'))
  const docs = docsAddresses(model).page
  const hasKeys = schemesOf(model).some(({ scheme }) => scheme.type === 'apiKey' && scheme.in === 'header')
  const keys = ` API keys in a header field are checked
   already: \`npm run keys -- create --name NAME\` makes one, and the first lies in \`data/api-key\`.`
  return `# ${title}
${about === '' ? '' : `\n${about}\n`}
\`spec/openapi.yaml\` is the contract. TypeScript on Node 24, Fastify, Kysely, and PostgreSQL, embedded or real.

## Run it

\`\`\`sh
npm ci && npm run dev
\`\`\`

serves the document at once: an operation whose handler is still to be written answers from the document, marked
\`X-Mock: true\`, and any credential is right. The docs are at <http://localhost:3000${docs}>.
${read ? `\n\`\`\`sh\ncurl -i "http://localhost:3000${read.path}"\n\`\`\`\n` : ''}
## Write it

1. **A handler** takes the place of its stub in \`src/handlers\`; a status or a body that the document does not declare does
   not compile. SQL goes to \`src/store\`.
2. **A table** is a step in \`migrations/\`, listed in \`migrations/index.ts\`, with its columns in \`src/database/trade-tables.ts\`. What
   the document shows of it stands in \`scripts/contract/tables.ts\`.
3. **Credentials** are checked in \`src/checkers.ts\`, by the name of the security scheme.${hasKeys ? keys : ''}
4. \`npm run check\` names what is left, with file and line, and fails while anything is; then \`npm start\` starts.
5. **The document comes first** from then on: change it, run \`npm run generate\`, and \`tsc\` and the check name what is missing.
   \`npm run release\` freezes it for clients. Limits, header fields and refusals are added by \`npm run add-limits\`.

[spec](spec/README.md), [src](src/README.md) and [scripts](scripts/README.md) say more.

## Operations

<!-- operations -->
<!-- /operations -->

## Settings

<!-- settings -->
<!-- /settings -->
`
}

/** The files that are written anew. */
export const newTexts = (model: Model) =>
  new Map([
    ['README.md', readme(model)],
    ['src/database/trade-tables.ts', tradeTables],
    ['src/store/sample.ts', sample],
  ])

/**
 * The project's name and commands, of `package.json` or `package-lock.json`.
 * @param isThere tells whether there is a file; a command without its own goes
 */
export function withName(
  json: string,
  name: string,
  { info }: Model['document'],
  isThere: (file: string) => boolean,
): string {
  const value = JSON.parse(json)
  value.name = name
  if (value.packages) value.packages[''].name = name
  if (value.scripts) value.description = info.title
  for (const [command, line] of Object.entries<string>(value.scripts ?? {})) {
    const [, file] = /^node (\S+\.ts)/.exec(line) ?? []
    if (file !== undefined && !isThere(file)) delete value.scripts[command]
  }
  return `${JSON.stringify(value, null, 2)}\n`
}

/**
 * A text in Markdown without links to files that are not there: rows of tables and items of lists that have one go, and
 * elsewhere its words stay.
 * @param file where the text stands, from the root of the project
 */
export function withoutDeadLinks(text: string, file: string): string {
  const isDead = (target: string) =>
    !/^[a-z]+:|^#/.test(target) && !existsSync(join(file, '..', target.split('#')[0] ?? ''))
  const link = /!?\[([^\]]*)\]\(([^)\s]+)\)/g
  const lines = text.split('\n').flatMap(line => {
    const alive = line.replaceAll(link, (whole, words, target) => {
      if (!isDead(target)) return whole
      return whole.startsWith('!') ? '' : words
    })
    return alive !== line && /^\s*(\||[-*] |\d+\. )/.test(line) ? [] : [alive]
  })
  return lines.join('\n')
}
