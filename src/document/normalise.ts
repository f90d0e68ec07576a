import type { Bundle } from './bundle.ts'
import { containsItself, nestingLimit, tooDeepIn } from './depth.ts'
import { faultAt, sortFaults } from './fault.ts'
import { separateParents } from './inheritance.ts'
import { follow, methodsOf } from './model.ts'
import { lookUp, type Path, pointerTo } from './pointer.ts'
import type { Located } from './references.ts'
import { authorizationOf, isToken, schemeFaults } from './security-schemes.ts'
import { derivedId, readTemplate } from './templates.ts'
import {
  methods,
  type OpenApi,
  type Operation,
  type Parameter,
  type PathItem,
  type Reference,
  type SecurityScheme,
} from './types.ts'

/** The tag of operations that have none. */
const untagged = 'default'

/** Header fields that parameters can't describe (OpenAPI 3.0.3, 4.7.12.2.1). */
const notParameters = new Set(['accept', 'content-type', 'authorization'])

/** How a parameter may be written, by its place; the first is what it is without `style`. */
const styles: Record<Parameter['in'], readonly [string, ...string[]]> = {
  path: ['simple', 'label', 'matrix'],
  query: ['form', 'spaceDelimited', 'pipeDelimited', 'deepObject'],
  header: ['simple'],
  cookie: ['form'],
}

type Parameters = (Parameter | Reference)[]

/**
 * Gives what may be written in several ways one form, and finds what can't be true or can't be routed: parameters of a
 * path go into its operations, operations get an operationId and a tag, parameters their style.
 * @param bundle is changed
 */
export function normalise(bundle: Bundle, root: Located): OpenApi {
  const { faults } = bundle
  const document = new Normalising(bundle, root).document()
  faults.splice(0, faults.length, ...sortFaults(faults))
  return document
}

class Normalising {
  readonly #bundle: Bundle
  readonly #root: Located
  readonly #document: OpenApi
  /** the paths that no request can tell apart, by what they have in common */
  readonly #alike = new Map<string, { path: string; item: PathItem }[]>()
  #hasUntagged = false
  readonly #ids = new Set<string>()
  readonly #unnamed: { operation: Operation; method: string; path: string }[] = []

  constructor(bundle: Bundle, root: Located) {
    this.#bundle = bundle
    this.#root = root
    this.#document = bundle.tree as unknown as OpenApi // the grammar made it, and what it lacks is among the faults
  }

  document(): OpenApi {
    const document = this.#document
    document.paths ??= {}
    for (const [path, item] of Object.entries(document.paths))
      if (path.startsWith('x-')) delete document.paths[path]
      else this.#path(path, item)
    this.#nameOperations()
    if (this.#hasUntagged && !document.tags?.some(({ name }) => name === untagged))
      document.tags = [...(document.tags ?? []), { name: untagged }]
    this.#requirements(document, document.security)
    for (const scheme of Object.values(document.components?.securitySchemes ?? {}))
      if (Object.hasOwn(scheme, 'type'))
        for (const { field, message } of schemeFaults(scheme as SecurityScheme)) // no reference has a type
          this.#fault(scheme, [field], 'security', message)
    separateParents(document, (name, parent, own) => {
      this.#bundle.places.set(own, this.#placeOf(parent, []))
      this.#note(parent, [], `The alternatives of ${name} take it into themselves: they get what is its own.`)
    })
    this.#ends()
    return document
  }

  #placeOf(node: object, path: Path): Located {
    const place = this.#bundle.places.get(node) ?? this.#root
    return { source: place.source, path: [...place.path, ...path] }
  }

