import {
  type LocatedOperation,
  type OpenApi,
  type Operation,
  operationsOf,
  type Tag,
} from '../document/model.ts'

/** README's table of the operations, grouped by tag in the order of the document's tags. */
export function operationsTable(document: OpenApi): string {
  const { tags = [] } = document
  const tagOf = ({ operation }: LocatedOperation) =>
    tags.findIndex(({ name }) => name === operation.tags?.[0])
  const rows = operationsOf(document)
    .toSorted((a, b) => tagOf(a) - tagOf(b))
    .map((located, index, all) => {
      const { method, path, operation } = located
      const { operationId, summary = '' } = operation
      const previous = all[index - 1]
      const begins = previous === undefined || tagOf(previous) !== tagOf(located)
      const tag = begins ? titleOf(tags[tagOf(located)]) : ''
      const scope = operation['x-required-scope'] ?? 'none'
      return [
        tag,
        method.toUpperCase(),
        `\`${path}\``,
        `\`${operationId}\``,
        scope,
        stateOf(operation),
        summary,
      ]
    })
  const head = ['Tag', 'Method', 'Path', 'operationId', 'Scope', 'State', 'What it does']
  return [head, head.map(() => '---'), ...rows].map(rowOf).join('\n')
}

function titleOf(tag: Tag | undefined): string {
  return [tag?.['x-parent'], tag?.name].filter(name => name !== undefined).join(' › ')
}

function stateOf(operation: Operation): string {
  const stability = operation['x-stability'] ?? 'stable'
  if (!operation.deprecated) return stability
  const { 'x-deprecated-sunset': sunset, 'x-successor': successor } = operation
  return [
    `${stability}, deprecated`,
    ...(sunset === undefined ? [] : [`ends ${sunset}`]),
    ...(successor === undefined ? [] : [`use \`${successor}\``]),
  ].join('; ')
}

const rowOf = (cells: readonly string[]) =>
  `| ${cells.map(cell => cell.replaceAll('|', '\\|')).join(' | ')} |`
