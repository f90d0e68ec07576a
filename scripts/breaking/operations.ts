import { methods, type OpenApi } from '../document/model.ts'
import type { Change, Reader, Severity } from './change.ts'
import { compareDeprecation, compareStability, isOver, type Lifecycle, stabilityOf } from './lifecycle.ts'
import { canonical, child, elements, entries, follow, type Located, rootOf } from './located.ts'
import { compareSchemas } from './schemas.ts'
import { compareRequirements, type Requirement } from './security.ts'
import { compareServers, type Server } from './servers.ts'
import type { Schema } from './shape.ts'

interface PathItem {
  parameters?: Parameter[]
  servers?: Server[]
}

interface Operation extends Lifecycle, PathItem {
  operationId?: string
  security?: Requirement[]
  requestBody?: { required?: boolean; content?: Content }
  responses?: Record<string, Response>
  callbacks?: Record<string, unknown>
  'x-required-scope'?: string
  'x-quota-free'?: boolean
  'x-successor'?: string
}

interface Parameter extends Lifecycle {
  name: string
  in: string
  required?: boolean
  style?: string
  explode?: boolean
  allowReserved?: boolean
  allowEmptyValue?: boolean
  schema?: Schema
  content?: Content
}

interface Response {
  headers?: Record<string, Parameter>
  content?: Content
}

type Content = Record<string, { schema?: Schema; encoding?: Record<string, object> }>

interface Route {
  path: string
  method: string
  item: Located<PathItem>
  operation: Located<Operation>
}

interface Pair {
  base: Route
  next: Route
  /** today, YYYY-MM-DD in UTC */
  day: string
  /** what the base promises */
  stability: string
}

type Changes = Generator<Change>

/**
 * Judges what changes in the operations of a document. What the base calls experimental may change at any time: of
 * that, all changes are info. The place of each change begins with its operation.
 * @param day today, YYYY-MM-DD in UTC
 */
export function* compareOperations(base: OpenApi, next: OpenApi, day: string): Changes {
  const [before, after] = [routesOf(base), routesOf(next)]
  const kept = new Set<Route>()
  for (const route of before.values()) {
    const same = after.get(keyOf(route)) ?? moved(route, before, after)
    if (same) kept.add(same)
    const stability = stabilityOf(route.operation.node)
    const changes = same
      ? compareOperation({ base: route, next: same, day, stability })
      : [removedOperation(route, day)]
    for (const change of changes) {
      const free = stability === 'experimental' && change.severity !== 'info'
      yield {
        ...change,
        ...(free ? { severity: 'info', why: 'experimental operations may change at any time' } : {}),
        place: `${labelOf(same ?? route)} ${change.place}`.trim(),
      }
    }
  }
  for (const route of after.values())
    if (!kept.has(route))
      yield change(
        'info',
        'operation-added',
        labelOf(route),
        route.operation,
        `${titleOf(route)} is new`,
        'clients need not use it',
      )
}

function routesOf(document: OpenApi): Map<string, Route> {
  const paths = child(rootOf(document), 'paths')
  const routes = entries(paths).flatMap(([path, declared]) => {
    const item = follow(declared) as Located<PathItem & Record<string, Operation>> // what stands under a method is an operation
    return methods.flatMap(method => {
      const operation = child(item, method)
      return operation ? [{ path, method, item, operation }] : []
    })
  })
  return new Map(routes.map(route => [keyOf(route), route]))
}

/** The same for paths that differ only in the names of their parameters. */
function keyOf({ method, path }: Route): string {
  return `${method} ${path.replace(/\{[^}]*\}/g, '{}')}`
}

function titleOf({ method, path }: Route): string {
  return `${method.toUpperCase()} ${path}`
}

function labelOf(route: Route): string {
  return route.operation.node.operationId ?? titleOf(route)
}

function moved(route: Route, before: Map<string, Route>, after: Map<string, Route>): Route | undefined {
  const id = route.operation.node.operationId
  return [...after.values()].find(
    other => id !== undefined && other.operation.node.operationId === id && !before.has(keyOf(other)),
  )
}

