import { modelOf } from '../../../src/document/model.ts'
import { lookUp, type Path } from '../../../src/document/pointer.ts'
import type { OpenApi } from '../../../src/document/types.ts'
import { constraintEdits } from './constraints.ts'
import { type Edit, edit, isNode, keysOf, nodeAt, set } from './edit.ts'
import { placesIn, placesOf, type Role, resolvedAt } from './places.ts'
import { enumOf, valueBeside } from './values.ts'

/** A change that means nothing to a client or a server, and why. */
export interface EquivalentEdit extends Edit {
  reason: string
}

/** Every change of a document that nobody who calls or serves it need notice. */
export function* equivalentEdits(document: OpenApi): Generator<EquivalentEdit> {
  yield* because('Text is for people.', texts(document))
  yield* because('An example shows one valid value among others.', examples(document))
  yield* because('The order of keys, of parameters and of required names means nothing.', orders(document))
  yield* because('It says aloud what holds without it.', defaultsSaid(document))
  yield* because('A reference means what it refers to.', inlined(document))
  for (const place of placesIn(document, 'schema'))
    for (const { idle, ...change } of constraintEdits(document, place))
      if (idle) yield { ...change, reason: idle }
}

function* because(reason: string, edits: Iterable<Edit>): Generator<EquivalentEdit> {
  for (const change of edits) yield { ...change, reason }
}

/** Titles and descriptions: the first of each sort of place. */
function* texts(document: OpenApi): Generator<Edit> {
  const ways: [sort: string, at: Path][] = [
    ['title', ['info', 'title']],
    ['contact', ['info', 'contact', 'name']],
    ['license', ['info', 'license', 'name']],
    ['document description', ['info', 'description']],
    ['tag description', ['tags', '0', 'description']],
  ]
  const places = placesOf(document)
  for (const role of new Set(places.map(place => place.role))) {
    for (const key of ['summary', 'description']) {
      const described = places.find(({ role: own, node }) => own === role && typeof node[key] === 'string')
      if (described) ways.push([`${role} ${key}`, [...described.at, key]])
    }
  }
  for (const [sort, at] of ways) {
    const text = lookUp(document, at)
    if (typeof text === 'string') yield set(`${sort} changed`, document, at, `${text} Indeed.`)
  }
  yield set('external docs added', document, ['externalDocs'], { url: 'https://example.com' })
}

/** Examples of numbers and of listed values, for which another valid one is known: the first in each sort of place. */
function* examples(document: OpenApi): Generator<Edit> {
  const seen = new Set<string>()
  for (const { role, at, node } of placesOf(document)) {
    const { node: schema } = role === 'schema' ? { node } : resolvedAt(document, [...at, 'schema'])
    if (node.example === undefined || seen.has(role) || !isNode(schema)) continue
    const listed = enumOf(schema)?.find(value => value !== node.example && value !== null)
    const other = enumOf(schema)
      ? listed
      : typeof node.example === 'number'
        ? valueBeside(schema, [node.example])
        : undefined
    if (other === undefined) continue
    seen.add(role)
    yield set(`${role} example changed`, document, [...at, 'example'], other)
  }
}

/** Turns the order of a thing round, wherever it means nothing: the first of its sort that has several parts. */
function* orders(document: OpenApi): Generator<Edit> {
  const schemas = placesIn(document, 'schema').map(({ at }) => at)
  const operations = modelOf(document).operations.map(({ at }) => at)
  const candidates: [sort: string, ways: Path[]][] = [
    ['paths', [['paths']]],
    ['components', [['components']]],
    ...keysOf(document.components).map((kind): [string, Path[]] => [
      `components/${kind}`,
      [['components', kind]],
    ]),
    ['properties', schemas.map(at => [...at, 'properties'])],
    ['required names', schemas.map(at => [...at, 'required'])],
    ['parameters', operations.map(at => [...at, 'parameters'])],
    ['operation keys', operations],
  ]
  for (const [sort, ways] of candidates) {
    const at = ways.find(way => keysOf(lookUp(document, way)).length > 1)
    if (at)
      yield edit(`${sort} reversed`, at, 'first to last → last to first', root => reverse(nodeAt(root, at)))
  }
}

function reverse(node: Record<string, unknown>): void {
  if (Array.isArray(node)) {
    node.reverse()
    return
  }
  const entries = Object.entries(node).reverse()
  for (const [key] of entries) delete node[key]
  Object.assign(node, Object.fromEntries(entries))
}

/** What OpenAPI takes for granted, written out once each. */
function* defaultsSaid(document: OpenApi): Generator<Edit> {
  const said = [
    ['operation', 'deprecated'],
    ['requestBody', 'required'],
    ['parameter', 'required'],
    ['header', 'required'],
    ['schema', 'nullable'],
  ] as const
  const places = placesOf(document)
  for (const [role, key] of said) {
    const place = places.find(
      ({ role: own, node }) =>
        own === role && node[key] === undefined && (own !== 'schema' || node.type !== undefined),
    )
    if (place) yield set(`${role} said not to be ${key}`, document, [...place.at, key], false)
  }
}

/** The first reference of each sort of place, replaced by what it refers to. */
function* inlined(document: OpenApi): Generator<Edit> {
  const waysTo = (role: Role) => placesIn(document, role).map(({ at }) => at)
  const children = (ways: Path[], key: string) =>
    ways.flatMap(at => keysOf(lookUp(document, [...at, key])).map(name => [...at, key, name]))
  const candidates: [sort: string, ways: Path[]][] = [
    ['parameter', children(waysTo('operation'), 'parameters')],
    ['response', children(waysTo('operation'), 'responses')],
    ['header', children(waysTo('response'), 'headers')],
    ['schema', children(waysTo('schema'), 'properties')],
  ]
  for (const [sort, ways] of candidates) {
    const at = ways.find(way => lookUp(document, [...way, '$ref']) !== undefined)
    if (at) yield set(`${sort} reference written out`, document, at, resolvedAt(document, at).node)
  }
}
