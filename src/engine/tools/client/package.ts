import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { codesOf, type Model, modelOf, type OperationModel, typesIn } from 'spec-served-document/model'
import { commentText, stringLiteral, valueLiteral } from 'spec-served-document/reading/literals'
import type { OpenApi, Parameter, Schema } from 'spec-served-document/types'
import { createSchemas } from 'spec-served-document/values/schemas'
import ts from 'typescript'
import type { GeneratedFiles } from '../generate/emit.ts'
import { schemaTypes } from '../generate/schema-types.ts'
import { type ValueTypes, valueKind } from '../generate/value-types.ts'
import { sampler } from '../samples/samples.ts'
import { compilerOptions, declarationsOf } from '../texts/declarations.ts'
import { code, plain } from '../texts/escapes.ts'
import { clientFacts } from './operations.ts'

/**
 * Writes a package for clients of a document. Its types give each operation the error codes that it can be refused
 * with. Its client retries, repeats safely and follows pages.
 * @param name of the package; by default the document's title
 * @param types of values that are no plain JSON
 */
export async function clientPackage(
  model: Model,
  name = nameFor(model.document),
  types: ValueTypes = {},
): Promise<GeneratedFiles> {
  const { document } = model
  const description = {
    name,
    version: versionOf(document.info.version),
    description: `A client for ${document.info.title}`,
    type: 'module',
    exports: { '.': { types: './index.d.ts', default: './index.js' } },
  }
  const sources = modules.map(
    async (module): Promise<[string, string]> => [basename(module), await readFile(sourceOf(module), 'utf8')],
  )
  const compilable = [...(await Promise.all(sources)), ['index', indexFor(model, types)] as const]
  return new Map([
    ['package.json', `${JSON.stringify(description, null, 2)}\n`],
    ['README.md', readmeFor(model, name, types)],
    ['schema.d.ts', await schemaTypes(withCodes(document), 'clients', types)],
    ...(await fetchFiles()),
    ...compilable.flatMap(([module, text]): [string, string][] => [
      [`${module}.js`, compiled(scriptOf(text))],
      [`${module}.d.ts`, compiled(declarationsOf(`${module}.ts`, text))],
    ]),
  ])
}

/** The modules that a client is made of. */
const modules = [
  ...['client', 'places', 'sequences'].map(name => `spec-served/internal/client/${name}`),
  'spec-served-document/formats/writing',
]

/** Returns the source of a module, which is packed beside what is compiled. */
const sourceOf = (module: string) => new URL(import.meta.resolve(module).replace(/\.js$/, '.ts'))

/** Replaces the names of modules by those in the package. */
const compiled = (text: string) =>
  text
    .replaceAll(
      /'\.\/(\w+)\.ts'|'spec-served[\w-]*\/[\w/]+\/(\w+)'/g,
      (_, beside, other) => `'./${beside ?? other}.js'`,
    )
    .replaceAll(`'openapi-fetch'`, `'./openapi-fetch.js'`)

/**
 * Returns the files of openapi-fetch, which become part of the package. npm does not install the dependencies of a
 * package that it links as a folder.
 */
async function fetchFiles(): Promise<[string, string][]> {
  const entry = fileURLToPath(import.meta.resolve('openapi-fetch'))
  const helpers = createRequire(entry).resolve('openapi-typescript-helpers')
  const files = {
    'openapi-fetch.js': entry,
    'openapi-fetch.d.ts': entry.replace(/\.mjs$/, '.d.mts'),
    'openapi-typescript-helpers.d.ts': join(dirname(helpers), 'index.d.mts'),
    'openapi-fetch.LICENSE': join(dirname(entry), '../LICENSE'),
  }
  const texts = Object.entries(files).map(async ([name, file]): Promise<[string, string]> => {
    const text = await readFile(file, 'utf8')
    return [
      name,
      text
        .replaceAll(`'openapi-typescript-helpers'`, `'./openapi-typescript-helpers.js'`)
        // Its marks are not used here, and without them it would take dates, bytes and tuples apart.
        .replace(/^type (Readable|Writable)<T> = .*?^\} : T;\n/gms, 'type $1<T> = T;\n')
        .replace(/^\/\/# sourceMappingURL=.*\n?/m, ''),
    ]
  })
  return Promise.all(texts)
}

