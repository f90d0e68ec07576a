import type { IncomingMessage } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import glue from 'fastify-openapi-glue'
import fp from 'fastify-plugin'
import findMyWay from 'find-my-way'
import { boundsOf } from 'spec-served-document/contract/extensions'
import {
  beforeQuery,
  decodeOr,
  isPlain,
  numberedRouteOf,
  routeOf,
  segmentsOf,
} from 'spec-served-document/contract/path-templates'
import type { Model, OperationModel } from 'spec-served-document/model'
import { excerpt } from 'spec-served-document/values/faults'
import { ApiError } from '../errors/api-error.ts'
import type { FirstFields } from '../http/every-request.ts'
import { requestSchemaOf } from '../validation/validation.ts'
import type { Destination } from './destination.ts'
import { nearPaths } from './near-paths.ts'

/** Sorts by the router's needs: segments with more text first, and HEAD first, which Fastify adds to each GET. */
function inOrder(operations: readonly OperationModel[]): OperationModel[] {
  const lengths = ({ url }: OperationModel) =>
    segmentsOf(url).map(pieces => pieces.map(piece => ('text' in piece ? piece.text : '')).join('').length)
  const compare = (a: OperationModel, b: OperationModel) => {
    const [lengthsOfA, other] = [lengths(a), lengths(b)]
    const index = lengthsOfA.findIndex((length, i) => length !== (other[i] ?? 0))
    if (index >= 0) return (other[index] ?? 0) - (lengthsOfA[index] ?? 0)
    return Number(b.method === 'HEAD') - Number(a.method === 'HEAD')
  }
  return operations.toSorted(compare)
}

/** A path of a document, with its methods in upper case. */
interface DocumentPath {
  isTemplate: boolean
  methods: string[]
}

type PathFinder = (url: string) => DocumentPath | undefined
const finders = new WeakMap<Model, PathFinder>()

/** Returns the finder for the path of a URL, whatever the method. Concrete paths come first (OpenAPI 3.0.3, 4.7.8.1). */
export function pathFinder(model: Model): PathFinder {
  const finder = finders.get(model) ?? createPathFinder(model)
  finders.set(model, finder)
  return finder
}

function createPathFinder(model: Model): PathFinder {
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
 * Returns a document for fastify-openapi-glue, with its paths in the router's order.
 * @param isWhole false: no more than paths and operations, where the glue refuses the whole, or would copy too much
 */
function specificationOf({ document, operations }: Model, isWhole: boolean): object {
  const paths: Record<string, Record<string, unknown>> = {}
  for (const { id, method, path, operation } of inOrder(operations)) {
    if (!glued.has(method)) continue
    paths[path] ??= {}
    const bare = { operationId: id, responses: { default: { description: '' } } }
    const read = Object.entries(operation).filter(([name, value]) => isRead(name, value))
    paths[path][method.toLowerCase()] = isWhole ? Object.fromEntries(read) : bare
  }
  return isWhole
    ? { ...document, paths }
    : { openapi: '3.0.3', info: { title: 'Routes', version: '1' }, paths }
}

/** Whether the glue may read a field: not an extension that is null, which it can't, nor its own, one of which leaves routes out. */
const isRead = (name: string, value: unknown) =>
  !name.startsWith('x-') || (value !== null && !/^x-(no-)?fastify-config$/.test(name))

declare module 'fastify' {
  interface FastifyInstance {
    /** the paths of routes without an operation that are registered so far, with their methods */
    pathsBeside: ReadonlyMap<string, ReadonlySet<string>>
  }
}

/** The methods that fastify-openapi-glue supports. */
const glued = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])

/** The engine's additions to the route of an operation. */
type OperationRoute = Omit<RouteOptions, 'method' | 'url'>
type RouteFor = (operation: OperationModel) => OperationRoute

/**
 * Registers a route for each operation of a document. A method accepts bodies if one of its operations has one, or if a
 * project's own route takes it.
 * @param isWhole whether fastify-openapi-glue gets the whole document
 * @param beside the paths of other routes, with their methods
 */
