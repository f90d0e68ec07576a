import { modelOf } from '../../../src/document/model.ts'
import { pointerTo } from '../../../src/document/pointer.ts'
import type { OpenApi } from '../../../src/document/types.ts'
import { textOf } from '../../../src/engine/extensions.ts'
import { drop, type Edit, edit, isNode, type Mutator, nodeAt, renameKey, set } from './edit.ts'
import { type Place, placesIn, resolvedAt } from './places.ts'

/** How operations are asked, apart from bodies. */
export const parameterMutators: Mutator[] = [uses, declarations, lists, pathNames]

/** At each operation: a parameter less, or one more. */
function* uses(document: OpenApi): Generator<Edit> {
  for (const { at, operation } of modelOf(document).operations) {
    for (const [index] of (operation.parameters ?? []).entries()) {
      const place = [...at, 'parameters', String(index)]
      const { node } = resolvedAt(document, place)
      if (isNode(node) && node.in !== 'path')
        yield drop('parameter removed', document, place, String(node.name))
    }
    const added = {
      name: 'added',
      in: 'query',
      description: 'An addition.',
      schema: { type: 'string', maxLength: 100 },
    }
    yield edit('parameter added', [...at, 'parameters'], '(none) → added', root => {
      const changed = nodeAt(root, at)
      changed.parameters = [...(operation.parameters ?? []), added]
    })
  }
}

/** At each declaration, of which a component has one for all its uses. */
function* declarations(document: OpenApi): Generator<Edit> {
  for (const { at, node } of placesIn(document, 'parameter')) {
    const { name, in: location } = node
    if (location === 'path') continue
    const renamed = location === 'header' ? `${name}-X` : `${name}X`
    yield edit('parameter renamed', [...at, 'name'], `${name} → ${renamed}`, root => {
      nodeAt(root, at).name = renamed
      if (location === 'query') renameInUrls(root, at, String(name), renamed)
    })
    yield set('parameter required flipped', document, [...at, 'required'], !node.required)
    const other = location === 'query' ? 'header' : 'query'
    yield edit('parameter location changed', [...at, 'in'], `${location} → ${other}`, root => {
      const parameter = nodeAt(root, at)
      for (const keyword of ['style', 'explode', 'allowReserved', 'allowEmptyValue'])
        delete parameter[keyword]
      parameter.in = other
    })
  }
}

/** Lists in the query: repeated parameters, or one with commas. */
function* lists(document: OpenApi): Generator<Edit> {
  for (const { at, node } of placesIn(document, 'parameter')) {
    const schema = resolvedAt(document, [...at, 'schema']).node
    if (node.in === 'query' && isNode(schema) && schema.type === 'array')
      yield set('parameter explode flipped', document, [...at, 'explode'], node.explode === false)
  }
}

/** Path parameters, which are named in the templates of the paths too. */
function* pathNames(document: OpenApi): Generator<Edit> {
  const seen = new Set<string>()
  for (const place of placesIn(document, 'parameter')) {
    if (place.node.in !== 'path' || seen.has(pointerTo(place.at))) continue
    const name = String(place.node.name)
    const renamed = `${name}X`
    const { paths, declared } = relativesOf(document, place)
    for (const at of declared) seen.add(pointerTo(at))
    yield edit('path parameter renamed', [...place.at, 'name'], `${name} → ${renamed}`, root => {
      for (const at of declared) nodeAt(root, at).name = renamed
      const inside = (text: string) => text.replaceAll(`{${name}}`, `{${renamed}}`)
      for (const { path, operation } of modelOf(root).operations) {
        const url = textOf(operation, 'x-successor-url')
        if (paths.has(path) && url) operation['x-successor-url'] = inside(url)
      }
      for (const path of paths) renameKey(nodeAt(root, ['paths']), path, inside(path))
    })
  }
}

/** The paths that name a path parameter, and all its declarations there: operations of one path share the template. */
function relativesOf(document: OpenApi, place: Place): { paths: Set<string>; declared: string[][] } {
  const paths = new Set<string>()
  const declared = new Map([[pointerTo(place.at), [...place.at]]])
  const all = modelOf(document).operations.flatMap(({ path, at, operation }) =>
    (operation.parameters ?? []).map((_, index) => ({
      path,
      ...resolvedAt(document, [...at, 'parameters', String(index)]),
    })),
  )
  const same = all.filter(({ node }) => isNode(node) && node.in === 'path' && node.name === place.node.name)
  for (let known = -1; known < paths.size + declared.size; ) {
    known = paths.size + declared.size
    for (const { path, at } of same)
      if (paths.has(path) || declared.has(pointerTo(at))) {
        paths.add(path)
        declared.set(pointerTo(at), [...at])
      }
  }
  return { paths, declared: [...declared.values()] }
}

/** Follows the new name of a query parameter in the addresses that successors of operations are given. */
function renameInUrls(root: OpenApi, parameter: readonly string[], name: string, renamed: string): void {
  const operations = modelOf(root).operations
  for (const { operation } of operations) {
    const [id, url] = [textOf(operation, 'x-successor'), textOf(operation, 'x-successor-url')]
    const successor = operations.find(other => other.id === id)
    const uses = successor?.operation.parameters?.some(
      (_, index) =>
        pointerTo(resolvedAt(root, [...successor.at, 'parameters', String(index)]).at) ===
        pointerTo(parameter),
    )
    if (url && uses)
      operation['x-successor-url'] = url.replace(/[?&][^=&]*/g, part =>
        part.slice(1) === name ? part[0] + renamed : part,
      )
  }
}