function removedOperation(route: Route, day: string): Change {
  const over = isOver(route.operation.node, day)
  return {
    ...change(
      over ? 'info' : 'breaking',
      'operation-removed',
      '',
      route.operation,
      `${titleOf(route)} is gone`,
      over ? 'its sunset has passed' : 'clients that call it fail',
    ),
    side: 'base',
  }
}

function* compareOperation(pair: Pair): Changes {
  const { base, next, day, stability } = pair
  const [before, after] = [base.operation.node, next.operation.node]
  if (keyOf(base) !== keyOf(next)) {
    const over = isOver(before, day)
    const what = `${titleOf(base)} became ${titleOf(next)}`
    yield change(
      over ? 'info' : 'breaking',
      'operation-moved',
      '',
      next.operation,
      what,
      'clients that call the old path fail',
    )
  }
  if (before.operationId !== after.operationId)
    yield change(
      before.operationId === undefined ? 'info' : 'breaking',
      'operation-id-changed',
      '',
      at(next.operation, 'operationId'),
      `the operationId was ${before.operationId ?? 'none'} and is ${after.operationId ?? 'none'}`,
      'generated clients name their methods after it',
    )
  for (const part of compareStability(base.operation, next.operation)) yield { ...part, place: '' }
  for (const part of compareDeprecation(base.operation, next.operation, {
    day,
    stability,
    mayBeEndless: false,
  }))
    yield { ...part, place: '' }
  if (before['x-successor'] !== after['x-successor'])
    yield change(
      'info',
      'successor-changed',
      '',
      at(next.operation, 'x-successor'),
      `the successor was ${before['x-successor'] ?? 'none'} and is ${after['x-successor'] ?? 'none'}`,
      'clients may take another way',
    )
  yield* compareAccess(pair)
  yield* compareParameters(pair)
  yield* compareBody(pair)
  yield* compareResponses(pair)
  yield* compareCallbacks(pair)
  if (before.servers ?? base.item.node.servers ?? after.servers ?? next.item.node.servers)
    yield* compareServers(serversOf(base), serversOf(next))
}

function serversOf({ item, operation }: Route): Located<readonly Server[]> | undefined {
  const document = rootOf(operation.document as { servers?: Server[] }) // the document that the operation is part of
  return child(operation, 'servers') ?? child(item, 'servers') ?? child(document, 'servers')
}

function* compareAccess({ base, next }: Pair): Changes {
  yield* compareRequirements(base.operation, next.operation)
  const [before, after] = [base.operation.node, next.operation.node]
  const [had, has] = [before['x-required-scope'], after['x-required-scope']]
  const scope = at(next.operation, 'x-required-scope')
  if (had !== has && has === undefined)
    yield change(
      'info',
      'scope-removed',
      '',
      scope,
      `the scope ${had} is no longer needed`,
      'more keys may call it',
    )
  else if (had !== has)
    yield change(
      'breaking',
      had === undefined ? 'scope-added' : 'scope-changed',
      '',
      scope,
      `the scope was ${had ?? 'none'} and is ${has}`,
      'keys that may call it now are refused',
    )
  const [free, isFree] = [before['x-quota-free'] === true, after['x-quota-free'] === true]
  if (free && !isFree)
    yield change(
      'breaking',
      'quota-counted',
      '',
      at(next.operation, 'x-quota-free'),
      'it uses up quota now',
      'clients reach their limits sooner',
    )
  if (!free && isFree)
    yield change(
      'info',
      'quota-free',
      '',
      at(next.operation, 'x-quota-free'),
      'it uses up no quota any more',
      'clients can do more',
    )
}

