import { isObject, lookUp, type Path, pathOf } from './pointer.ts'
import {
  methods,
  type OpenApi,
  type Operation,
  type Parameter,
  type PathItem,
  type Reference,
  type RequestBody,
  type Response,
  type Schema,
  type SchemaType,
  type SecurityRequirement,
  type SecurityScheme,
  type Server,
} from './types.ts'

/** An operation with all facts about it in one place. References are resolved, except those to schemas. */
export interface OperationModel {
  id: string
  /** in upper case */
  method: string
  /** the path template, as the document writes it */
  path: string
  /** the template of the served URL: the server's path, then the operation's (OpenAPI 3.0.3, 4.7.5 and 4.7.8.1) */
  url: string
  /** the operation's place in the document */
  place: Path
  operation: Operation
  parameters: readonly Parameter[]
  body: RequestBody | undefined
  /** by status, by a range (`4XX`), or `default` */
  responses: ReadonlyMap<string, Response>
  /** a request must meet one of these; empty: it needs no credential */
  security: readonly SecurityRequirement[]
}

/** A document, with the look-ups that its readers need. */
export interface Model {
  /** normalised: one file, references to components only */
  document: OpenApi
  /** the base path of operations without a server of their own; it does not end with a slash */
  basePath: string
  /** in the order of the document */
  operations: readonly OperationModel[]
  /** by operationId */
  operation(id: string): OperationModel | undefined
  /** whether whole numbers of 64 bits are bigints in requests and replies; absent: they are numbers */
  hasBigints?: boolean
  /** Follows a reference. Any other node is returned as it is. */
  resolve<T extends object>(node: T | Reference): T
}

/** Returns a path with no slash at its end, and one at its beginning: with two it would be another host (RFC 3986, 4.2). */
const basePathIn = (pathname: string) => pathname.replace(/^\/{2,}/, '/').replace(/\/+$/, '')

/** Returns the path of the first server, with default values for its variables. */
function basePathOf([server]: readonly Server[] = []): string {
  const { url = '/', variables = {} } = server ?? {}
  const filled = url.replace(/\{([^{}]+)\}/g, (written, name) => variables[name]?.default ?? written)
  const { pathname } = URL.parse(filled, 'http://localhost') ?? { pathname: '' }
  return basePathIn(pathname)
}

/** Returns the paths of all servers, for each value that a variable lists; the first one is that of `basePathOf`. */
function basePathsOf(servers: readonly Server[] = []): string[] {
  const paths = servers.flatMap(server => {
    const lists = Object.entries(server.variables ?? {}).filter(([name]) => server.url.includes(`{${name}}`))
    const choices = lists.reduce<Server['variables'][]>(
      (all, [name, { default: usual, enum: values = [] }]) =>
        all
          .flatMap(chosen =>
            [...new Set([usual, ...values])].map(choice => ({ ...chosen, [name]: { default: choice } })),
          )
          .slice(0, 20),
      [{}],
    )
    return choices.map(variables => basePathOf([{ ...server, variables: variables ?? {} }]))
  })
  return [...new Set(paths.length > 0 ? paths : [''])]
}

/** Names the places of servers that are not served, as each operation is at its first server alone. */
export function unservedPlaces({
  document,
  basePath,
  operations,
}: Model): { place: Path; message: string }[] {
  const shown = (path: string) => path || '/'
  const placesOf = (place: Path, servers: readonly Server[] | undefined, served: string, names: string) => {
    const others = basePathsOf(servers).filter(path => path !== served)
    const message = `Only the server at ${shown(served)} is served${names}. The document has others at ${others.map(shown).join(', ')}.`
    return others.length > 0 ? [{ place, message }] : []
  }
  const ofOperations = operations.flatMap(({ id, place, path, url, operation: { servers } }) =>
    servers ? placesOf([...place, 'servers'], servers, url.slice(0, -path.length), ` for ${id}`) : [],
  )
  return [...placesOf(['servers'], document.servers, basePath, ''), ...ofOperations]
}

/**
 * Returns the model of a normalised document.
 * @param file takes the place of the first server's path; operations with servers of their own are beside it
 */
export function modelOf(document: OpenApi, file?: string): Model {
  const root = basePathOf(document.servers)
  const basePath = file === undefined ? undefined : basePathIn(file)
  const above = basePath?.endsWith(root) ? basePath.slice(0, basePath.length - root.length) : ''
  const prefixOf = (servers: readonly Server[] | undefined) =>
    servers ? `${above}${basePathOf(servers)}` : (basePath ?? root)
  const targets = new WeakMap<object, object>()
  const resolve = <T extends object>(node: T | Reference): T => {
    const known = targets.get(node)
    if (known) return known as T // a reference has a target of its own kind
    const target = follow(document, node)
    if (!target) throw new Error(`${JSON.stringify(node)} leads nowhere`)
    targets.set(node, target)
    return target
  }
  const operations = Object.entries(document.paths).flatMap(([path, item]) =>
    operationsIn(item).map(
      ({ method, place, operation }): OperationModel => ({
        id: operation.operationId,
        method,
        path,
        url: `${prefixOf(operation.servers)}${path}`,
        place: ['paths', path, ...place],
        operation,
        parameters: (operation.parameters ?? []).map(parameter => resolve(parameter)),
        body: operation.requestBody && resolve(operation.requestBody),
        responses: new Map(
          Object.entries(operation.responses).map(([status, response]) => [status, resolve(response)]),
        ),
        security: operation.security ?? document.security ?? [],
      }),
    ),
  )
  const byId = new Map(operations.map(operation => [operation.id, operation]))
  return {
    document,
    basePath: prefixOf(undefined),
    operations,
    operation: id => byId.get(id),
    resolve,
  }
}

