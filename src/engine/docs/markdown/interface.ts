import type { OpenApi, SecurityScheme } from '../../../document/types.ts'
import type { Contract } from '../../contract.ts'
import { lifetimesOf, textOf } from '../../extensions.ts'
import type { DocsAddresses } from '../addresses.ts'
import { rulesOf } from '../rules.ts'
import { lifecycleOf } from './lifecycle.ts'
import { line, section } from './text.ts'

/**
 * The whole interface on a page of Markdown for language models, in the form of llmstxt.org: what it is, how to
 * authenticate, and each operation with a link to its own page.
 * @param document with the servers as they are to be named
 */
export function interfaceInMarkdown(
  document: OpenApi,
  { model, facts }: Contract,
  addresses: DocsAddresses,
): string {
  const { info, tags = [] } = document
  const [summary = '', ...rest] = (info.description ?? '').split('\n\n')
  const sections = Map.groupBy(model.operations, ({ operation }) => operation.tags[0] ?? 'Operations')
  const named = new Map(tags.map(tag => [tag.name, tag]))
  const title = (name: string) =>
    [textOf(named.get(name) ?? {}, 'x-parent'), name].filter(part => part !== undefined).join(' › ')
  return [
    `# ${line(info.title)}`,
    summary && `> ${line(summary)}`,
    `Version ${info.version}. ${baseUrls(document)}`,
    ...authentication(document),
    // Headings lead to lists of links only.
    ...rest.map(text => text.replace(/^#+ +(.*)$/gm, '**$1**')),
    ...[...sections].flatMap(([name, operations]) => [
      `## ${title(name)}`,
      operations
        .map(({ id, method, path, operation }) => {
          const told = [`${method} ${path}`, ...lifecycleOf(facts.get(id))].join('; ')
          return `- [${line(operation.summary ?? id)}](${addresses.operations}/${encodeURIComponent(id)}.md): ${told}`
        })
        .join('\n'),
    ]),
    ...promises(document, model.operations),
    '## The document',
    [
      `- [OpenAPI as YAML](${addresses.yaml}): all of this, complete, for programs`,
      `- [OpenAPI as JSON](${addresses.json}): the same`,
      `- [The docs page](${addresses.page}): the same for people`,
    ].join('\n'),
  ]
    .filter(Boolean)
    .join('\n\n')
    .concat('\n')
}

/** The rules between records and the lengths of time; headings lead to lists of links only. */
function promises(document: OpenApi, operations: Contract['model']['operations']): string[] {
  const rules = operations.flatMap(({ id, operation }) =>
    rulesOf(operation).map(rule => [`\`${id}\``, ...rule]),
  )
  const lengths = Object.entries(lifetimesOf(document)).map(([name, seconds]) => [
    `\`${name}\``,
    `${seconds} seconds`,
  ])
  return [
    ...section('**Rules between records**', ['Operation', 'When', 'Rule'], rules),
    ...section('**Lengths of time**', ['What', 'How long'], lengths),
  ]
}

function baseUrls({ servers = [] }: OpenApi): string {
  const urls = servers.map(({ url, variables = {} }) =>
    url.replace(/\{([^}]+)\}/g, (whole, name: string) => variables[name]?.default ?? whole),
  )
  return urls.length > 0 ? `Base URL: ${urls.join(' or ')}` : 'Base URL: the origin of this page.'
}

function authentication({ components }: OpenApi): string[] {
  return Object.entries(components?.securitySchemes ?? {}).map(([name, scheme]) => {
    if (!('type' in scheme)) return ''
    const { description = '' } = scheme as { description?: string } // the grammar knows it to be a text
    return line(`**How to authenticate (${name})**: ${credential(scheme)} ${description}`)
  })
}

function credential({ type, name, in: place, scheme }: SecurityScheme): string {
  if (type === 'apiKey') return `send the key in the ${place} \`${name}\`.`
  if (type === 'http' && scheme?.toLowerCase() === 'basic')
    return 'send name and password in the header `Authorization: Basic …` (RFC 7617).'
  if (type === 'http') return `send the credential in the header \`Authorization: ${scheme} …\`.`
  return 'send an access token in the header `Authorization: Bearer …` (RFC 6750).'
}