/** The parameters of a path and of its operation; path parameters go by their order, as their names are only ours. */
function parametersOf({ path, item, operation }: Route): Map<string, Located<Parameter>> {
  const order = [...path.matchAll(/\{([^}]*)\}/g)].map(([, name]) => name)
  const all = [...elements(child(item, 'parameters')), ...elements(child(operation, 'parameters'))]
  return new Map(
    all
      .filter(({ node }) => node.in !== 'header' || !/^(accept|content-type|authorization)$/i.test(node.name))
      .map(parameter => {
        const { in: location, name } = parameter.node
        const id = { path: String(order.indexOf(name)), header: name.toLowerCase() }[location] ?? name
        return [`${location} ${id}`, parameter]
      }),
  )
}

function* compareParameters(pair: Pair): Changes {
  const { base, next, day } = pair
  const [before, after] = [parametersOf(base), parametersOf(next)]
  const fresh = new Map([...after].filter(([key]) => !before.has(key)))
  for (const [key, old] of before) {
    const same = after.get(key)
    if (same) {
      yield* compareParameter(old, same, pair)
      continue
    }
    const place = placeOf(old)
    const elsewhere = [...fresh].find(
      ([, { node }]) => node.name.toLowerCase() === old.node.name.toLowerCase(),
    )
    if (elsewhere) {
      fresh.delete(elsewhere[0])
      const what = `the parameter moved from ${old.node.in} to ${elsewhere[1].node.in}`
      yield change(
        'breaking',
        'parameter-moved',
        place,
        elsewhere[1],
        what,
        'clients send it where it is not read',
      )
      continue
    }
    const over = isOver(old.node, day) || isOver(base.operation.node, day)
    yield {
      ...change(
        over ? 'info' : 'breaking',
        'parameter-removed',
        place,
        old,
        'the parameter is gone',
        over ? 'its sunset has passed' : 'requests that send it are refused or not understood',
      ),
      side: 'base',
    }
  }
  for (const parameter of fresh.values()) {
    const due = isRequired(parameter.node)
    yield change(
      due ? 'breaking' : 'info',
      due ? 'required-parameter-added' : 'parameter-added',
      placeOf(parameter),
      parameter,
      due ? 'the required parameter is new' : 'the parameter is new',
      due ? 'requests of before lack it' : 'clients need not send it',
    )
  }
}

function isRequired({ required, in: location }: Parameter): boolean {
  return required === true || location === 'path'
}

function placeOf({ node }: Located<Parameter>): string {
  return `${node.in} ${node.name}`
}

function* compareParameter(
  base: Located<Parameter>,
  next: Located<Parameter>,
  { day, stability }: Pair,
): Changes {
  const place = placeOf(next)
  const [was, is] = [isRequired(base.node), isRequired(next.node)]
  if (!was && is)
    yield change(
      'breaking',
      'parameter-became-required',
      place,
      at(next, 'required'),
      'the parameter became required',
      'requests without it are refused',
    )
  if (was && !is)
    yield change(
      'info',
      'parameter-became-optional',
      place,
      next,
      'the parameter became optional',
      'clients may leave it out',
    )
  for (const part of compareDeprecation(base, next, { day, stability, mayBeEndless: true }))
    yield { ...part, place }
  yield* compareForm(base, next, place)
  const context = { reader: 'request', place, day, stability } as const
  if (base.node.schema && next.node.schema)
    yield* compareSchemas(child(base, 'schema'), child(next, 'schema'), context)
  if (base.node.content && next.node.content)
    yield* compareContent(child(base, 'content'), child(next, 'content'), context)
}