/** Returns a model whose whole numbers of 64 bits are numbers, for values that are drawn or written as JSON. */
export const withoutBigints = (model: Model): Model => ({ ...model, hasBigints: false })

/** Returns a path's operations, with method and place in the path item. Those in named fields come first. */
export function operationsIn<Called extends object>(item: PathItem<Called>) {
  const { additionalOperations = {}, ...fields } = item
  const methodFields = Object.entries(fields).filter(([name]) => methods.some(method => method === name))
  const others = Object.entries(additionalOperations).filter(([name]) => !name.startsWith('x-'))
  return [
    // The name of each tells its kind.
    ...methodFields.map(([name, called]) => ({
      method: name.toUpperCase(),
      place: [name],
      operation: called as Called,
    })),
    ...others.map(([method, operation]) => ({ method, place: ['additionalOperations', method], operation })),
  ]
}

/** Follows references to components. Returns undefined when one has no target. */
export function follow<T extends object>(document: OpenApi, node: T | Reference): T | undefined {
  let target: unknown = node
  // A chain of references is never longer than the number of components. References in a circle are refused.
  for (let hops = 0; hops < 1_000 && isObject(target); hops++) {
    if (typeof target.$ref !== 'string') return target as T // a reference has a target of its own kind
    target = lookUp(document, pathOf(target.$ref.slice(1)) ?? [])
  }
  return undefined
}

/** The codes of the errors that a response can carry: its `x-codes`. */
export function codesOf(response: Response): readonly string[] {
  const codes: unknown = 'x-codes' in response ? response['x-codes'] : undefined
  return Array.isArray(codes) ? codes.filter(code => typeof code === 'string') : []
}

/** Returns the response for a status: its own, else that of its range, else the default. */
export function responseFor({ responses }: OperationModel, status: number): Response | undefined {
  return (
    responses.get(String(status)) ??
    responses.get(`${Math.floor(status / 100)}XX`) ??
    responses.get('default')
  )
}

/** Returns a schema and all parts of its `allOf`, with references resolved. The schema itself comes first. */
export function partsOf({ document }: Pick<Model, 'document'>, schema: Schema | Reference): Schema[] {
  const parts = new Set<Schema>()
  const visit = (node: Schema | Reference) => {
    const part = follow<Schema>(document, node)
    if (!part || parts.has(part)) return
    parts.add(part)
    part.allOf?.forEach(visit)
  }
  visit(schema)
  return [...parts]
}

/** The keywords whose values are schemas (OpenAPI 3.0.3, 4.7.24; JSON Schema 2020-12 Core, section 10). */
export const schemaKeywords = {
  one: `items not additionalProperties contains propertyNames if then else unevaluatedItems unevaluatedProperties`.split(
    ' ',
  ),
  list: ['allOf', 'anyOf', 'oneOf', 'prefixItems'],
  map: ['properties', 'patternProperties', 'dependentSchemas'],
}

/** Returns the types that a schema names, except null; none when it names none. */
export const typesIn = ({ type = [] }: Schema): SchemaType[] => [type].flat().filter(name => name !== 'null')

export const takesNull = ({ type, nullable }: Schema): boolean =>
  nullable === true || [type].flat().includes('null')

/** Returns the values that a schema lists; undefined when it lists none. */
export const valuesIn = (schema: Schema): readonly unknown[] | undefined =>
  schema.const === undefined ? schema.enum : [schema.const]

/** Returns the first example of a schema, which may be null; undefined if it has none. */
export const exampleIn = ({ example, examples }: Schema): unknown =>
  example === undefined && Array.isArray(examples) ? examples[0] : example

/**
 * Returns the values that a discriminator's property can have, and the alternative that each selects. They are names of
 * schemas, then the names in the mapping (OpenAPI 3.0.3, 4.7.25). An alternative without a name can't be selected.
 */
export function namedAlternatives(
  alternatives: readonly (Schema | Reference)[],
  { mapping = {} }: NonNullable<Schema['discriminator']>,
): Map<string, Schema | Reference> {
  const byReference = new Map(
    alternatives.flatMap(alternative => [[referenceIn(alternative), alternative] as const]),
  )
  byReference.delete(undefined)
  const named = new Map(
    [...byReference].map(([to = '', alternative]) => [pathOf(to.slice(1))?.[2] ?? '', alternative]),
  )
  for (const [value, to] of Object.entries(mapping)) {
    const alternative = byReference.get(to)
    if (alternative) named.set(value, alternative)
  }
  return named
}

/** Returns the target of a reference, also of one with other keywords beside it. */
function referenceIn(node: Schema | Reference): string | undefined {
  const { $ref, allOf: [only, ...others] = [] } = node as Schema // a reference lacks these properties
  const referred = $ref ?? (others.length === 0 ? only?.$ref : undefined)
  return typeof referred === 'string' ? referred : undefined
}

/** Returns a scheme's name in Authorization, in lower case (RFC 9110, 11.6.2); undefined: it is sent elsewhere. */
export function authorizationOf({ type, scheme = '' }: SecurityScheme): string | undefined {
  if (type === 'apiKey' || type === 'mutualTLS') return undefined
  // Tokens of OAuth 2 and OpenID Connect are bearer tokens (RFC 6750, section 2.1).
  return type === 'http' ? scheme.toLowerCase() : 'bearer'
}