/** A version as npm has them (Semantic Versioning 2.0.0): the document's own, or the first three numbers in it. */
function versionOf(version: string): string {
  if (/^((0|[1-9]\d{0,14})(\.|(?=-|$))){3}(-[a-z]+(\.(0|[1-9]\d*))*)?$/i.test(version)) return version
  const numbers = (version.match(/\d+/g) ?? []).map(Number)
  return [0, 1, 2].map(i => (Number.isSafeInteger(numbers[i]) ? numbers[i] : 0)).join('.')
}

function nameFor({ info }: OpenApi): string {
  const words = info.title.toLowerCase().match(/[a-z0-9]+/g) ?? ['api']
  return [...words, 'client'].join('-')
}

/** The document, in which the body of each response has the codes that the response names. */
function withCodes(document: OpenApi): OpenApi {
  const changed = structuredClone(document)
  for (const response of new Set(
    modelOf(changed).operations.flatMap(operation => [...operation.responses.values()]),
  )) {
    const codes = codesOf(response)
    const body: Schema = {
      type: 'object',
      required: ['code'],
      properties: { code: { type: 'string', enum: [...codes] } },
    }
    for (const media of codes.length > 0 ? Object.values(response.content ?? {}) : [])
      if (media.schema) media.schema = { allOf: [media.schema, body] }
  }
  return changed
}

function indexFor(model: Model, types: ValueTypes): string {
  const { title, version } = model.document.info
  return `import { type Client, connect, type Options } from 'spec-served/internal/client/client'
import type { paths } from './schema.ts'

export { need, type Options, RequestFailed, type Retry } from 'spec-served/internal/client/client'
export { type ServerSentEvent, StreamCut } from 'spec-served/internal/client/sequences'
export { PathRefused } from './writing.ts'
export type * from './schema.ts'

/** A client for ${commentText(`${title}, version ${version}`)}. */
export function createClient(options: Options): Client<paths> {
  return connect<paths>(${valueLiteral(clientFacts(model, types))}, options)
}
`
}

const scriptOf = (text: string) => ts.transpileModule(text, { compilerOptions }).outputText

function readmeFor(model: Model, name: string, types: ValueTypes): string {
  const { basePath, document, operations } = model
  const list = operations.find(operation => operation.method === 'GET' && isList(model, operation))
  return `# ${name}

A client for ${plain(document.info.title)}, written from its OpenAPI document.

\`\`\`ts
import { createClient } from ${stringLiteral(name)}

const client = createClient({ baseUrl: ${stringLiteral(`https://…${basePath}`)}, headers: { /* your credential */ } })
const reply = await ${exampleCall(model, types)}
if (reply.error) console.log(reply.error) // of each operation, the errors that it declares
else console.log(reply.data)
\`\`\`

- Each call has the same options: \`path\`, \`query\`, \`header\` and \`cookie\` for the parameters of the operation, \`body\`,
  \`headers\` for further header fields, and those of \`fetch\`, such as \`signal\`. An option that does not exist throws a
  \`TypeError\`, and nothing is sent.
- \`reply.error\` is there for each status but 2xx. It is a \`RequestFailed\` where the reply has no body.
- \`need(reply)\` gives the data, or throws \`RequestFailed\` with code, status and request id.
${list ? `- ${code(`for await (const item of client.items(${argumentsOf(model, list, types)}))`)} goes through all pages of a list.\n` : ''}- Requests are written as the document says: styles of parameters, forms, cookies (browsers keep those to themselves), JSON. A
  file is a \`Blob\` or a \`File\`. Where a body may be of several media types, the first is sent, or the one that
  \`contentType\` names.
- A path value that leads to another path (empty, \`.\`, \`..\`) is refused with \`PathRefused\` before anything is sent.
- Replies are values where they are JSON, texts, or else a \`Blob\`; \`parseAs: 'stream'\` gives them as they come.
- \`for await (const item of client.stream('/path'))\` reads a sequence (\`text/event-stream\`, JSON lines) item by item, as they
  come; of a POST by \`client.stream('/path', { body })\`. \`signal\` ends it. Events that are cut go on behind the last \`id\`
  where the request changes nothing; otherwise \`StreamCut\` is thrown, so that a cut is never taken for the end.
- \`client.of('QUERY')('/path', { body })\` calls operations of methods that have no call of their own.
${valuesText(types)}- Requests are sent again when \`Retry-After\` says, or where that is safe; \`maxRetries\`, \`maxWaitMs\` and \`onRetry\` are options.
- Operations that take an \`Idempotency-Key\` get one with each call, unless you send your own.
`
}

