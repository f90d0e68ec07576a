import { modelOf, type OperationModel } from 'spec-served-document/model'
import { lookUp, type Path } from 'spec-served-document/pointer'
import type { Kind } from 'spec-served-document/reading/grammar'
import { followAt, isSecured, pointerTo, textOf } from 'spec-served-document/reading/nodes'
import { dayAfter } from 'spec-served-document/reading/notice'
import { childrenOf } from 'spec-served-document/reading/walk'
import { methods, type OpenApi } from 'spec-served-document/types'
import { type Change, change, gone, keysOf, type Node, nextOf, without } from './change.ts'
import { contentChanges, parameterChanges, schemaChanges } from './part-changes.ts'

/** A document with one small change of meaning. */
export interface Mutant {
  /** stable, unique: `${kind} ${JSON pointer}[ detail]` */
  id: string
  /** e.g. 'enum value removed' */
  kind: string
  /** the changed document; the original is never touched */
  apply(): OpenApi
}

/** Every mutant of a document that keeps its rules, in a stable order. */
export function mutantsOf(document: OpenApi): Mutant[] {
  const text = JSON.stringify(document)
  return [...changesOf(document)].map(([path, { kind, keys, detail, rewrite }]) => ({
    id: `${kind} ${pointerTo([...path, ...keysOf(keys).slice(0, 1)]).slice(1)}${detail && ` ${detail}`}`,
    kind,
    apply() {
      const changed = JSON.parse(text)
      Object.assign(Object(lookUp(changed, path)), keys)
      return JSON.parse(rewrite(JSON.stringify(changed)))
    },
  }))
}

function* changesOf(document: OpenApi): Generator<[Path, Change]> {
  const { operations } = modelOf(document)
  yield* pathChanges(document)
  for (const [id, scheme] of Object.entries(document.components?.securitySchemes ?? {})) {
    if (!('name' in scheme)) continue
    const path = ['components', 'securitySchemes', id]
    yield [path, change('credential renamed', { name: `${scheme.name}-X` })]
    yield [path, change('credential location changed', { in: scheme.in === 'header' ? 'query' : 'header' })]
  }
  yield* rateLimitChanges(document)
  for (const target of operations)
    for (const changes of [
      accessChanges(document, target, operations),
      lifecycleChanges(target, operations),
      callChanges(document, target),
    ])
      for (const candidate of changes) yield [target.place, candidate]
  for (const { kind, at: path, node, owners } of placesOf(document)) {
    const below = (key: string) => resolvedAt(document, [...path, key]).node
    const changes = {
      parameter: () => parameterChanges(node, below),
      requestBody: () => contentChanges(node, 'request'),
      response: () => contentChanges(node, 'response'),
      header: () => [change('response header required flipped', { required: !node.required })],
      schema: () => schemaChanges(node, owners, below),
    }[kind as string] // other kinds have no changes of their own
    for (const candidate of changes?.() ?? []) yield [path, candidate]
  }
}

function* pathChanges({ paths }: OpenApi): Generator<[Path, Change]> {
  for (const [path, item] of Object.entries(paths)) {
    const itemPath = ['paths', path]
    const other = path.replace(/[^/{}]+(?=(\/\{[^/]*\})*\/?$)/, '$&-x')
    if (other !== path && !paths[other])
      yield [
        itemPath,
        change('path renamed', {}, '', text =>
          // its key, and the addresses of successors
          text.replaceAll(`"${path}"`, `"${other}"`).replaceAll(`"${path}?`, `"${other}?`),
        ),
      ]
    // A reader is never made a writer.
    const free = (['post', 'put', 'patch'] as const).find(candidate => !item[candidate])
    for (const method of methods)
      if (item[method] && method !== 'get' && free)
        yield [itemPath, change('method changed', { [method]: undefined, [free]: item[method] })]
  }
  const names = Object.keys(paths).flatMap(path => path.match(/(?<=\{)[^}]*/g) ?? [])
  for (const name of new Set(names))
    yield [
      ['paths'],
      change('path parameter renamed', {}, name, text =>
        text
          .replaceAll(`{${name}}`, `{${name}X}`)
          .replaceAll(`"name":"${name}","in":"path"`, `"name":"${name}X","in":"path"`),
      ),
    ]
}

/** The numbers, names and flags below `x-rate-limits`, whatever its form. */
function* rateLimitChanges(document: OpenApi): Generator<[Path, Change]> {
  const root = 'x-rate-limits'
  const windows = Object.values(lookUp(document, [root, 'windows']) ?? {}).map(({ name }) => String(name))
  const names = [windows, keysOf(lookUp(document, [root, 'plans']))]
  function* below(path: Path, node: unknown): Generator<[Path, Change]> {
    for (const [key, value] of Object.entries<unknown>(Object(node))) {
      if (typeof value === 'object') yield* below([...path, key], value)
      if (typeof value === 'boolean') yield [path, change('rate limit flag flipped', { [key]: !value })]
      if (typeof value === 'number')
        for (const step of [1, -1].filter(difference => value + difference > 0))
          yield [path, change('rate limit number moved', { [key]: value + step }, String(step))]
      if (typeof value !== 'string' || path[1] === 'windows') continue // where a window is named, not referred to
      for (const other of names.filter(all => all.includes(value)).map(all => nextOf(all, value)))
        if (other) yield [path, change('rate limit reference changed', { [key]: other })]
    }
  }
  yield* below([root], document[root])
}

