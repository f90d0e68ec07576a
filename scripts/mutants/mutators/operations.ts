import { methodsOf, modelOf } from '../../../src/document/model.ts'
import type { Method, OpenApi } from '../../../src/document/types.ts'
import { textOf } from '../../../src/engine/extensions.ts'
import { drop, type Edit, edit, free, type Mutator, nextOf, nodeAt, renameKey, set } from './edit.ts'

/** Where operations are, what they are called, and how the docs show them. */
export const operationMutators: Mutator[] = [paths, httpMethods, operationIds, flags, tags]

/** A path with all its methods; those below it stay where they are. */
function* paths(document: OpenApi): Generator<Edit> {
  const known = Object.keys(document.paths)
  for (const path of known) {
    const renamed = path.replace(/[^/{}]+(?=(\/\{[^/]*\})*\/?$)/, '$&-x')
    if (renamed === path || known.includes(renamed)) continue
    yield edit('path renamed', ['paths', path], `${path} → ${renamed}`, root => {
      const operations = modelOf(root).operations
      for (const { operation } of operations) {
        const [id, url] = [textOf(operation, 'x-successor'), textOf(operation, 'x-successor-url')]
        const successor = operations.find(other => other.id === id)
        if (url && successor?.path === path) operation['x-successor-url'] = moved(url, path, renamed)
      }
      renameKey(nodeAt(root, ['paths']), path, renamed)
    })
  }
}

/** An address at a path that is renamed; its parameters may have names of their own. */
function moved(url: string, path: string, renamed: string): string {
  const [target = '', ...query] = url.split('?')
  const [before, after] = [path.split('/'), renamed.split('/')]
  const segments = target
    .split('/')
    .map((segment, index) => (segment === before[index] ? after[index] : segment))
  return [segments.join('/'), ...query].join('?')
}

/** The methods that may take the place of another; a reader is never made a writer. */
const otherMethods: { [M in Method]?: readonly Method[] } = {
  put: ['post', 'patch'],
  post: ['put', 'patch'],
  patch: ['put', 'post'],
  delete: ['post', 'put'],
}

function* httpMethods(document: OpenApi): Generator<Edit> {
  for (const [path, item] of Object.entries(document.paths))
    for (const method of methodsOf(item)) {
      const other = otherMethods[method]?.find(candidate => !item[candidate])
      if (other)
        yield edit('method changed', ['paths', path, method], `${method} → ${other}`, root =>
          renameKey(nodeAt(root, ['paths', path]), method, other),
        )
    }
}

function* operationIds(document: OpenApi): Generator<Edit> {
  const taken = modelOf(document).operations.map(({ id }) => id)
  for (const { operation, at } of modelOf(document).operations) {
    const { operationId } = operation
    const renamed = free(`${operationId}X`, taken)
    yield edit('operationId renamed', [...at, 'operationId'], `${operationId} → ${renamed}`, root => {
      nodeAt(root, at).operationId = renamed
      for (const other of modelOf(root).operations)
        if (other.operation['x-successor'] === operationId) other.operation['x-successor'] = renamed
    })
  }
}

function* flags(document: OpenApi): Generator<Edit> {
  for (const { operation, at } of modelOf(document).operations)
    for (const flag of ['x-quota-free', 'x-hideTryItPanel'] as const)
      yield set(`${flag} flipped`, document, [...at, flag], !operation[flag])
}

function* tags(document: OpenApi): Generator<Edit> {
  const known = document.tags ?? []
  const groups = [...new Set(known.flatMap(tag => textOf(tag, 'x-parent') ?? []))]
  const leaves = known.map(tag => tag.name).filter(name => !groups.includes(name))
  for (const { operation, at } of modelOf(document).operations)
    for (const [index, tag] of (operation.tags ?? []).entries()) {
      const other = nextOf(leaves, tag)
      if (other) yield set('tag changed', document, [...at, 'tags', String(index)], other)
    }
  for (const [index, tag] of known.entries()) {
    const { name } = tag
    const parent = textOf(tag, 'x-parent')
    const at = ['tags', String(index), 'x-parent']
    if (groups.includes(name)) continue // groups do not nest
    const other = parent === undefined ? groups[0] : nextOf(groups, parent)
    if (other)
      yield set(parent === undefined ? 'tag parent added' : 'tag parent changed', document, at, other)
    if (parent !== undefined) yield drop('tag parent dropped', document, at)
  }
}