  #fault(node: object, path: Path, rule: string, message: string): void {
    const at = this.#placeOf(node, path)
    this.#bundle.faults.push(faultAt(at.source, at.path, rule, message))
  }

  #note(node: object, path: Path, message: string): void {
    this.#bundle.notes.push({ at: this.#placeOf(node, path), message })
  }

  #resolve<T extends object>(node: T | Reference): T | undefined {
    return follow(this.#document, node)
  }

  #path(path: string, item: PathItem & { parameters?: Parameters }): void {
    const template = this.#template(path, item)
    const { parameters: shared = [] } = item
    this.#findRepeated(shared, item)
    for (const method of methodsOf(item)) {
      const operation = item[method]
      if (!operation) continue
      operation.parameters = this.#parametersOf(operation, shared, template, path)
      if (item.servers && !operation.servers) operation.servers = item.servers
      this.#responses(operation)
      this.#requirements(operation, operation.security)
      if (!operation.tags?.[0]) {
        operation.tags = [untagged]
        this.#hasUntagged = true
      }
      const { operationId: id = '' } = operation
      if (id === '') this.#unnamed.push({ operation, method, path })
      else if (this.#ids.has(id)) {
        const message = `Another operation is named ${id}: give each a name of its own.`
        this.#fault(operation, ['operationId'], 'operation-id', message)
      } else this.#ids.add(id)
    }
    delete item.parameters
  }

  #nameOperations(): void {
    for (const { operation, method, path } of this.#unnamed) {
      const base = derivedId(method, path)
      let id = base
      for (let count = 2; this.#ids.has(id); count++) id = `${base}${count}`
      this.#ids.add(id)
      operation.operationId = id
      this.#note(operation, [], `${method.toUpperCase()} ${path} has no operationId: it is named ${id}.`)
    }
  }

  /** The names in a path's template. */
  #template(path: string, item: PathItem): string[] {
    const wrong = (message: string) => this.#fault(this.#document.paths, [path], 'path', message)
    const { names, shape, faults } = readTemplate(path)
    faults.forEach(wrong)
    const alike = this.#alike.get(shape) ?? []
    for (const other of alike)
      for (const method of methods)
        if (item[method] && other.item[method])
          wrong(`No ${method.toUpperCase()} can tell this path from ${other.path}: leave one of them.`)
    this.#alike.set(shape, [...alike, { path, item }])
    return names
  }

  #findRepeated(parameters: Parameters, node: object): void {
    const seen = new Set<string>()
    for (const [index, declared] of parameters.entries()) {
      const parameter = this.#resolve(declared)
      if (!parameter) continue
      const key = `${parameter.in} ${parameter.name}`
      const message = `The ${parameter.in} parameter ${parameter.name} is there already: leave one of them out.`
      if (seen.has(key)) this.#fault(node, ['parameters', String(index)], 'parameter', message)
      seen.add(key)
    }
  }

  #parametersOf(operation: Operation, shared: Parameters, template: string[], path: string): Parameters {
    const own = operation.parameters ?? []
    this.#findRepeated(own, operation)
    const isIn = (all: Parameters, one: Pick<Parameter, 'in' | 'name'> | undefined) =>
      all.some(declared => {
        const other = this.#resolve(declared)
        return other?.in === one?.in && other?.name === one?.name
      })
    const inherited = shared.filter(declared => !isIn(own, this.#resolve(declared)))
    const parameters = [...own, ...inherited].filter(declared => {
      const parameter = this.#resolve(declared)
      if (!parameter || !this.#parameter(parameter)) return false
      const { in: place, name } = parameter
      if (place === 'header' && notParameters.has(name.toLowerCase())) {
        this.#note(parameter, [], `The header ${name} is no parameter: media types and security tell of it.`)
        return false
      }
      if (place !== 'path' || template.includes(name)) return true
      this.#note(parameter, ['name'], `${path} has no {${name}}.`)
      return false
    })
    for (const name of template)
      if (!isIn(parameters, { name, in: 'path' })) {
        this.#note(operation, [], `No parameter tells of {${name}} in ${path}: it is taken for a text.`)
        parameters.push({ name, in: 'path', required: true, schema: { type: 'string' } })
      }
    return parameters
  }

  /** @returns whether it is one that can be sent */
  #parameter(parameter: Parameter): boolean {
    const { in: place, name, style, content = {}, schema } = parameter
    const wrong = (field: string, message: string) => this.#fault(parameter, [field], 'parameter', message)
    if (!Object.hasOwn(parameter, 'name')) return false // it is told where it is copied
    const allowed = styles[place]
    if (!allowed) {
      wrong('in', 'A parameter is in path, query, header or cookie: write `in: query` or another of them.')
      return false
    }
    if ((place === 'header' || place === 'cookie') && !isToken(name))
      wrong('name', `No ${place} can be called ${name}: a name is made of letters, digits and hyphens.`)
    const contents = Object.keys(content).length
    if (contents > 1 || (contents === 1 && schema))
      wrong('content', 'A parameter has a schema, or content of one media type: leave out the others.')
    if (contents === 0) parameter.schema ??= {}
    if (place === 'path') parameter.required = true
    const isAllowed = style === undefined || allowed.includes(style)
    if (!isAllowed)
      wrong('style', `In ${place} a style is ${allowed.join(' or ')}: write one of these, or none.`)
    parameter.style = (isAllowed && style) || allowed[0]
    parameter.explode ??= parameter.style === 'form'
    return true
  }

  #responses(operation: Operation): void {
    const { responses } = operation
    if (!responses) return
    const message =
      'A response is named by a status, by 1XX to 5XX, or default: write "200" or another of these.'
    for (const status of Object.keys(responses))
      if (status.startsWith('x-')) delete responses[status]
      else if (!/^([1-5]\d\d|[1-5]XX|default)$/.test(status))
        this.#fault(responses, [status], 'response', message)
    for (const declared of Object.values(responses)) {
      const response = this.#resolve(declared)
      for (const name in response?.headers) {
        if (isToken(name)) continue
        this.#note(response, ['headers', name], `No header field can be called ${name}: it is left out.`)
        delete response.headers[name]
      }
    }
    // What is wrong already below them may be why there are none.
    const pointer = pointerTo(this.#placeOf(operation, ['responses']).path)
    const isTold = this.#bundle.faults.some(other => other.pointer.startsWith(pointer))
    if (Object.keys(responses).length === 0 && !isTold) {
      const message = 'An operation has at least one response: `default` is enough.'
      this.#fault(operation, ['responses'], 'response', message)
    }
  }

  #requirements(node: object, requirements: OpenApi['security'] = []): void {
    const schemes = this.#document.components?.securitySchemes ?? {}
    for (const [index, requirement] of requirements.entries()) {
      const at = ['security', String(index)]
      const sent = new Set<string>()
      for (const name of Object.keys(requirement)) {
        const scheme = Object.hasOwn(schemes, name) && schemes[name] && this.#resolve(schemes[name])
        const way = scheme ? authorizationOf(scheme) : undefined
        if (way !== undefined) sent.add(way)
        const message = `There is no security scheme ${name}: describe it under components/securitySchemes.`
        if (!Object.hasOwn(schemes, name)) this.#fault(node, [...at, name], 'security', message)
      }
      const both = [...sent].join(' and ')
      const message = `Nobody can come in by this: a request has one field Authorization, and ${both} each need it.`
      if (sent.size > 1) this.#note(node, at, message)
    }
  }

  /** Finds what stands in itself without end, or as good as that. */
  #ends(): void {
    const tooDeep = tooDeepIn(this.#document)
    if (tooDeep) {
      const node = lookUp(this.#document, tooDeep) as object // the way to an object
      const message = `References lead more than ${nestingLimit} objects deep from here: let fewer parts stand in one another.`
      this.#fault(node, [], 'depth', message)
      return
    }
    for (const [name, schema] of Object.entries(this.#document.components?.schemas ?? {}))
      if (containsItself(this.#document, name)) {
        const message = `The schema ${name} contains itself without end: put a property or a list in between.`
        this.#fault(schema, [], 'cycle', message)
      }
  }
}