/** Yields changes of who may call an operation. */
function* accessChanges(
  document: OpenApi,
  target: OperationModel,
  operations: readonly OperationModel[],
): Generator<Change> {
  const { operation } = target
  const scopes = operations.flatMap(sibling => textOf(sibling.operation, 'x-required-scope') ?? [])
  const scope = textOf(operation, 'x-required-scope')
  const [scheme = ''] = keysOf(document.components?.securitySchemes)
  const usual = document.security ?? [{ [scheme]: [] }]
  yield isSecured(target)
    ? change('operation opened', { security: [], 'x-required-scope': undefined })
    : change('operation secured', { security: usual, 'x-required-scope': scopes[0] ?? 'read' })
  const other = scope && nextOf(scopes, scope)
  if (other) yield change('scope changed', { 'x-required-scope': other })
  yield change('x-quota-free flipped', { 'x-quota-free': !operation['x-quota-free'] })
}

/** How long an operation lasts: its stability, deprecation and successor. */
function* lifecycleChanges(
  { id, operation }: OperationModel,
  operations: readonly OperationModel[],
): Generator<Change> {
  const stability = textOf(operation, 'x-stability')
  if (stability === undefined) yield change('stability lowered', { 'x-stability': 'beta' })
  else {
    yield change('stability changed', { 'x-stability': nextOf(['beta', 'experimental'], stability) })
    yield change('stability raised', { 'x-stability': undefined })
  }
  const [since, until] = ['x-deprecated-at', 'x-deprecated-sunset'] as const
  const { deprecated, responses } = operation
  const successor = textOf(operation, 'x-successor')
  if (deprecated) {
    const keys = gone(['deprecated', since, until, 'x-successor', 'x-successor-url'])
    yield change('deprecation taken back', { ...keys, responses: without(responses, '410') })
  } else if (!operations.some(sibling => textOf(sibling.operation, 'x-successor') === id)) {
    // An operation that replaces another is not deprecated itself.
    const example = operations.find(sibling => sibling.operation.deprecated)?.operation
    const ended = example?.responses['410'] ?? { description: 'The operation has ended.' }
    yield change('deprecated', {
      deprecated: true,
      [since]: example?.[since] ?? '2026-06-05',
      [until]: example?.[until] ?? '2030-12-05',
      responses: { ...responses, 410: ended },
    })
  }
  for (const key of [since, until]) {
    const day = textOf(operation, key)
    for (const days of day ? [-1, 1] : [])
      yield change('deprecation date moved', { [key]: dayAfter(day ?? '', days) }, String(days))
  }
  if (successor === undefined) return
  const current = operations.filter(sibling => !sibling.operation.deprecated).map(sibling => sibling.id)
  const other = nextOf(current, successor)
  const url = gone(['x-successor-url'])
  if (other) yield change('successor changed', { 'x-successor': other, ...url })
  yield change('successor dropped', { 'x-successor': undefined, ...url })
  if ('x-successor-url' in operation) yield change('successor address dropped', url)
}

/** Yields changes of an operation's name, requests and responses. */
function* callChanges(document: OpenApi, { place: path, operation }: OperationModel): Generator<Change> {
  const { operationId, parameters = [], requestBody, responses } = operation
  yield change('operationId renamed', { operationId: `${operationId}X` }, '', text =>
    text.replaceAll(`"x-successor":"${operationId}"`, `"x-successor":"${operationId}X"`),
  )
  for (const [index, parameter] of parameters.entries()) {
    const { node } = resolvedAt(document, [...path, 'parameters', String(index)])
    const others = parameters.filter(other => other !== parameter)
    if (node.in !== 'path') yield change('parameter removed', { parameters: others }, String(node.name))
  }
  const schema = { type: 'string', maxLength: 100 }
  const added = { name: 'added', in: 'query', description: 'An addition.', schema }
  yield change('parameter added', { parameters: [...parameters, added] })
  if (requestBody) yield change('request body removed', { requestBody: undefined })
  const declared = keysOf(responses).filter(status => !status.startsWith('x-'))
  for (const status of declared.length > 1 ? declared : [])
    yield change('status removed', { responses: without(responses, status) }, status)
  for (const candidates of [
    ['402', '418', '423', '424'],
    ['202', '203', '206'],
  ]) {
    const status = candidates.find(candidate => !declared.includes(candidate))
    const like = declared.find(other => other[0] === candidates[0]?.[0])
    if (like && status)
      yield change('status added', { responses: { ...responses, [status]: responses[like] } }, status)
  }
}

/** An object of a document where it stands: one of `components` once, however often it is used. */
interface Place {
  kind: Kind
  at: Path
  node: Node
  /** the kinds of the objects that it is part of, wherever it is used */
  owners: Set<Kind>
}

/** Every object that decides on requests and replies, as operations reach it. */
function placesOf(document: OpenApi): Iterable<Place> {
  const found = new Map<string, Place>()
  const visit = (kind: Kind, from: Path, owner: Kind) => {
    const { at: path, node } = resolvedAt(document, from)
    const place = found.get(pointerTo(path))
    place?.owners.add(owner)
    if (place) return
    found.set(pointerTo(path), { kind, at: path, node, owners: new Set([owner]) })
    for (const child of childrenOf(kind, node, path)) visit(child.kind, child.path, kind)
  }
  for (const { place: path } of modelOf(document).operations) visit('operation', path, 'pathItem')
  return found.values()
}

/** The object at a path, references followed, with its own place; an empty one where there is none. */
function resolvedAt(document: OpenApi, path: Path): { at: Path; node: Node } {
  const node = lookUp(document, path)
  const target =
    typeof node === 'object' && node !== null ? followAt<object>(document, node, path) : undefined
  return target ? { at: target.place, node: target.node as Node } : { at: path, node: {} } // of any keys
}