export async function registerOperations(
  app: FastifyInstance,
  model: Model,
  routeFor: RouteFor,
  isWhole = false,
  beside: FastifyInstance['pathsBeside'] = new Map(),
) {
  const unglued = model.operations.filter(({ method }) => !glued.has(method))
  // POST, PUT and PATCH always accept bodies.
  for (const method of new Set([
    'GET',
    'HEAD',
    'DELETE',
    'OPTIONS',
    ...unglued.map(operation => operation.method),
  ])) {
    // Fastify adds a HEAD with the same schema to each GET.
    const operations = model.operations.filter(
      operation => operation.method === method || (method === 'HEAD' && operation.method === 'GET'),
    )
    const isOfProject = method === 'DELETE' && beside.values().some(methods => methods.has(method))
    app.addHttpMethod(method, {
      hasBody: isOfProject || operations.some(({ body }) => body),
      overrideExisting: true,
    })
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
  const byPlace = new Map(
    model.operations.map(operation => [`${operation.method} ${operation.path}`, operation]),
  )
  await app.register(glue, {
    specification: specificationOf(model, isWhole),
    addCookieSchema: true, // else the glue says at each start on the console that Fastify validates none
    operationResolver: (_id, method, path) => {
      const operation = byPlace.get(`${method} ${path}`)
      if (!operation) throw new Error(`There is no operation ${method} ${path}`) // the specification has only these
      const url = routeOf(operation.url)
      // The glue fills in what is left out, although its type differs.
      return {
        ...complete(operation),
        url,
        ...(!isWhole && { schema: requestSchemaOf(operation) }),
      } as RouteOptions
    },
  })
  for (const operation of inOrder(unglued)) {
    const route = { ...complete(operation), method: operation.method, url: routeOf(operation.url) }
    app.route({ ...route, schema: requestSchemaOf(operation) })
  }
}

/** Whether a plain template may take the path of another operation. */
function fits(template: string, path: string): boolean {
  const segments = path.split('/')
  const parts = template.split('/')
  return (
    parts.length === segments.length && parts.every((part, i) => part.startsWith('{') || part === segments[i])
  )
}

/**
 * Answers requests without an operation, before a body is read. An invalid target gets 400, an unknown path 404. A method
 * that the path lacks gets 405 with `Allow`, and OPTIONS 204 with it (RFC 9110, section 9.3.7).
 */
export const notFound = fp<{ model: Model; preflight: FirstFields['preflight'] }>(
  async (app, { model, preflight }) => {
    const find = pathFinder(model)
    const { urlCharacters } = boundsOf(model.document)
    // Paths of the docs and the like, with their methods, which are registered later.
    const others = new Map<string, Set<string>>()
    app.decorate('pathsBeside', others)
    app.addHook('onRoute', ({ url, config, method }) => {
      if (config?.operationId !== undefined || config?.isRefused) return
      // Fastify announces only the HEAD of some GET routes. OPTIONS is no reason to expect a path: @fastify/cors takes all.
      const methods = [method].flat().map(verb => (verb === 'HEAD' ? 'GET' : verb))
      const taken = methods.filter(verb => verb !== 'OPTIONS')
      others.set(url, new Set([...(others.get(url) ?? []), ...taken]))
    })
    const othersAt = (path: string) =>
      [...others].flatMap(([url, methods]) =>
        (url.endsWith('*') ? path.startsWith(url.slice(0, -1)) : path === url) ? [...methods] : [],
      )

    function methodsAt(url: string): readonly string[] {
      const found = url === '*' ? model.operations.map(({ method }) => method) : find(url)?.methods
      const methods = found ?? othersAt(decodeOr(beforeQuery(url)))
      // Fastify answers HEAD for every GET.
      return methods.includes('GET') ? [...methods, 'HEAD'] : methods
    }

    const nearPath = nearPaths(model)
    function nothingAt(path: string): string {
      const meant = nearPath(path)
      const instead = meant === undefined ? 'the docs list all paths.' : `did you mean ${excerpt(meant)}?`
      return `There is nothing at ${excerpt(path)}: ${instead}`
    }

    function answer(request: FastifyRequest, reply: FastifyReply): FastifyReply {
      const { url, method } = request
      const methods = methodsAt(url)
      if (methods.length === 0 || methods.includes(method))
        throw new ApiError('not_found', nothingAt(beforeQuery(url)))
      const allow = [...new Set([...methods, 'OPTIONS'])].join(', ')
      if (method !== 'OPTIONS')
        throw new ApiError('method_not_allowed', `This path takes ${allow}.`, { headers: { Allow: allow } })
      const isPreflight = url !== '*' && request.headers['access-control-request-method'] !== undefined
      if (isPreflight) reply.headers(preflight(allow))
      return reply.code(204).header('Allow', allow).send()
    }

    app.addHook('preParsing', (request, reply, _payload, done) => {
      refuseTarget(request, urlCharacters)
      if (request.destination.isUnknown) answer(request, reply)
      else done()
    })
    app.setNotFoundHandler(answer)
  },
)

const unknown: Destination = { isUnknown: true }

/** Gives each request its destination, before any other hook. */
export function findDestinations(app: FastifyInstance): void {
  app.decorateRequest('destination')
  app.addHook('onRequest', (request, _reply, done) => {
    const { config } = request.routeOptions
    request.destination = request.is404 || config.isMisrouted?.(request) ? unknown : config
    done()
  })
}

/** A host with or without a port (RFC 3986, section 3.2.2), which `http` does not allow to be empty. */
const hostForm =
  /^(?:(?:[\w.~!$&'()*+,;=-]|%[\da-f]{2})+|\[(?:[\da-f:.]+|v[\da-f]+\.[\w.~!$&'()*+,;=:-]+)\])(?::\d*)?$/i