/** How a parameter is written; unsaid, it is as OpenAPI 3.0.3 section 4.7.12 says. */
function* compareForm(base: Located<Parameter>, next: Located<Parameter>, place: string): Changes {
  const form = ({ in: location, style, explode, content }: Parameter) => {
    if (content) return 'that of a media type'
    const due = style ?? (location === 'query' || location === 'cookie' ? 'form' : 'simple')
    return `${due}${(explode ?? due === 'form') ? ', exploded' : ''}`
  }
  // One value alone is written the same whether exploded or not.
  const plain = [base, next].every(
    parameter => !/array|object/.test(String(child(parameter, 'schema')?.node.type ?? 'array')),
  )
  const [before, after] = [base.node, next.node].map(form)
  if (before !== after && !(plain && (base.node.style ?? '') === (next.node.style ?? '')))
    yield change(
      'breaking',
      'parameter-style-changed',
      place,
      at(next, 'style' in next.node ? 'style' : 'explode'),
      `the style was ${before} and is ${after}`,
      'lists and objects are read otherwise than clients write them',
    )
  for (const key of ['allowReserved', 'allowEmptyValue'] as const)
    if (base.node[key] === true && next.node[key] !== true)
      yield change(
        'breaking',
        'parameter-form-narrowed',
        place,
        at(next, key),
        `${key} is gone`,
        'requests that were accepted may be refused',
      )
}

function* compareBody({ base, next, day, stability }: Pair): Changes {
  const [before, after] = [child(base.operation, 'requestBody'), child(next.operation, 'requestBody')]
  const place = 'request body'
  if (!before && after) {
    const due = after.node.required === true
    yield change(
      due ? 'breaking' : 'info',
      due ? 'required-request-body-added' : 'request-body-added',
      place,
      after,
      due ? 'the required body is new' : 'the body is new',
      due ? 'requests of before lack it' : 'clients need not send it',
    )
  }
  if (before && !after)
    yield {
      ...change(
        'breaking',
        'request-body-removed',
        place,
        before,
        'the body is gone',
        'what clients send is not read any more',
      ),
      side: 'base',
    }
  if (!before || !after) return
  if (!before.node.required && after.node.required)
    yield change(
      'breaking',
      'request-body-became-required',
      place,
      at(after, 'required'),
      'the body became required',
      'requests without it are refused',
    )
  if (before.node.required && !after.node.required)
    yield change(
      'info',
      'request-body-became-optional',
      place,
      after,
      'the body became optional',
      'clients may leave it out',
    )
  yield* compareContent(child(before, 'content'), child(after, 'content'), {
    reader: 'request',
    place,
    day,
    stability,
  })
}

function* compareContent(
  base: Located<Content> | undefined,
  next: Located<Content> | undefined,
  context: { reader: Reader; place: string; day: string; stability: string },
): Changes {
  const { reader, place } = context
  const request = reader === 'request'
  const byType = (content: Located<Content> | undefined) =>
    new Map(entries(content).map(([type, media]) => [type.toLowerCase().replaceAll(' ', ''), media]))
  const [before, after] = [byType(base), byType(next)]
  for (const [type, media] of before) {
    const same = after.get(type)
    if (!same) {
      const why = request ? 'requests that send it are refused' : 'clients that read it get something else'
      yield {
        ...change('breaking', 'media-type-removed', place, media, `${type} is gone`, why),
        side: 'base',
      }
      continue
    }
    yield* compareSchemas(child(media, 'schema'), child(same, 'schema'), context)
    if (canonical(media.node.encoding ?? {}) !== canonical(same.node.encoding ?? {}))
      yield change(
        'breaking',
        'encoding-changed',
        place,
        at(same, 'encoding'),
        `the encoding of ${type} changed`,
        'parts are read otherwise than they are written',
      )
  }
  for (const [type, media] of after)
    if (!before.has(type))
      yield change(
        request ? 'info' : 'warning',
        'media-type-added',
        place,
        media,
        `${type} is new`,
        request ? 'clients may send it' : 'clients that ask for no type may get it',
      )
}

