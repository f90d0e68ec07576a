import type { Model, OperationModel } from 'spec-served-document/model'
import { textOf } from 'spec-served-document/reading/nodes'
import { stabilityOf } from 'spec-served-document/reading/notice'
import type { Operation, Tag } from 'spec-served-document/types'
import { code, table } from '../texts/escapes.ts'

/** The table of the operations, grouped by tag in the order of the document's tags. */
export function operationsTable({ document, operations }: Model): string {
  const nameOf = ({ operation }: OperationModel) => operation.tags[0] ?? ''
  const tags = [...(document.tags ?? [])]
  for (const name of new Set(operations.map(nameOf)))
    if (tags.every(tag => tag.name !== name)) tags.push({ name })
  const tagOf = (located: OperationModel) => tags.findIndex(({ name }) => name === nameOf(located))
  const rows = operations
    .toSorted((a, b) => tagOf(a) - tagOf(b))
    .map((located, index, all) => {
      const { id, method, path, operation } = located
      const { summary = '' } = operation
      const previous = all[index - 1]
      const begins = previous === undefined || tagOf(previous) !== tagOf(located)
      const tag = begins ? titleOf(tags[tagOf(located)]) : ''
      const scope = textOf(operation, 'x-required-scope') ?? 'none'
      return [tag, method, code(path), code(id), scope, stateOf(operation), summary]
    })
  const head = ['Tag', 'Method', 'Path', 'operationId', 'Scope', 'State', 'What it does']
  return table(head, rows)
}

function titleOf(tag: Tag | undefined): string {
  return [tag && textOf(tag, 'x-parent'), tag?.name].filter(name => name !== undefined).join(' › ')
}

function stateOf(operation: Operation): string {
  const stability = stabilityOf(operation)
  if (!operation.deprecated) return stability
  const [sunset, successor] = [textOf(operation, 'x-deprecated-sunset'), textOf(operation, 'x-successor')]
  return [
    `${stability}, deprecated`,
    ...(sunset === undefined ? [] : [`ends ${sunset}`]),
    ...(successor === undefined ? [] : [`use ${code(successor)}`]),
  ].join('; ')
}
