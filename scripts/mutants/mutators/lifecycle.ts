import { modelOf } from '../../../src/document/model.ts'
import type { OpenApi } from '../../../src/document/types.ts'
import { textOf } from '../../../src/engine/extensions.ts'
import { drop, type Edit, edit, type Mutator, nextOf, nodeAt, set } from './edit.ts'

/** How long operations last: their stability, deprecation and successors. */
export const lifecycleMutators: Mutator[] = [stability, deprecation, dates, successors]

function* stability(document: OpenApi): Generator<Edit> {
  const levels = ['beta', 'experimental']
  for (const { operation, at } of modelOf(document).operations) {
    const place = [...at, 'x-stability']
    const level = textOf(operation, 'x-stability')
    if (level === undefined) yield set('stability lowered', document, place, 'beta')
    else {
      yield set('stability changed', document, place, nextOf(levels, level))
      yield drop('stability raised', document, place)
    }
  }
}

const deprecationKeys = [
  'deprecated',
  'x-deprecated-at',
  'x-deprecated-sunset',
  'x-successor',
  'x-successor-url',
] as const

/** An operation is deprecated, or no longer: with it come and go its dates, successor and answer after the end. */
function* deprecation(document: OpenApi): Generator<Edit> {
  const operations = modelOf(document).operations
  const known = operations.find(({ operation }) => operation.deprecated)?.operation
  const gone = known?.responses['410'] ?? { description: 'The operation has ended.' }
  const followed = new Set(operations.map(({ operation }) => textOf(operation, 'x-successor')))
  for (const { operation, at } of operations) {
    const place = [...at, 'deprecated']
    if (operation.deprecated)
      yield edit('deprecation taken back', place, 'deprecated → current', root => {
        const current = nodeAt(root, at)
        for (const key of deprecationKeys) delete current[key]
        delete nodeAt(current, ['responses'])['410']
      })
    else if (!followed.has(operation.operationId))
      // what replaces another is not deprecated itself
      yield edit('deprecated', place, 'current → deprecated', root => {
        const deprecated = nodeAt(root, at)
        deprecated.deprecated = true
        deprecated['x-deprecated-at'] = known?.['x-deprecated-at'] ?? '2026-06-05'
        deprecated['x-deprecated-sunset'] = known?.['x-deprecated-sunset'] ?? '2030-12-05'
        nodeAt(deprecated, ['responses'])['410'] = gone
      })
  }
}

function* dates(document: OpenApi): Generator<Edit> {
  const kinds = {
    'x-deprecated-at': 'deprecation date moved',
    'x-deprecated-sunset': 'sunset moved',
  } as const
  for (const { operation, at } of modelOf(document).operations)
    for (const key of ['x-deprecated-at', 'x-deprecated-sunset'] as const)
      for (const days of [-1, 1]) {
        const moved = shifted(textOf(operation, key), days)
        if (moved) yield set(kinds[key], document, [...at, key], moved, `${days} day`)
      }
}

function* successors(document: OpenApi): Generator<Edit> {
  const operations = modelOf(document).operations
  const current = operations
    .filter(({ operation }) => !operation.deprecated)
    .map(({ operation }) => operation.operationId)
  for (const { operation, at } of operations) {
    const [id, url] = [textOf(operation, 'x-successor'), textOf(operation, 'x-successor-url')]
    if (id === undefined) continue
    const place = [...at, 'x-successor']
    const other = nextOf(current, id)
    for (const [kind, successor] of [
      ['successor changed', other],
      ['successor dropped', undefined],
    ] as const) {
      if (kind === 'successor changed' && successor === undefined) continue
      yield edit(kind, place, `${id} → ${successor ?? '(none)'}`, root => {
        const changed = nodeAt(root, at)
        delete changed['x-successor-url']
        if (successor) changed['x-successor'] = successor
        else delete changed['x-successor']
      })
    }
    if (url === undefined) continue
    const [path] = url.split('?')
    if (path !== url) yield set('successor address changed', document, [...at, 'x-successor-url'], path)
    yield drop('successor address dropped', document, [...at, 'x-successor-url'])
  }
}

/** A day (YYYY-MM-DD) some days later; undefined where it is none. */
function shifted(day: string | undefined, days: number): string | undefined {
  const time = Date.parse(`${day}T00:00:00Z`)
  return Number.isNaN(time) ? undefined : new Date(time + days * 86_400_000).toISOString().slice(0, 10)
}