/** Whether a reply is a list in JSON, of which `items` goes through the pages. */
function isList(model: Model, { responses }: OperationModel): boolean {
  const { schema } = responses.get('200')?.content?.['application/json'] ?? {}
  return schema !== undefined && typesIn(model.resolve<Schema>(schema)).includes('array')
}

/** Returns the call that the README shows: one that reads and has a parameter, if there is any. */
function exampleCall(model: Model, types: ValueTypes): string {
  const reading = model.operations.filter(({ method: verb, body }) => verb === 'GET' && !body?.required)
  const withParameters = reading.find(({ parameters }) =>
    parameters.some(parameter => isPlain(model, parameter, types)),
  )
  const operation = withParameters ?? reading[0] ?? model.operations[0]
  if (!operation) return `client.GET('/')`
  const { method } = operation
  const call = usualMethods.has(method) ? method : `of(${stringLiteral(method)})`
  return `client.${call}(${argumentsOf(model, operation, types)})`
}

/** The methods that a client has by name. */
const usualMethods = new Set(['GET', 'PUT', 'POST', 'DELETE', 'OPTIONS', 'HEAD', 'PATCH', 'TRACE'])

/** Whether a parameter stands in the URL, and has a value of plain JSON. */
const isPlain = (model: Model, { in: place, schema = {} }: Parameter, types: ValueTypes) =>
  ['path', 'query'].includes(place) && valueKind(model.resolve<Schema>(schema), types) === undefined

/** Returns the arguments of a call in code: the path, what the operation needs, or else its first parameter. */
function argumentsOf(model: Model, { path, parameters, body }: OperationModel, types: ValueTypes): string {
  const draw = sampler(createSchemas(model), { isFull: false, isLikeExamples: true })
  const needed = parameters.filter(({ required }) => required)
  const shown =
    needed.length > 0 ? needed : parameters.filter(parameter => isPlain(model, parameter, types)).slice(0, 1)
  const options: Record<string, unknown> = {}
  for (const [place, placeParameters] of Map.groupBy(shown, parameter => parameter.in)) {
    const values = placeParameters.map(({ name, schema = {}, content = {} }) => [
      name,
      draw(Object.values(content)[0]?.schema ?? schema),
    ])
    options[place] = Object.fromEntries(values)
  }
  const [media] = body?.required ? Object.values(body.content) : []
  if (media) options.body = draw(media.schema ?? {})
  const isGiven = Object.keys(options).length > 0
  return [stringLiteral(path), ...(isGiven ? [valueLiteral(options)] : [])].join(', ')
}

function valuesText({ dates, int64 }: ValueTypes): string {
  const kinds = [
    ...(dates ? ['A date and time is a `Date`.'] : []),
    ...(int64 ? [`A whole number of 64 bits is a \`${int64}\`.`] : []),
  ]
  return kinds.length > 0 ? `- ${kinds.join(' ')} They need Node 22, or a browser of 2025, or newer.\n` : ''
}