/** A path that no document has, for a target that the router would refuse itself, before any hook. */
const unroutable = '//'

/** Returns a request's target as routes use it. A host in it replaces the Host field (RFC 9112, 3.2.2). */
export function routableForm({ url = '/', headers }: IncomingMessage): string {
  if (url.startsWith('/') && !url.includes('%')) return url
  const [, host, rest = ''] = /^https?:\/\/([^/?#]*)(.*)$/i.exec(url) ?? []
  if (host !== undefined) headers.host = host
  const target = host === undefined ? url : rest.startsWith('/') ? rest : `/${rest}`
  try {
    decodeURIComponent(beforeQuery(target))
    return target
  } catch {
    return unroutable
  }
}

/** The fields of a request that a project's test makes up, as `injectWS` of @fastify/websocket does. */
const asInTests = ['host', '']

/** Refuses a request with an invalid target: its Host (RFC 9112, section 3.2), then its URL. @param urlLimit in characters */
function refuseTarget(request: FastifyRequest, urlLimit: number): void {
  const { rawHeaders = asInTests, headers, httpVersion, method, url = '' } = request.raw
  const hosts = countOf('host', rawHeaders)
  if (hosts === 0 && httpVersion === '1.1') throw invalid('The Host header field is missing.')
  if (hosts > 1) throw invalid('The Host header field stands more than once.')
  // Node hands out the first, and a proxy may have checked the other one.
  if (headers.authorization !== undefined && countOf('authorization', rawHeaders) > 1)
    throw invalid('The Authorization header field stands more than once.')
  if (headers.host !== undefined && !hostForm.test(headers.host))
    throw invalid('The Host header field names no host.')
  // `*` is the server itself, which only OPTIONS can address (RFC 9112, section 3.2.4).
  const isServer = url === '*' && method === 'OPTIONS'
  if (!url.startsWith('/') && !isServer) throw invalid('The target of the request is no URL of this server.')
  if (url.length > urlLimit)
    throw new ApiError('uri_too_long', `The URL is longer than ${urlLimit} characters.`)
  if (url === unroutable && request.originalUrl !== url)
    throw invalid('The path is not valid: it holds a broken percent-encoding.')
  if (/[^\x21-\x7e]|#/.test(url)) throw invalid('The URL holds characters that must be percent-encoded.')
}

/** How often a header field stands in a request. @param rawHeaders names and values by turns */
function countOf(name: string, rawHeaders: readonly string[]): number {
  let count = 0
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const field = rawHeaders[i] ?? ''
    if (field.length === name.length && field.toLowerCase() === name) count++
  }
  return count
}

const invalid = (message: string) => new ApiError('invalid_request', message)
