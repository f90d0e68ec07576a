import { isSecured, modelOf, type OperationModel } from '../../src/document/model.ts'
import { lookUp, type Path, pointerTo } from '../../src/document/pointer.ts'
import { methods, type OpenApi } from '../../src/document/types.ts'
import { textOf } from '../../src/engine/extensions.ts'
import { dayAfter } from '../document/lifecycle.ts'
import { type Change, change, keysOf, nextOf, type Place, placesOf, resolvedAt } from './change.ts'
import { schemaChanges } from './schema-changes.ts'

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
  return [...changesOf(document)].map(({ kind, at, detail, make }) => ({
    id: `${kind} ${pointerTo(at).slice(1)}${detail && ` ${detail}`}`,
    kind,
    apply: () => make(JSON.parse(JSON.stringify(document))), // what a YAML alias has made one is not shared
  }))
}

function* changesOf(document: OpenApi): Generator<Change> {
  const { operations } = modelOf(document)
  yield* pathChanges(document)
  yield* credentialChanges(document)
  yield* rateLimitChanges(document)
  for (const operation of operations) {
    yield* accessChanges(document, operation, operations)
    yield* lifecycleChanges(operation, operations)
    yield* callChanges(document, operation, operations)
  }
  for (const place of placesOf(document)) {
    if (place.kind === 'parameter') yield* parameterChanges(document, place, operations)
    if (place.kind === 'requestBody' || place.kind === 'response') yield* contentChanges(place)
    if (place.kind === 'header')
      yield change('response header required flipped', [...place.at, 'required'], !place.node.required)
    if (place.kind === 'schema') yield* schemaChanges(document, place)
  }
}

const renamed = (node: object, from: string, to: string) =>
  Object.fromEntries(Object.entries(node).map(([key, value]) => [key === from ? to : key, value]))

/** A change of the text of a document. */
const rewritten = (kind: string, at: Path, rewrite: (text: string) => string): Change => ({
  kind,
  at,
  detail: '',
  make: document => JSON.parse(rewrite(JSON.stringify(document))),
})

function* pathChanges({ paths }: OpenApi): Generator<Change> {
  for (const [path, item] of Object.entries(paths)) {
    const other = path.replace(/[^/{}]+(?=(\/\{[^/]*\})*\/?$)/, '$&-x')
    if (other !== path && !paths[other])
      yield rewritten('path renamed', ['paths', path], text =>
        // its key, and the addresses of successors
        text.replaceAll(`"${path}"`, `"${other}"`).replaceAll(`"${path}?`, `"${other}?`),
      )
    for (const method of methods) {
      // A reader is never made a writer.
      const candidates = method === 'get' ? [] : (['post', 'put', 'patch'] as const)
      const free = candidates.find(candidate => !item[candidate])
      if (item[method] && free)
        yield change('method changed', ['paths', path], renamed(item, method, free), method)
    }
  }
  for (const name of new Set(
    Object.keys(paths)
      .join()
      .match(/(?<=\{)[^}]*/g),
  ))
    yield rewritten('path parameter renamed', ['paths', name], text =>
      text
        .replaceAll(`{${name}}`, `{${name}X}`)
        .replaceAll(`"name":"${name}","in":"path"`, `"name":"${name}X","in":"path"`),
    )
}

function* credentialChanges({ components }: OpenApi): Generator<Change> {
  for (const [id, scheme] of Object.entries(components?.securitySchemes ?? {})) {
    const at = ['components', 'securitySchemes', id]
    if (!('name' in scheme)) continue
    yield change('credential renamed', [...at, 'name'], `${scheme.name}-X`)
    yield change('credential location changed', [...at, 'in'], scheme.in === 'header' ? 'query' : 'header')
  }
}

