import type { FastifyInstance, FastifyRequest, RouteOptions } from 'fastify'
import glue from 'fastify-openapi-glue'
import findMyWay from 'find-my-way'
import type { Model, OperationModel } from '../../document/model.ts'
import type { OperationFacts } from '../contract.ts'
import { decodeOr } from '../requests/values.ts'

/** A piece of a template's segment: decoded text, or the name of a parameter. */
type Piece = { text: string } | { name: string }

/** The pieces of each segment of a path template (OpenAPI 3.0.3, 4.7.8.1). */
function segmentsOf(template: string): Piece[][] {
  return template
    .slice(1)
    .split('/')
    .map(segment =>
      segment.split(/(\{[^{}]+\})/).flatMap((piece): Piece[] => {
        if (piece === '') return []
        return piece.startsWith('{') ? [{ name: piece.slice(1, -1) }] : [{ text: decodeOr(piece) }]
      }),
    )
}

const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')

/** The pattern of a parameter that shares its segment. It matches up to the next text in one way, and is never slow. */
function patternOf(pieces: readonly Piece[], index: number): string {
  const isLast = !pieces.slice(index + 1).some(piece => 'name' in piece)
  const next = pieces[index + 1]
  const text = next && 'text' in next ? next.text : ''
  return isLast ? '([^]+)' : `([^](?:(?!${escaped(text)})[^])*)`
}

/** A template whose parameters stand alone in their segments, under names that the router takes. */
const plainTemplate = /^(?:\/(?:[\w.~-]+|\{(?!__proto__\})[A-Za-z_]\w*\}))+$/

/** Whether the router's own values of a path's parameters serve, decoded and by the names in the template. */
export const isPlain = (template: string): boolean => plainTemplate.test(template)

/** Returns a path template in the router's syntax. If it is not plain, parameters are named by their order. */
export function routeOf(template: string): string {
  return isPlain(template) ? template.replace(/\{(\w+)\}/g, ':$1') : numberedRouteOf(template)
}

function numberedRouteOf(template: string): string {
  let count = 0
  const parameter = (pattern: string) => `:p${count++}${pattern}`
  const segments = segmentsOf(template).map(pieces => {
    if (pieces.length === 1 && pieces[0] && 'name' in pieces[0]) return parameter('')
    const parts = pieces.map((piece, i) =>
      'name' in piece ? parameter(patternOf(pieces, i)) : literal(piece.text, parameter),
    )
    return parts.join('')
  })
  return `/${segments.join('/')}`
}

