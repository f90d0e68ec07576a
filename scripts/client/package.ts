import { readFile } from 'node:fs/promises'
import ts from 'typescript'
import { type Model, modelOf } from '../../src/document/model.ts'
import type { OpenApi, Schema } from '../../src/document/types.ts'
import type { GeneratedFiles } from '../document/emit.ts'
import { factsOf } from '../document/facts.ts'
import { codesOf } from '../document/nodes.ts'
import { schemaTypes } from '../document/schema-types.ts'

/**
 * Writes a package for clients of a document: its types, in which each operation's errors have the codes that it can be
 * refused with, and a client that retries, repeats safely and follows pages.
 * @param name of the package; by default the document's title
 */
export async function clientPackage(model: Model, name = nameFor(model.document)): Promise<GeneratedFiles> {
  const { document } = model
  const source = await readFile(new URL('client.ts', import.meta.url), 'utf8')
  const { devDependencies } = JSON.parse(await readFile('package.json', 'utf8'))
  const description = {
    name,
    version: /^\d+\.\d+\.\d+/.test(document.info.version) ? document.info.version : '0.0.0',
    description: `A client for ${document.info.title}`,
    type: 'module',
    exports: { '.': { types: './index.d.ts', default: './index.js' } },
    dependencies: { 'openapi-fetch': devDependencies['openapi-fetch'] },
  }
  const index = indexFor(model)
  return new Map([
    ['package.json', `${JSON.stringify(description, null, 2)}\n`],
    ['README.md', readmeFor(model, name)],
    ['schema.d.ts', await schemaTypes(withCodes(document), 'clients')],
    ['client.js', scriptOf(source)],
    ['client.d.ts', declarationsOf('client.ts', source)],
    ['index.js', scriptOf(index).replaceAll(`'./client.ts'`, `'./client.js'`)],
    ['index.d.ts', declarationsOf('index.ts', index).replaceAll(/'\.\/(client|schema)\.ts'/g, `'./$1.js'`)],
  ])
}

function nameFor({ info }: OpenApi): string {
  const words = info.title.toLowerCase().match(/[a-z0-9]+/g) ?? ['api']
  return [...words, 'client'].join('-')
}

/** The document, in which the body of each response has the codes that the response names. */
function withCodes(document: OpenApi): OpenApi {
  const changed = structuredClone(document)
  for (const response of new Set(modelOf(changed).operations.flatMap(one => [...one.responses.values()]))) {
    const codes = codesOf(response)
    const code: Schema = {
      type: 'object',
      required: ['code'],
      properties: { code: { type: 'string', enum: [...codes] } },
    }
    for (const media of codes.length > 0 ? Object.values(response.content ?? {}) : [])
      if (media.schema) media.schema = { allOf: [media.schema, code] }
  }
  return changed
}

function indexFor(model: Model): string {
  const facts = factsOf(model)
  const repeatable = model.operations
    .filter(({ id }) => facts.get(id)?.repeatable)
    .map(({ method, path }) => `${method} ${path}`)
  return `import { type Client, connect, type Options } from './client.ts'
import type { paths } from './schema.ts'

export { need, type Options, RequestFailed, type Retry } from './client.ts'
export type * from './schema.ts'

/** A client for ${model.document.info.title.replaceAll('*/', '')}, version ${model.document.info.version}. */
export function createClient(options: Options): Client<paths> {
  return connect<paths>({ repeatable: ${JSON.stringify(repeatable)} }, options)
}
`
}

const compilerOptions = {
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.ESNext,
  isolatedDeclarations: true,
}

const scriptOf = (text: string) => ts.transpileModule(text, { compilerOptions }).outputText

function declarationsOf(fileName: string, text: string): string {
  const { outputText, diagnostics = [] } = ts.transpileDeclaration(text, {
    fileName,
    compilerOptions,
    reportDiagnostics: true,
  })
  const [fault] = diagnostics
  if (fault) throw new Error(ts.flattenDiagnosticMessageText(fault.messageText, '\n'))
  return outputText
}

function readmeFor({ basePath, document, operations }: Model, name: string): string {
  const list = operations.find(({ method, path }) => method === 'GET' && !path.includes('{'))?.path ?? '/'
  return `# ${name}

A client for ${document.info.title}, written from its OpenAPI document.

\`\`\`ts
import { createClient, need, RequestFailed } from '${name}'

const client = createClient({ baseUrl: 'https://…${basePath}', headers: { /* your credential */ } })
const reply = await client.GET('${list}')
if (reply.error) console.log(reply.error) // of each operation, the errors that it declares
else console.log(reply.data)
\`\`\`

- \`need(reply)\` gives the data, or throws \`RequestFailed\` with code, status and request id.
- \`for await (const item of client.items('${list}'))\` goes through all pages of a list.
- Requests are sent again when \`Retry-After\` says, or where that is safe; \`maxRetries\`, \`maxWaitMs\` and \`onRetry\` are options.
- Operations that take an \`Idempotency-Key\` get one with each call, unless you send your own.
`
}