/** The numbers, names and flags below `x-rate-limits`, whatever its form. */
function* rateLimitChanges(document: OpenApi): Generator<Change> {
  const root = 'x-rate-limits'
  const windows = Object.values(lookUp(document, [root, 'windows']) ?? {}).map(({ name }) => String(name))
  const names = [windows, keysOf(lookUp(document, [root, 'plans']))]
  for (const { at, value } of leavesOf(document[root], [root])) {
    if (typeof value === 'boolean') yield change('rate limit flag flipped', at, !value)
    if (typeof value === 'number')
      for (const step of [1, -1])
        if (value + step > 0) yield change('rate limit number moved', at, value + step, String(step))
    if (typeof value !== 'string' || at[1] === 'windows') continue // where a window is named, not referred to
    for (const other of names.filter(all => all.includes(value)).map(all => nextOf(all, value)))
      if (other) yield change('rate limit reference changed', at, other)
  }
}

/** Everything below a value that holds nothing itself. */
function* leavesOf(value: unknown, at: Path): Generator<{ at: Path; value: unknown }> {
  if (typeof value !== 'object' || value === null) yield { at, value }
  else for (const [key, child] of Object.entries(value)) yield* leavesOf(child, [...at, key])
}

/** Who may call an operation. */
function* accessChanges(
  document: OpenApi,
  own: OperationModel,
  operations: readonly OperationModel[],
): Generator<Change> {
  const { at, operation } = own
  const scopes = operations.flatMap(other => textOf(other.operation, 'x-required-scope') ?? [])
  const scope = textOf(operation, 'x-required-scope')
  const [scheme] = keysOf(document.components?.securitySchemes)
  const usual = document.security ?? [{ [scheme ?? '']: [] }]
  if (isSecured(own))
    yield change('operation opened', [...at, 'security'], [], '', [[...at, 'x-required-scope'], undefined])
  else
    yield change('operation secured', [...at, 'security'], usual, '', [
      [...at, 'x-required-scope'],
      scopes[0] ?? 'read',
    ])
  if (scope && nextOf(scopes, scope))
    yield change('scope changed', [...at, 'x-required-scope'], nextOf(scopes, scope))
  yield change('x-quota-free flipped', [...at, 'x-quota-free'], !operation['x-quota-free'])
}

/** How long an operation lasts: its stability, deprecation and successor. */
function* lifecycleChanges(
  { id, at, operation }: OperationModel,
  operations: readonly OperationModel[],
): Generator<Change> {
  const stability = [...at, 'x-stability']
  if (operation['x-stability'] === undefined) yield change('stability lowered', stability, 'beta')
  else {
    const levels = ['beta', 'experimental']
    yield change('stability changed', stability, nextOf(levels, String(operation['x-stability'])))
    yield change('stability raised', stability, undefined)
  }
  const dates = ['x-deprecated-at', 'x-deprecated-sunset'] as const
  const successors = operations.map(other => textOf(other.operation, 'x-successor'))
  const gone = [...at, 'responses', '410']
  if (operation.deprecated) {
    const keys = ['x-successor', 'x-successor-url', ...dates]
    yield change(
      'deprecation taken back',
      [...at, 'deprecated'],
      undefined,
      '',
      [gone, undefined],
      ...keys.map(key => [[...at, key], undefined] as const),
    )
  } else if (!successors.includes(id)) {
    // What replaces another is not deprecated itself.
    const known = operations.find(other => other.operation.deprecated)?.operation
    yield change(
      'deprecated',
      [...at, 'deprecated'],
      true,
      '',
      [[...at, dates[0]], known?.[dates[0]] ?? '2026-06-05'],
      [[...at, dates[1]], known?.[dates[1]] ?? '2030-12-05'],
      [gone, known?.responses['410'] ?? { description: 'The operation has ended.' }],
    )
  }
  for (const key of dates) {
    const day = textOf(operation, key)
    for (const days of [-1, 1])
      if (day) yield change('deprecation date moved', [...at, key], dayAfter(day, days), String(days))
  }
  const successor = textOf(operation, 'x-successor')
  if (successor === undefined) return
  const current = operations.filter(other => !other.operation.deprecated).map(other => other.id)
  const url = [...at, 'x-successor-url']
  const other = nextOf(current, successor)
  if (other) yield change('successor changed', [...at, 'x-successor'], other, '', [url, undefined])
  yield change('successor dropped', [...at, 'x-successor'], undefined, '', [url, undefined])
  if (lookUp(operation, ['x-successor-url']) !== undefined)
    yield change('successor address dropped', url, undefined)
}

