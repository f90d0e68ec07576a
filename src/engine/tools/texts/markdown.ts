import { type DocsAddresses, someOrigin } from 'spec-served-document/contract/addresses'
import type { Contract, OperationFacts } from 'spec-served-document/contract/contract'
import { lifetimesOf } from 'spec-served-document/contract/extensions'
import { codesOf, type Model, type OperationModel, operationsIn } from 'spec-served-document/model'
import { textOf } from 'spec-served-document/reading/nodes'
import type {
  MediaType,
  OpenApi,
  Parameter,
  Reference,
  Response,
  Schema,
  SecurityScheme,
} from 'spec-served-document/types'
import { stringify } from 'yaml'
import { rulesOf } from './effects.ts'
import { cell, code, line, link } from './escapes.ts'
import type { Samples } from './samples.ts'

/** The addresses that the texts name. Without `mcp` no server for agents is named. */
export type TextAddresses = Pick<DocsAddresses, 'page' | 'json' | 'yaml' | 'llms' | 'operation'> & {
  mcp?: string
}

/**
 * Writes the whole interface on a page of Markdown for language models, in the form of llmstxt.org. It says what the
 * service is and how to authenticate, and links each operation to its own page.
 * @param document with the servers as they are to be named
 */
export function interfaceInMarkdown(
  document: OpenApi,
  { model: { operations, basePath }, facts }: Pick<Contract, 'model' | 'facts'>,
  addresses: TextAddresses,
): string {
  const { info, tags = [] } = document
  const [summary = '', ...rest] = (info.description ?? '').split('\n\n')
  const named = new Map(tags.map(tag => [tag.name, tag]))
  const title = (name: string) =>
    [textOf(named.get(name) ?? {}, 'x-parent'), name].filter(part => part !== undefined).join(' › ')
  const entry = ({ id, method, path, operation }: OperationModel) => {
    const words = [`${method} ${path}`, ...lifecycleOf(facts.get(id))].join('; ')
    return `- ${link(operation.summary ?? id, addresses.operation(id))}: ${line(words)}`
  }
  const rules = operations.flatMap(({ id, operation }) =>
    rulesOf(operation, facts.get(id)?.codes ?? {}).map(rule => `- ${code(id)}: ${rule}`),
  )
  const webhooks = Object.entries(document.webhooks ?? {}).flatMap(([name, item]) =>
    operationsIn(item).map(({ method, operation }) => [
      code(`${method} ${name}`),
      operation.summary ?? operation.description ?? '',
    ]),
  )
  const lengths = Object.entries(lifetimesOf(document)).map(([name, seconds]) => [
    code(name),
    `${seconds} seconds`,
  ])
  const bounds = Object.entries(document['x-request-bounds'] ?? {}).map(([name, most]) => [
    code(name),
    `${most}`,
  ])
  return paragraphs([
    `# ${line(info.title)}`,
    summary && `> ${line(summary)}`,
    line(`Version ${info.version}. ${baseUrls(document, basePath)}`),
    ...authentication(document),
    ...forAgents(document, addresses),
    // Headings lead to lists of links only.
    ...rest.map(text => text.replace(/^#+ +(.*)$/gm, '**$1**')),
    ...[...Map.groupBy(operations, ({ operation }) => operation.tags[0] ?? 'Operations')].flatMap(
      ([name, tagged]) => [`## ${line(title(name))}`, tagged.map(entry).join('\n')],
    ),
    rules.length > 0 && '**Rules between records**',
    rules.join('\n'),
    ...section('**Lengths of time**', ['What', 'How long'], lengths),
    ...section('**Greatest requests**', ['What', 'At most'], bounds),
    ...section('## Webhooks', ['Request', 'What it says'], webhooks),
    '## The document',
    [
      `- [OpenAPI as YAML](${addresses.yaml}): all of this, complete, for programs`,
      `- [OpenAPI as JSON](${addresses.json}): the same`,
      `- [The docs page](${addresses.page}): the same for people`,
    ].join('\n'),
  ])
}

/** How an agent calls the operations as tools: what to paste into its client. */
function forAgents({ components, info }: OpenApi, { mcp }: TextAddresses): string[] {
  if (mcp === undefined) return []
  const [scheme] = Object.values(components?.securitySchemes ?? {})
  const isField = scheme !== undefined && 'type' in scheme && scheme.in === 'header'
  const headers = isField ? { [scheme.name ?? '']: 'YOUR KEY' } : { Authorization: 'Bearer YOUR TOKEN' }
  const server = { type: 'http', url: `${someOrigin}${mcp}`, ...(scheme && { headers }) }
  const name = info.title.toLowerCase().replace(/[^a-z0-9]+/g, '-')
  return [
    `**Use it from an agent**: the operations are tools of an MCP server (Streamable HTTP) at ${mcp}, unless its operator has switched that off. Limits and rules are the same. Most clients read this:`,
    fenced('json', JSON.stringify({ mcpServers: { [name]: server } }, null, 2)),
  ]
}

function baseUrls({ servers = [] }: OpenApi, basePath: string): string {
  const declared = servers.map(({ url, variables = {} }) =>
    url.replace(/\{([^}]+)\}/g, (whole, name: string) => variables[name]?.default ?? whole),
  )
  // Here the operations may be elsewhere than at any server that the document names.
  const isElsewhere = basePath !== '' && !declared.some(url => url.endsWith(basePath))
  const urls = isElsewhere ? [basePath, ...declared] : declared
  return urls.length > 0 ? `Base URL: ${urls.join(' or ')}` : 'Base URL: the origin of this page.'
}

function authentication({ components }: OpenApi): string[] {
  return Object.entries(components?.securitySchemes ?? {}).map(([name, scheme]) => {
    if (!('type' in scheme)) return ''
    const { description = '' } = scheme as { description?: string } // the grammar knows it to be a text
    return line(`**How to authenticate (${name})**: ${credential(scheme)} ${description}`)
  })
}

function credential({ deprecated, ...scheme }: SecurityScheme): string {
  return deprecated ? `deprecated; ${credentialOf(scheme)}` : credentialOf(scheme)
}

function credentialOf({ type, name, in: place, scheme = 'Bearer' }: SecurityScheme): string {
  if (type === 'apiKey') return `send the key in the ${place} ${code(name ?? '')}.`
  if (/^basic$/i.test(scheme))
    return 'send name and password in the header `Authorization: Basic …` (RFC 7617).'
  return `send the credential in the header ${code(`Authorization: ${scheme} …`)}.`
}

/** Lists the facts that a caller should know before using an operation: its scope, its stability and its end. */
function lifecycleOf(facts: OperationFacts | undefined): string[] {
  const { scope, secured, stability, deprecation, quotaFree } = facts ?? {}
  const { at: since, sunset, successor } = deprecation ?? {}
  const end = `${since ? ` since ${since}` : ''}${sunset ? `, ends ${sunset}` : ''}${successor ? `, use ${successor.operationId}` : ''}`
  return [
    scope ? `scope ${scope}` : secured === false && 'no credential needed',
    stability,
    deprecation && `deprecated${end}`,
    quotaFree && 'costs no quota',
  ].filter(fact => typeof fact === 'string')
}

/** An operation in Markdown, with all that is needed to call it and to understand its replies. */
export function operationInMarkdown(
  { model, facts }: Pick<Contract, 'model' | 'facts'>,
  { id, method, path, operation, parameters, body, responses }: OperationModel,
  addresses: TextAddresses,
  samples: Samples,
): string {
  const [tag = 'default'] = operation.tags
  const rules = rulesOf(operation, facts.get(id)?.codes ?? {})
  const schemas = Object.entries(componentsIn(model, [parameters, body, ...responses.values()])).map(
    textOfComponent,
  )
  return paragraphs([
    `# ${line(operation.summary ?? id)}`,
    code(`${method} ${path}`),
    [`operationId ${id}`, ...lifecycleOf(facts.get(id))].map(fact => `- ${line(fact)}`).join('\n'),
    operation.description,
    ...section(
      '## Parameters',
      ['Name', 'In', 'Required', 'Values', 'Example', 'Description'],
      parameters.map(parameter => parameterRow(model, parameter)),
    ),
    body && `## Body (${body.required ? 'required' : 'optional'})`,
    body?.description,
    ...content(body?.content),
    rules.length > 0 && '## Rules',
    rules.map(rule => `- ${rule}`).join('\n'),
    '## Code',
    ...Object.entries(samples).map(([language, text]) => fenced(language, text)),
    '## Replies',
    ...[...responses].flatMap(([status, response]) => reply(status, response)),
    schemas.length > 0 && `## Schemas\n\n${fenced('yaml', schemas.map(text => text.trimEnd()).join('\n'))}`,
    `All operations: [llms.txt](${addresses.llms}). For people: [the docs page](${addresses.page}#/${encodeURIComponent(tag)}/${encodeURIComponent(id)}).`,
  ])
}

function parameterRow(model: Model, parameter: Parameter): string[] {
  const { name, in: place, required = false, description = '', schema } = parameter
  const [media] = Object.values(parameter.content ?? {})
  const [example] = examplesOf(parameter).map(item =>
    typeof item === 'string' ? item : JSON.stringify(item),
  )
  return [
    code(name),
    place,
    required ? 'yes' : 'no',
    schemaLine(model, schema ?? media?.schema ?? {}),
    example === undefined ? '' : code(example),
    description,
  ]
}

/** A schema by its keywords, as the document writes them; what describes it is left out. */
function schemaLine(model: Model, written: Schema | Reference, depth = 0): string {
  const { description: _, example: __, title: ___, ...keywords } = model.resolve(written)
  return Object.entries(keywords)
    .map(([keyword, value]) => {
      if (keyword === 'items' && depth < 3) return `items: (${schemaLine(model, value as Schema, depth + 1)})` // the keyword's kind
      if (keyword === 'type' || keyword === 'format') return String(value)
      return `${keyword}: ${typeof value === 'string' ? value : JSON.stringify(value)}`
    })
    .join(', ')
}

function reply(status: string, response: Response): string[] {
  const list = (what: string, names: readonly string[]) =>
    names.length > 0 ? `${what}: ${names.map(code).join(', ')}` : ''
  return [
    `### ${status}`,
    response.description,
    list('Codes', codesOf(response)),
    list('Headers', Object.keys(response.headers ?? {})),
    ...content(response.content),
  ]
}

function content(media: Record<string, MediaType> = {}): string[] {
  return Object.entries(media).flatMap(([type, { schema, ...examplesWritten }]) => {
    const examples = examplesOf(examplesWritten).map(value => fenced('json', JSON.stringify(value, null, 2)))
    if (!schema) return [code(type), ...examples]
    if ('$ref' in schema) {
      const name = String(schema.$ref).split('/').at(-1) ?? ''
      return [`${code(type)}: the schema ${line(name)}`, ...examples]
    }
    return [`${code(type)}: this schema`, yaml(schema), ...examples]
  })
}

/** `example`, or the values of `examples`. */
function examplesOf({ example, examples = {} }: Pick<MediaType, 'example' | 'examples'>): unknown[] {
  if (example !== undefined) return [example]
  return Object.values(examples).flatMap(item => ('value' in item ? [item.value] : []))
}

/** Components as YAML, each made once: many operations have the same. */
const componentTexts = new WeakMap<object, string>()

function textOfComponent([name, schema]: [string, object]): string {
  const text = componentTexts.get(schema) ?? yamlOf({ [name]: schema })
  componentTexts.set(schema, text)
  return text
}

/** Adds the schemas that nodes of a document refer to, and those that these refer to, by name. */
function componentsIn(model: Model, nodes: unknown, found: Record<string, object> = {}) {
  for (const [, name = ''] of JSON.stringify(nodes).matchAll(/"\$ref":"#\/components\/schemas\/([^"/]+)"/g)) {
    if (Object.hasOwn(found, name)) continue
    found[name] = model.document.components?.schemas?.[name] ?? {}
    componentsIn(model, found[name], found)
  }
  return found
}

const paragraphs = (parts: readonly (string | false | undefined)[]) =>
  `${parts.filter(Boolean).join('\n\n')}\n`

/** A table below a heading, nothing where it has no rows; what would break out of its cells is escaped. */
function section(heading: string, head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  if (rows.length === 0) return []
  const row = (cells: readonly string[]) => `| ${cells.map(cell).join(' | ')} |`
  return [heading, [row(head), `|${' --- |'.repeat(head.length)}`, ...rows.map(row)].join('\n')]
}

const yamlOf = (value: unknown) => stringify(value, { lineWidth: 0, aliasDuplicateObjects: false })
const yaml = (value: unknown) => fenced('yaml', yamlOf(value).trimEnd())

/** A block of code; its fence is longer than any in the text. */
function fenced(language: string, text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length))
  const fence = '`'.repeat(longest + 1)
  return `${fence}${language}\n${text}\n${fence}`
}
