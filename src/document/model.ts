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
  type Server,
} from './types.ts'

/** An operation with all that is known of it in one place; references in it are followed, but for those to schemas. */
export interface OperationModel {
  id: string
  /** in upper case */
  method: string
  /** the template, as it stands in the document */
  path: string
  /** the template of where it is served: the path follows that of the server (OpenAPI 3.0.3, 4.7.5 and 4.7.8.1) */
  url: string
  /** where it stands in the document */
  at: Path
  operation: Operation
  parameters: readonly Parameter[]
  body: RequestBody | undefined
  /** by status, by a range (`4XX`), or `default` */
  responses: ReadonlyMap<string, Response>
  /** one of these must be met; empty when none need be */
  security: readonly SecurityRequirement[]
}

/** A document, ready to be asked. */
export interface Model {
  /** normalised: one file, references to components only */
  document: OpenApi
  /** where operations are served that have no server of their own, without a slash at its end */
  basePath: string
  /** in the order of the document */
  operations: readonly OperationModel[]
  /** by operationId */
  operation(id: string): OperationModel | undefined
  /** Follows a reference; what is none is returned as it is. */
  resolve<T extends object>(node: T | Reference): T
}

/** The path of the first of several servers, variables by their defaults, without a slash at its end. */
function basePathOf([server]: readonly Server[] = []): string {
  const { url = '/', variables = {} } = server ?? {}
  const filled = url.replace(/\{([^{}]+)\}/g, (written, name) => variables[name]?.default ?? written)
  const { pathname } = URL.parse(filled, 'http://localhost') ?? { pathname: '' }
  return pathname.replace(/\/+$/, '')
}

/** The model of a normalised document. @param basePath where all operations are served, whatever their servers */
export function modelOf(document: OpenApi, basePath?: string): Model {
  const prefixOf = (servers: readonly Server[] | undefined) => basePath ?? basePathOf(servers)
  const resolve = <T extends object>(node: T | Reference): T => {
    const target = follow(document, node)
    if (!target) throw new Error(`${JSON.stringify(node)} leads nowhere`)
    return target
  }
  const operations = Object.entries(document.paths).flatMap(([path, item]) =>
    operationsIn(item).map(
      ({ method, at, operation }): OperationModel => ({
        id: operation.operationId,
        method,
        path,
        url: `${prefixOf(operation.servers ?? document.servers)}${path}`,
        at: ['paths', path, ...at],
        operation,
        parameters: (operation.parameters ?? []).map(parameter => resolve(parameter)),
        body: operation.requestBody && resolve(operation.requestBody),
        responses: new Map(
          Object.entries(operation.responses).map(([status, one]) => [status, resolve(one)]),
        ),
        security: operation.security ?? document.security ?? [],
      }),
    ),
  )
  const byId = new Map(operations.map(operation => [operation.id, operation]))
  return {
    document,
    basePath: prefixOf(document.servers),
    operations,
    operation: id => byId.get(id),
    resolve,
  }
}

/** The operations of a path, each with its method as it is sent and its place in the path item; those of fields come first. */
export function operationsIn<Called extends object>(item: PathItem<Called>) {
  const { additionalOperations = {}, ...fields } = item
  const own = Object.entries(fields).filter(([name]) => methods.some(method => method === name))
  const others = Object.entries(additionalOperations).filter(([name]) => !name.startsWith('x-'))
  return [
    // The name of each tells its kind.
    ...own.map(([name, one]) => ({ method: name.toUpperCase(), at: [name], operation: one as Called })),
    ...others.map(([method, operation]) => ({ method, at: ['additionalOperations', method], operation })),
  ]
}

/** Follows references to components; undefined when one leads nowhere. */
export function follow<T extends object>(document: OpenApi, node: T | Reference): T | undefined {
  let target: unknown = node
  // Of references that lead to one another there can't be more than components; those in a circle are refused.
  for (let hops = 0; hops < 1_000 && isObject(target); hops++) {
    if (typeof target.$ref !== 'string') return target as T // a reference leads to its kind
    target = lookUp(document, pathOf(target.$ref.slice(1)) ?? [])
  }
  return undefined
}

/** The response that a status falls under: its own, that of its range, or the default one. */
export function responseFor({ responses }: OperationModel, status: number): Response | undefined {
  return (
    responses.get(String(status)) ??
    responses.get(`${Math.floor(status / 100)}XX`) ??
    responses.get('default')
  )
}

/** A schema with all that it takes from `allOf` beside its own keywords: the parts, references followed, itself first. */
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

/** The keywords of a schema under which schemas stand (OpenAPI 3.0.3, 4.7.24; JSON Schema 2020-12 Core, section 10). */
export const schemaKeywords = {
  one: `items not additionalProperties contains propertyNames if then else unevaluatedItems unevaluatedProperties`.split(
    ' ',
  ),
  list: ['allOf', 'anyOf', 'oneOf', 'prefixItems'],
  map: ['properties', 'patternProperties', 'dependentSchemas'],
}

/** The types that a schema names, but for null; none where it names none. */
export const typesIn = ({ type = [] }: Schema): SchemaType[] => [type].flat().filter(one => one !== 'null')

export const takesNull = ({ type, nullable }: Schema): boolean =>
  nullable === true || [type].flat().includes('null')

/** The values that a schema lists; undefined where it lists none. */
export const valuesIn = (schema: Schema): readonly unknown[] | undefined =>
  schema.const === undefined ? schema.enum : [schema.const]

export const exampleIn = ({ example, examples }: Schema): unknown =>
  example ?? (Array.isArray(examples) ? examples[0] : undefined)

/**
 * What may stand in the property of a discriminator, and which alternative each value names: the names of schemas, and
 * after them those of the mapping (OpenAPI 3.0.3, 4.7.25). Alternatives without a name can't be named.
 */
export function namedAlternatives(
  alternatives: readonly (Schema | Reference)[],
  { mapping = {} }: NonNullable<Schema['discriminator']>,
): Map<string, Schema | Reference> {
  const byReference = new Map(alternatives.flatMap(one => [[referenceIn(one), one] as const]))
  byReference.delete(undefined)
  const named = new Map([...byReference].map(([to = '', one]) => [pathOf(to.slice(1))?.[2] ?? '', one]))
  for (const [value, to] of Object.entries(mapping)) {
    const alternative = byReference.get(to)
    if (alternative) named.set(value, alternative)
  }
  return named
}

/** Where a reference leads, also one with more beside it. */
function referenceIn(node: Schema | Reference): string | undefined {
  const { $ref, allOf: [only, ...others] = [] } = node as Schema // what a reference lacks is absent
  const referred = $ref ?? (others.length === 0 ? only?.$ref : undefined)
  return typeof referred === 'string' ? referred : undefined
}
