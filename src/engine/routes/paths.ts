import type { FastifyInstance, FastifyRequest, RouteOptions } from 'fastify'
import glue from 'fastify-openapi-glue'
import findMyWay from 'find-my-way'
import type { Model, OperationModel } from '../../document/model.ts'
import type { OperationFacts } from '../contract.ts'
import { decodeOr } from '../requests/values.ts'

/** A piece of a segment of a template: text, as it stands decoded, or the name of a parameter. */
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

/** What a parameter takes that shares its segment: all before the text that follows it, in one way, which is never slow. */
function patternOf(pieces: readonly Piece[], index: number): string {
  const isLast = !pieces.slice(index + 1).some(piece => 'name' in piece)
  const next = pieces[index + 1]
  const text = next && 'text' in next ? next.text : ''
  return isLast ? '([^]+)' : `([^](?:(?!${escaped(text)})[^])*)`
}

/** A path template in the router's language, with parameters named by their order. */
export function routeOf(template: string): string {
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

/** What the router has a meaning of its own for, or does not decode, is matched by patterns of one character. */
function literal(text: string, parameter: (pattern: string) => string): string {
  return text.replaceAll(':', '::').replace(/[*%/?#]/g, character => parameter(`(\\${character})`))
}

/** Prepares the reading of a path's parameters, by their names in the template, percent-encoded as they were sent. */
export function pathReader(template: string): (url: string) => Map<string, string> {
  const readers = segmentsOf(template).flatMap((pieces, index) => {
    const names = pieces.flatMap(piece => ('name' in piece ? piece.name : []))
    if (names.length === 0) return []
    // One that has a segment for itself is all of it.
    const parts = pieces.map((piece, i) => ('name' in piece ? patternOf(pieces, i) : escaped(piece.text)))
    return { names, pattern: pieces.length > 1 ? new RegExp(`^${parts.join('')}$`) : /^(.+)$/s, index }
  })
  return url => {
    const segments = beforeQuery(url).slice(1).split('/')
    const values = readers.flatMap(({ names, pattern, index }) => {
      const raw = segments[index] ?? ''
      // Text around parameters may have been escaped without need; then the parameters are read from what it means.
      const [, ...found] = pattern.exec(raw) ?? pattern.exec(decodeOr(raw))?.map(encodeURIComponent) ?? []
      return found.map((value, i) => [names[i] ?? '', value] as const)
    })
    return new Map(values)
  }
}

/** A text as a URI, also in header fields: characters that no URI has are percent-encoded (RFC 3986, section 2). */
export const uriOf = (text: string) =>
  text.toWellFormed().replace(/[^!#-;=?-Z[\]_a-z~]/gu, one => encodeURIComponent(one))

export const beforeQuery = (url: string) => url.split('?', 1)[0] ?? ''

/** In the router's order: first what has more text in a segment, and HEAD, which Fastify adds to each GET. */
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

/** Prepares the finding of the path that a URL is of, whatever the method: concrete ones first (OpenAPI 3.0.3, 4.7.8.1). */
export function pathFinder(model: Model): (url: string) => DocumentPath | undefined {
  const router = findMyWay({ maxParamLength: Number.MAX_SAFE_INTEGER })
  for (const [route, operations] of Map.groupBy(inOrder(model.operations), ({ url }) => routeOf(url))) {
    const methods = operations.map(({ method }) => method)
    const isTemplate = operations.some(({ url }) => url.includes('{'))
    router.on('GET', route, () => undefined, { isTemplate, methods } satisfies DocumentPath)
  }
  return url => {
    const { params = {}, store } = router.find('GET', url) ?? {}
    // The router finds a parameter in nothing, too, as in `/pets/`; no path says so.
    return Object.values(params).includes('') ? undefined : (store as DocumentPath | undefined) // as put in above
  }
}

/** The document as fastify-openapi-glue needs it for routes: without schemas, which it would copy into each of them. */
function skeletonOf({ operations }: Model): object {
  const paths: Record<string, Record<string, object>> = {}
  for (const { id, method, url } of inOrder(operations)) {
    if (!glued.has(method)) continue
    const route = routeOf(url)
    paths[route] ??= {}
    paths[route][method.toLowerCase()] = { operationId: id, responses: { default: { description: '' } } }
  }
  return { openapi: '3.0.3', info: { title: 'Routes', version: '1' }, paths }
}

/** The methods that fastify-openapi-glue knows. */
const glued = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])

/** What the engine adds to the route of an operation. */
type OperationRoute = Omit<RouteOptions, 'method' | 'url'>
type RouteFor = (operation: OperationModel) => OperationRoute

/** Registers a route for each operation of a document, each method with a body where an operation has one. */
export async function registerOperations(app: FastifyInstance, model: Model, routeFor: RouteFor) {
  const unglued = model.operations.filter(({ method }) => !glued.has(method))
  // Those of POST, PUT and PATCH always may have one.
  for (const method of new Set(['GET', 'HEAD', 'DELETE', 'OPTIONS', ...unglued.map(one => one.method)])) {
    // Fastify gives each GET a HEAD of the same schema.
    const own = model.operations.filter(
      one => one.method === method || (method === 'HEAD' && one.method === 'GET'),
    )
    app.addHttpMethod(method, { hasBody: own.some(({ body }) => body), overrideExisting: true })
  }
  const find = pathFinder(model)
  // The router goes by the method first, and takes a concrete path without this one for a template's.
  const isMisrouted = ({ url }: FastifyRequest) => find(url)?.isTemplate !== true
  const complete = (operation: OperationModel): OperationRoute => {
    const route = routeFor(operation)
    return operation.url.includes('{') ? { ...route, config: { ...route.config, isMisrouted } } : route
  }
  await app.register(glue, {
    specification: skeletonOf(model),
    operationResolver: (id: string) => {
      const operation = model.operation(id)
      if (!operation) throw new Error(`There is no operation ${id}`) // the skeleton has been made of them
      return complete(operation) as RouteOptions // method and URL are the glue's to fill in, whatever its type says
    },
  })
  for (const operation of inOrder(unglued))
    app.route({ ...complete(operation), method: operation.method, url: routeOf(operation.url) })
}

interface Destination {
  /** absent for the docs, and where there is nothing */
  operationId?: string
  facts?: OperationFacts
  isUnknown?: boolean
}

declare module 'fastify' {
  interface FastifyContextConfig extends Destination {
    /** Whether the router was wrong to take this route; absent where that can't be. */
    isMisrouted?: (request: FastifyRequest) => boolean
  }
  interface FastifyRequest {
    /** Found out once, as Fastify collects `routeOptions` again each time; null before. */
    destination: Destination | null
  }
}

function destinationOf(request: FastifyRequest): Destination {
  if (request.destination) return request.destination
  const { config } = request.routeOptions
  const isUnknown = request.is404 || config.isMisrouted?.(request) === true
  request.destination = isUnknown ? { isUnknown } : config
  return request.destination
}

/** The operation that a request was routed to; undefined for the docs and for what `isUnknown`. */
export const operationOf = (request: FastifyRequest): string | undefined => destinationOf(request).operationId

/** What is known of the operation that a request was routed to. */
export const factsFor = (request: FastifyRequest): OperationFacts | undefined => destinationOf(request).facts

/** Whether there is nothing at a request's path, or not with its method. */
export const isUnknown = (request: FastifyRequest): boolean => destinationOf(request).isUnknown === true
