import type { FastifyInstance, FastifyRequest, RouteOptions } from 'fastify'
import glue from 'fastify-openapi-glue'
import findMyWay from 'find-my-way'
import type { Model, OperationModel } from '../../document/model.ts'
import { isPlain, numberedRouteOf, routeOf, segmentsOf } from '../contract/path-templates.ts'

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