/** Characters that are special to the router, or that it does not decode, become patterns of one character. */
function literal(text: string, parameter: (pattern: string) => string): string {
  return text.replaceAll(':', '::').replace(/[*%/?#]/g, character => parameter(`(\\${character})`))
}

/** Returns a reader for a path's parameters, by their names in the template, still percent-encoded. */
export function pathReader(template: string): (url: string) => Map<string, string> {
  const readers = segmentsOf(template).flatMap((pieces, index) => {
    const names = pieces.flatMap(piece => ('name' in piece ? piece.name : []))
    if (names.length === 0) return []
    // A parameter that is alone in its segment takes all of it.
    const parts = pieces.map((piece, i) => ('name' in piece ? patternOf(pieces, i) : escaped(piece.text)))
    return { names, pattern: pieces.length > 1 ? new RegExp(`^${parts.join('')}$`) : /^(.+)$/s, index }
  })
  return url => {
    const segments = beforeQuery(url).slice(1).split('/')
    const values = readers.flatMap(({ names, pattern, index }) => {
      const raw = segments[index] ?? ''
      // Text around parameters may be escaped without need. Then the parameters are read from the decoded path.
      const [, ...found] = pattern.exec(raw) ?? pattern.exec(decodeOr(raw))?.map(encodeURIComponent) ?? []
      return found.map((value, i) => [names[i] ?? '', value] as const)
    })
    return new Map(values)
  }
}

/** Returns a text as a URI, also for header fields. Characters that no URI has are percent-encoded (RFC 3986, 2). */
export const uriOf = (text: string) =>
  text.toWellFormed().replace(/[^!#-;=?-Z[\]_a-z~]/gu, one => encodeURIComponent(one))

export const beforeQuery = (url: string) => url.split('?', 1)[0] ?? ''

/** Sorts by the router's needs: segments with more text first, and HEAD first, which Fastify adds to each GET. */
function inOrder(operations: readonly OperationModel[]): OperationModel[] {
  const lengths = ({ url }: OperationModel) =>
    segmentsOf(url).map(pieces => pieces.map(piece => ('text' in piece ? piece.text : '')).join('').length)
  const compare = (a: OperationModel, b: OperationModel) => {
    const [own, other] = [lengths(a), lengths(b)]
    const at = own.findIndex((length, i) => length !== (other[i] ?? 0))
    if (at >= 0) return (other[at] ?? 0) - (own[at] ?? 0)
    return Number(b.method === 'HEAD') - Number(a.method === 'HEAD')
  }
  return operations.toSorted(compare)
}

/** A path of a document, with its methods in upper case. */
interface DocumentPath {
  isTemplate: boolean
  methods: string[]
}

/** Returns a finder for the path of a URL, whatever the method. Concrete paths come first (OpenAPI 3.0.3, 4.7.8.1). */
export function pathFinder(model: Model): (url: string) => DocumentPath | undefined {
  const router = findMyWay({ maxParamLength: Number.MAX_SAFE_INTEGER })
  for (const [route, operations] of Map.groupBy(inOrder(model.operations), ({ url }) =>
    numberedRouteOf(url),
  )) {
    const methods = operations.map(({ method }) => method)
    const isTemplate = operations.some(({ url }) => url.includes('{'))
    router.on('GET', route, () => undefined, { isTemplate, methods } satisfies DocumentPath)
  }
  return url => {
    const { params = {}, store } = router.find('GET', url) ?? {}
    // The router also matches an empty parameter, as in `/pets/`. No path declares that.
    return Object.values(params).includes('') ? undefined : (store as DocumentPath | undefined) // stored above
  }
}

/**
 * Returns the document for fastify-openapi-glue's routes: its paths and operations, without schemas, which the glue would
 * copy into each route.
 */
function skeletonOf({ operations }: Model): object {
  const paths: Record<string, Record<string, object>> = {}
  for (const { id, method, url } of inOrder(operations)) {
    if (!glued.has(method)) continue
    const route = isPlain(url) ? url : routeOf(url)
    paths[route] ??= {}
    paths[route][method.toLowerCase()] = { operationId: id, responses: { default: { description: '' } } }
  }
  return { openapi: '3.0.3', info: { title: 'Routes', version: '1' }, paths }
}

/** The methods that fastify-openapi-glue supports. */
const glued = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])

/** The engine's additions to the route of an operation. */
type OperationRoute = Omit<RouteOptions, 'method' | 'url'>
type RouteFor = (operation: OperationModel) => OperationRoute

/** Registers a route for each operation of a document. A method accepts bodies if one of its operations has one. */
export async function registerOperations(app: FastifyInstance, model: Model, routeFor: RouteFor) {
  const unglued = model.operations.filter(({ method }) => !glued.has(method))
  // POST, PUT and PATCH always accept bodies.
  for (const method of new Set(['GET', 'HEAD', 'DELETE', 'OPTIONS', ...unglued.map(one => one.method)])) {
    // Fastify adds a HEAD with the same schema to each GET.
    const own = model.operations.filter(
      one => one.method === method || (method === 'HEAD' && one.method === 'GET'),
    )
    app.addHttpMethod(method, { hasBody: own.some(({ body }) => body), overrideExisting: true })
  }
  const find = pathFinder(model)
  const concrete = model.operations.filter(({ url }) => !url.includes('{'))
  // The router also matches an empty parameter, as in `/pets/`. No path declares that.
  const hasEmpty = ({ params }: FastifyRequest) => {
    for (const value of Object.values(params as object)) if (value === '') return true
    return false
  }
  // The router compares the method first. It takes a concrete path without this method for a template's.
  const isHidden = ({ url }: FastifyRequest) => find(url)?.isTemplate !== true
  const complete = (operation: OperationModel): OperationRoute => {
    const route = routeFor(operation)
    if (!operation.url.includes('{')) return route
    const mayHide = !isPlain(operation.url) || concrete.some(({ url }) => fits(operation.url, url))
    return { ...route, config: { ...route.config, isMisrouted: mayHide ? isHidden : hasEmpty } }
  }
  await app.register(glue, {
    specification: skeletonOf(model),
    operationResolver: (id: string) => {
      const operation = model.operation(id)
      if (!operation) throw new Error(`There is no operation ${id}`) // the skeleton has only these operations
      return complete(operation) as RouteOptions // the glue fills in method and URL, although its type differs
    },
  })
  for (const operation of inOrder(unglued))
    app.route({ ...complete(operation), method: operation.method, url: routeOf(operation.url) })
}

/** Whether a plain template may take the path of another operation. */
function fits(template: string, path: string): boolean {
  const segments = path.split('/')
  const own = template.split('/')
  return own.length === segments.length && own.every((one, i) => one.startsWith('{') || one === segments[i])
}

/** The place to which the router leads a request. Each stage adds what it knows of an operation at the start. */
export interface Destination {
  /** absent for the docs and for unknown paths */
  operationId?: string
  facts?: OperationFacts
  isUnknown?: boolean
  /** whether the route refuses a wrong credential; absent: it takes no notice, as the docs do */
  takesKeys?: boolean
  /** whether the route only refuses */
  isRefused?: boolean
}

declare module 'fastify' {
  interface FastifyContextConfig extends Destination {
    /** Whether the router took this route wrongly. Absent if that is impossible. */
    isMisrouted?: (request: FastifyRequest) => boolean
  }
  interface FastifyRequest {
    /** Cached, because Fastify builds `routeOptions` again at each access; null at first. */
    destination: Destination | null
  }
}

const unknown: Destination = { isUnknown: true }

/** Returns the destination of a request. */
export function destinationOf(request: FastifyRequest): Destination {
  if (request.destination) return request.destination
  const { config } = request.routeOptions
  const isUnknown = request.is404 || config.isMisrouted?.(request) === true
  request.destination = isUnknown ? unknown : config
  return request.destination
}

/** Returns the operation of a request's route; undefined for the docs and for an `isUnknown` request. */
export const operationOf = (request: FastifyRequest): string | undefined => destinationOf(request).operationId

/** Returns the facts about the operation of a request's route. */
export const factsFor = (request: FastifyRequest): OperationFacts | undefined => destinationOf(request).facts

/** Whether a request's route needs no credential, but refuses a wrong one. */
export const takesKeys = (request: FastifyRequest): boolean => destinationOf(request).takesKeys === true

/** Whether no path matches a request, or none with its method. */
export const isUnknown = (request: FastifyRequest): boolean => destinationOf(request).isUnknown === true