function* compareResponses({ base, next, day, stability }: Pair): Changes {
  const declared = (route: Route) => new Map(entries(child(route.operation, 'responses')))
  const [before, after] = [declared(base), declared(next)]
  for (const [status, old] of before) {
    const place = `response ${status}`
    const same = coverOf(after, status)
    const error = !/^[123]/.test(status)
    if (!same)
      yield {
        ...change(
          error ? 'warning' : 'breaking',
          'status-removed',
          place,
          old,
          `${status} is gone`,
          error ? 'clients that act on it wait in vain' : 'clients that expect it get another answer',
        ),
        side: 'base',
      }
    else {
      const context = { reader: error ? ('error' as const) : ('response' as const), place, day, stability }
      yield* compareHeaders(child(old, 'headers'), child(same, 'headers'), context)
      yield* compareContent(child(old, 'content'), child(same, 'content'), context)
    }
  }
  for (const [status, response] of after) {
    if (coverOf(before, status)) continue
    const error = !/^[123]/.test(status)
    yield change(
      error ? 'info' : 'warning',
      'status-added',
      `response ${status}`,
      response,
      `${status} is new`,
      error
        ? 'clients treat an unknown error by its class'
        : 'clients that expect another success may not understand it',
    )
  }
}

/** The response that is declared for a status: its own, that of its range (`4XX`), or the default. */
function coverOf(responses: Map<string, Located<Response>>, status: string): Located<Response> | undefined {
  return responses.get(status) ?? responses.get(`${status[0]}XX`) ?? responses.get('default')
}

function* compareHeaders(
  base: Located<Record<string, Parameter>> | undefined,
  next: Located<Record<string, Parameter>> | undefined,
  context: { reader: Reader; place: string; day: string; stability: string },
): Changes {
  const byName = (headers: typeof base) =>
    new Map(
      entries(headers)
        .filter(([name]) => !/^content-type$/i.test(name))
        .map(([name, header]) => [name.toLowerCase(), { name, header }]),
    )
  const [before, after] = [byName(base), byName(next)]
  for (const [key, { name, header }] of before) {
    const same = after.get(key)?.header
    const place = `${context.place} header ${name}`
    if (!same)
      yield {
        ...change(
          'breaking',
          'header-removed',
          place,
          header,
          'the header is gone',
          'clients that read it find nothing',
        ),
        side: 'base',
      }
    else {
      if (header.node.required && !same.node.required)
        yield change(
          'breaking',
          'header-became-optional',
          place,
          same,
          'the header became optional',
          'clients that read it may find nothing',
        )
      if (!header.node.required && same.node.required)
        yield change(
          'info',
          'header-became-required',
          place,
          at(same, 'required'),
          'the header became required',
          'clients always find it',
        )
      yield* compareForm(header, same, place)
      yield* compareSchemas(child(header, 'schema'), child(same, 'schema'), { ...context, place })
    }
  }
  for (const [key, { name, header }] of after)
    if (!before.has(key))
      yield change(
        'info',
        'header-added',
        `${context.place} header ${name}`,
        header,
        'the header is new',
        'clients need not read it',
      )
}

function* compareCallbacks({ base, next }: Pair): Changes {
  const named = (route: Route) => new Map(entries(child(route.operation, 'callbacks')))
  const [before, after] = [named(base), named(next)]
  for (const [name, callback] of before) {
    const same = after.get(name)
    const place = `callback ${name}`
    if (!same)
      yield {
        ...change(
          'breaking',
          'callback-removed',
          place,
          callback,
          'the callback is gone',
          'clients wait for it in vain',
        ),
        side: 'base',
      }
    else if (canonical(callback.node) !== canonical(same.node))
      yield change(
        'warning',
        'callback-changed',
        place,
        same,
        'the callback changed',
        'clients may not understand it',
      )
  }
  for (const [name, callback] of after)
    if (!before.has(name))
      yield change(
        'info',
        'callback-added',
        `callback ${name}`,
        callback,
        'the callback is new',
        'clients need not take it',
      )
}

function change(
  severity: Severity,
  rule: string,
  place: string,
  { at }: { at: readonly string[] },
  what: string,
  why: string,
): Change {
  return { severity, rule, place, at, side: 'new', what, why }
}

/** The place of a key where there is one, else of what lacks it. */
function at(located: Located<object>, key: string): { at: readonly string[] } {
  return { at: key in located.node ? [...located.at, key] : located.at }
}
