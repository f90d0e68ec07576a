import { isSecured, modelOf } from '../../../src/document/model.ts'
import type { OpenApi } from '../../../src/document/types.ts'
import { textOf } from '../../../src/engine/extensions.ts'
import { type Edit, edit, isNode, type Mutator, nextOf, nodeAt, set } from './edit.ts'

/** Who may call operations, and how callers show who they are. */
export const accessMutators: Mutator[] = [security, scopes, credentials]

function* security(document: OpenApi): Generator<Edit> {
  const operations = modelOf(document).operations
  const schemes = Object.keys(document.components?.securitySchemes ?? {})
  const usual = document.security ?? (schemes[0] ? [{ [schemes[0]]: [] }] : [])
  for (const operation of operations) {
    const { at } = operation
    const place = [...at, 'security']
    if (isSecured(operation))
      yield edit('operation opened', place, 'secured → open', root => {
        const opened = nodeAt(root, at)
        opened.security = []
        delete opened['x-required-scope']
      })
    else if (usual.length > 0)
      yield edit('operation secured', place, 'open → secured', root => {
        const secured = nodeAt(root, at)
        secured.security = usual
        secured['x-required-scope'] = scopesIn(document)[0] ?? 'read'
      })
  }
}

function* scopes(document: OpenApi): Generator<Edit> {
  for (const { operation, at } of modelOf(document).operations) {
    const scope = textOf(operation, 'x-required-scope')
    const other = scope && nextOf(scopesIn(document), scope)
    if (other) yield set('scope changed', document, [...at, 'x-required-scope'], other)
  }
}

function* credentials(document: OpenApi): Generator<Edit> {
  for (const [name, scheme] of Object.entries(document.components?.securitySchemes ?? {})) {
    if (!isNode(scheme) || scheme.type !== 'apiKey') continue
    const at = ['components', 'securitySchemes', name]
    yield set('credential renamed', document, [...at, 'name'], `${scheme.name}-X`)
    yield set(
      'credential location changed',
      document,
      [...at, 'in'],
      scheme.in === 'header' ? 'query' : 'header',
    )
  }
}

/** The scopes that operations ask for, each once, in the order of the document. */
function scopesIn(document: OpenApi): string[] {
  return [
    ...new Set(
      modelOf(document).operations.flatMap(({ operation }) => textOf(operation, 'x-required-scope') ?? []),
    ),
  ]
}
