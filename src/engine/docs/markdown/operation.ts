import type { Model, OperationModel } from '../../../document/model.ts'
import type { MediaType, Parameter, Reference, Response, Schema } from '../../../document/types.ts'
import type { Contract } from '../../contract.ts'
import { codesOf } from '../../extensions.ts'
import type { DocsAddresses } from '../addresses.ts'
import { rulesOf } from '../rules.ts'
import { lifecycleOf } from './lifecycle.ts'
import { json, line, section, yaml } from './text.ts'

/** An operation in Markdown, with all that is needed to call it and to understand its replies. */
export function operationInMarkdown(
  contract: Contract,
  located: OperationModel,
  addresses: DocsAddresses,
): string {
  const { model, facts } = contract
  const { id, method, path, operation, parameters, body, responses } = located
  const [tag = 'default'] = operation.tags
  const schemas = componentsIn(model, [parameters, body, ...responses.values()])
  const parts = [
    `# ${line(operation.summary ?? id)}`,
    `\`${method} ${path}\``,
    [`operationId ${id}`, ...lifecycleOf(facts.get(id))].map(fact => `- ${fact}`).join('\n'),
    operation.description,
    ...section(
      '## Parameters',
      ['Name', 'In', 'Required', 'Values', 'Example', 'Description'],
      parameters.map(parameter => parameterRow(model, parameter)),
    ),
    body && `## Body (${body.required ? 'required' : 'optional'})`,
    body?.description,
    ...content(body?.content),
    ...section('## Rules', ['When', 'Rule'], rulesOf(operation)),
    '## Replies',
    ...[...responses].flatMap(([status, response]) => reply(status, response)),
    schemas.size > 0 && `## Schemas\n\n${yaml(Object.fromEntries(schemas))}`,
    `All operations: [llms.txt](${addresses.llms}). For people: [the docs page](${addresses.page}#/${encodeURIComponent(tag)}/${encodeURIComponent(id)}).`,
  ]
  return `${parts.filter(Boolean).join('\n\n')}\n`
}

function parameterRow(model: Model, parameter: Parameter): string[] {
  const { name, in: place, required = false, description = '', schema } = parameter
  const [media] = Object.values(parameter.content ?? {})
  const [example] = examplesOf(parameter)
  return [
    `\`${name}\``,
    place,
    required ? 'yes' : 'no',
    schemaLine(model, schema ?? media?.schema ?? {}),
    example === undefined ? '' : `\`${typeof example === 'string' ? example : JSON.stringify(example)}\``,
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
    names.length > 0 ? `${what}: ${names.map(name => `\`${name}\``).join(', ')}` : ''
  return [
    `### ${status}`,
    response.description,
    list('Codes', codesOf(response)),
    list('Headers', Object.keys(response.headers ?? {})),
    ...content(response.content),
  ]
}

function content(media: Record<string, MediaType> = {}): string[] {
  return Object.entries(media).flatMap(([type, { schema, ...given }]) => [
    `\`${type}\`${schema ? `: ${schemaName(schema)}` : ''}`,
    ...(schema && !('$ref' in schema) ? [yaml(schema)] : []),
    ...examplesOf(given).map(json),
  ])
}

const schemaName = (schema: Schema | Reference) =>
  '$ref' in schema ? `the schema ${String(schema.$ref).split('/').at(-1)}` : 'this schema'

/** `example`, or the values of `examples`. */
function examplesOf({ example, examples = {} }: Pick<MediaType, 'example' | 'examples'>): unknown[] {
  if (example !== undefined) return [example]
  return Object.values(examples).flatMap(one => ('value' in one ? [one.value] : []))
}

/** The components that nodes of a document refer to, and those that these refer to, by name. */
function componentsIn({ document }: Model, nodes: readonly unknown[]): Map<string, unknown> {
  const schemas = document.components?.schemas ?? {}
  const found = new Map<string, unknown>()
  const visit = (node: unknown) => {
    if (typeof node !== 'object' || node === null) return
    if ('$ref' in node && typeof node.$ref === 'string') {
      const name = /^#\/components\/schemas\/([^/]+)$/.exec(node.$ref)?.[1]
      if (name === undefined || found.has(name)) return
      found.set(name, schemas[name])
      visit(schemas[name])
    } else Object.values(node).forEach(visit)
  }
  nodes.forEach(visit)
  return found
}