/** What an operation is called, takes and answers. */
function* callChanges(
  document: OpenApi,
  { at, operation }: OperationModel,
  operations: readonly OperationModel[],
): Generator<Change> {
  const { operationId, parameters = [], requestBody, responses } = operation
  const followers = operations.filter(other => other.operation['x-successor'] === operationId)
  yield change(
    'operationId renamed',
    [...at, 'operationId'],
    `${operationId}X`,
    '',
    ...followers.map(other => [[...other.at, 'x-successor'], `${operationId}X`] as const),
  )
  const place = [...at, 'parameters']
  for (const [index, parameter] of parameters.entries()) {
    const { node } = resolvedAt(document, [...place, String(index)])
    const others = parameters.filter(other => other !== parameter)
    if (node.in !== 'path') yield change('parameter removed', place, others, String(node.name))
  }
  const added = {
    name: 'added',
    in: 'query',
    description: 'An addition.',
    schema: { type: 'string', maxLength: 100 },
  }
  yield change('parameter added', place, [...parameters, added])
  if (requestBody) yield change('request body removed', [...at, 'requestBody'], undefined)
  const declared = keysOf(responses).filter(status => !status.startsWith('x-'))
  for (const status of declared)
    if (declared.length > 1) yield change('status removed', [...at, 'responses', status], undefined)
  for (const candidates of [
    ['402', '418', '423', '424'],
    ['202', '203', '206'],
  ]) {
    const status = candidates.find(candidate => !declared.includes(candidate))
    const like = declared.find(other => other[0] === candidates[0]?.[0])
    if (like && status) yield change('status added', [...at, 'responses', status], responses[like])
  }
}

function* parameterChanges(
  document: OpenApi,
  { at, node }: Place,
  operations: readonly OperationModel[],
): Generator<Change> {
  const { name, in: location } = node
  if (location === 'path') return
  const other = location === 'header' ? `${name}-X` : `${name}X`
  const urls = operations.flatMap(({ at: own, operation }) => {
    const url = textOf(operation, 'x-successor-url')
    const moved = url?.replace(`?${name}=`, `?${other}=`).replace(`&${name}=`, `&${other}=`)
    return location === 'query' && url !== moved ? [[[...own, 'x-successor-url'], moved] as const] : []
  })
  yield change('parameter renamed', [...at, 'name'], other, '', ...urls)
  yield change('parameter required flipped', [...at, 'required'], !node.required)
  const styles = ['style', 'explode', 'allowReserved', 'allowEmptyValue']
  yield change(
    'parameter location changed',
    [...at, 'in'],
    location === 'query' ? 'header' : 'query',
    '',
    ...styles.map(key => [[...at, key], undefined] as const),
  )
  if (location === 'query' && resolvedAt(document, [...at, 'schema']).node.type === 'array')
    yield change('parameter explode flipped', [...at, 'explode'], node.explode === false)
}

function* contentChanges({ kind, at, node }: Place): Generator<Change> {
  const side = kind === 'response' ? 'response' : 'request'
  if (side === 'request') yield change('request body required flipped', [...at, 'required'], !node.required)
  else {
    if (node.content) yield change('response body removed', [...at, 'content'], undefined)
    for (const name of keysOf(node.headers))
      yield change('response header dropped', [...at, 'headers', name], undefined)
    const added = { description: 'An addition.', schema: { type: 'string' } }
    yield change('response header added', [...at, 'headers'], { ...Object(node.headers), 'X-Added': added })
  }
  const types = keysOf(node.content)
  for (const type of types) {
    const content = renamed(Object(node.content), type, 'application/x-other+json')
    yield change(`${side} media type renamed`, [...at, 'content'], content, type)
    if (types.length > 1) yield change(`${side} media type removed`, [...at, 'content', type], undefined)
  }
}
