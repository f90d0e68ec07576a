import type { Bundle } from './bundle.ts'
import { nestingLimit, tooDeepIn } from './depth.ts'
import { faultAt, sortFaults } from './fault.ts'
import { separateParents } from './inheritance.ts'
import { follow, methodsOf } from './model.ts'
import { lookUp, type Path, pathOf, pointerTo, referenceTo } from './pointer.ts'
import type { Located } from './references.ts'
import { authorizationOf, schemeFaults } from './security-schemes.ts'
import { isToken } from './token.ts'
import {
  methods,
  type OpenApi,
  type Operation,
  type Parameter,
  type PathItem,
  type Reference,
  type Schema,
  type SecurityScheme,
} from './types.ts'

/** The tag of operations that have none. */
const untagged = 'default'

/** Header fields that parameters can't describe (OpenAPI 3.0.3, 4.7.12.2.1). */
const notParameters = new Set(['accept', 'content-type', 'authorization'])

/** How a parameter may be written, by its place; the first is what it is without `style`. */
const styles: Record<Parameter['in'], readonly string[]> = {
  path: ['simple', 'label', 'matrix'],
  query: ['form', 'spaceDelimited', 'pipeDelimited', 'deepObject'],
  header: ['simple'],
  cookie: ['form'],
}

/**
 * Gives what may be written in several ways one form, and finds what can't be true or can't be routed: parameters of a
 * path go into its operations, operations get an operationId and a tag, parameters their style.
 * @param bundle is changed
 */
export function normalise({ tree, places, faults, notes }: Bundle, root: Located): OpenApi {
  const document = tree as unknown as OpenApi // the grammar made it, and what it lacks is among the faults
  const placeOf = (node: object, path: Path): Located => {
    const place = places.get(node) ?? root
    return { source: place.source, path: [...place.path, ...path] }
  }
  const fault = (node: object, path: Path, rule: string, message: string) => {
    const at = placeOf(node, path)
    faults.push(faultAt(at.source, at.path, rule, message))
  }
  const note = (node: object, path: Path, message: string) => notes.push({ at: placeOf(node, path), message })
  const resolve = <T extends object>(node: T | Reference): T | undefined => follow(document, node)

  document.paths ??= {}
  const ids = new Map<string, Operation>()
  const shapes = new Map<string, { path: string; item: PathItem }[]>()
  const unnamed: { operation: Operation; method: string; path: string }[] = []
  let hasUntagged = false

  for (const [path, item] of Object.entries(document.paths)) {
    if (path.startsWith('x-')) {
      delete document.paths[path]
      continue
    }
    const template = checkPath(path, item)
    const shared = (item as PathItem & { parameters?: (Parameter | Reference)[] }).parameters ?? [] // by the grammar
    checkDuplicates(shared, item, ['parameters'])
    for (const method of methodsOf(item)) {
      const operation = item[method]
      if (!operation) continue
      operation.parameters = parametersOf(operation, shared, template, path)
      if (item.servers && !operation.servers) operation.servers = item.servers
      checkResponses(operation)
      checkSecurity(operation, operation.security)
      if (!operation.tags?.[0]) {
        operation.tags = [untagged]
        hasUntagged = true
      }
      if (operation.operationId === undefined || operation.operationId === '')
        unnamed.push({ operation, method, path })
      else if (ids.has(operation.operationId))
        fault(
          operation,
          ['operationId'],
          'operation-id',
          `Another operation is named ${operation.operationId}: give each a name of its own.`,
        )
      else ids.set(operation.operationId, operation)
    }
    delete (item as { parameters?: unknown }).parameters
  }
  for (const { operation, method, path } of unnamed) {
    const base = derivedId(method, path)
    let id = base
    for (let count = 2; ids.has(id); count++) id = `${base}${count}`
    ids.set(id, operation)
    operation.operationId = id
    note(operation, [], `${method.toUpperCase()} ${path} has no operationId: it is named ${id}.`)
  }
  if (hasUntagged && !document.tags?.some(tag => tag.name === untagged))
    document.tags = [...(document.tags ?? []), { name: untagged }]
  checkSecurity(document, document.security)
  for (const scheme of Object.values(document.components?.securitySchemes ?? {}))
    if (Object.hasOwn(scheme, 'type'))
      for (const { field, message } of schemeFaults(scheme as SecurityScheme)) // no reference has a type
        fault(scheme, [field], 'security', message)
  separateParents(document, (name, parent, own) => {
    places.set(own, placeOf(parent, []))
    note(parent, [], `The alternatives of ${name} take it into themselves: they get what is its own.`)
  })
  const tooDeep = tooDeepIn(document)
  if (tooDeep)
    fault(
      lookUp(document, tooDeep) as object, // the way to an object
      [],
      'depth',
      `References lead more than ${nestingLimit} objects deep from here: let fewer parts stand in one another.`,
    )
  for (const [name, schema] of tooDeep ? [] : Object.entries(document.components?.schemas ?? {}))
    if (containsItself(name))
      fault(
        schema,
        [],
        'cycle',
        `The schema ${name} contains itself without end: put a property or a list in between.`,
      )
  faults.splice(0, faults.length, ...sortFaults(faults))
  return document

  /** Whether something below a node is wrong already: what else is missing there follows from that. */
  function hasFaults(node: object, path: Path): boolean {
    const pointer = pointerTo(placeOf(node, path).path)
    return faults.some(other => other.pointer.startsWith(pointer))
  }

  /** The names in a path's template. */
  function checkPath(path: string, item: PathItem): string[] {
    const wrong = (message: string) => fault(document.paths, [path], 'path', message)
    if (!path.startsWith('/')) wrong(`A path begins with a slash: write /${path.replace(/^[\s/]+/, '')}.`)
    if (/[?#]/.test(path)) wrong('A path has neither a query nor a fragment: write query parameters as such.')
    if (/(^|\/)\.\.?(\/|$)/.test(unescaped(path)))
      wrong(
        'No client asks for a path with . or .. in it (RFC 3986, section 5.2.4): leave these segments out.',
      )
    if (/[{}]/.test(path.replace(/\{[^{}/]+\}/g, '')))
      wrong('The braces of this path do not match: write each parameter as {name}.')
    const names = [...path.matchAll(/\{([^{}/]+)\}/g)].map(match => match[1] ?? '')
    const repeated = names.find((name, index) => names.indexOf(name) !== index)
    if (repeated !== undefined) wrong(`The path names ${repeated} twice: give one of them another name.`)
    const shape = unescaped(path.replace(/\{[^{}/]+\}/g, '{}'))
    const alike = shapes.get(shape) ?? []
    for (const other of alike)
      for (const method of methods)
        if (item[method] && other.item[method])
          wrong(`No ${method.toUpperCase()} can tell this path from ${other.path}: leave one of them.`)
    shapes.set(shape, [...alike, { path, item }])
    return names
  }

  function checkDuplicates(parameters: readonly (Parameter | Reference)[], node: object, at: Path): void {
    const seen = new Set<string>()
    for (const [index, declared] of parameters.entries()) {
      const parameter = resolve(declared)
      if (!parameter) continue
      const key = `${parameter.in} ${parameter.name}`
      if (seen.has(key))
        fault(
          node,
          [...at, String(index)],
          'parameter',
          `The ${parameter.in} parameter ${parameter.name} is there already: leave one of them out.`,
        )
      seen.add(key)
    }
  }

  function parametersOf(
    operation: Operation,
    shared: readonly (Parameter | Reference)[],
    template: readonly string[],
    path: string,
  ): (Parameter | Reference)[] {
    const own = operation.parameters ?? []
    checkDuplicates(own, operation, ['parameters'])
    const isSame = (a: Parameter | undefined, b: Parameter | undefined) =>
      a?.in === b?.in && a?.name === b?.name
    const inherited = shared.filter(declared => !own.some(other => isSame(resolve(other), resolve(declared))))
    const parameters = [...own, ...inherited].filter(declared => {
      const parameter = resolve(declared)
      if (!parameter || !checkParameter(parameter)) return false
      if (parameter.in === 'header' && notParameters.has(parameter.name.toLowerCase())) {
        note(
          parameter,
          [],
          `The header ${parameter.name} is no parameter: media types and security tell of it.`,
        )
        return false
      }
      if (parameter.in !== 'path' || template.includes(parameter.name)) return true
      note(parameter, ['name'], `${path} has no {${parameter.name}}.`)
      return false
    })
    for (const name of template)
      if (!parameters.some(declared => isSame(resolve(declared), { name, in: 'path' }))) {
        note(operation, [], `No parameter tells of {${name}} in ${path}: it is taken for a text.`)
        parameters.push({ name, in: 'path', required: true, schema: { type: 'string' } })
      }
    return parameters
  }

  function checkParameter(parameter: Parameter): boolean {
    // Of what has no name that is told where it is copied.
    if (!Object.hasOwn(parameter, 'name')) return false
    const allowed = styles[parameter.in]
    if (!allowed) {
      fault(
        parameter,
        ['in'],
        'parameter',
        'A parameter is in path, query, header or cookie: write `in: query` or another of them.',
      )
      return false
    }
    if ((parameter.in === 'header' || parameter.in === 'cookie') && !isToken(parameter.name))
      fault(
        parameter,
        ['name'],
        'parameter',
        `No ${parameter.in} can be called ${parameter.name}: a name is made of letters, digits and hyphens.`,
      )
    const contents = Object.keys(parameter.content ?? {})
    if (contents.length > 1 || (contents.length === 1 && parameter.schema))
      fault(
        parameter,
        ['content'],
        'parameter',
        'A parameter has a schema, or content of one media type: leave out the others.',
      )
    if (contents.length === 0) parameter.schema ??= {}
    if (parameter.in === 'path') parameter.required = true
    const usual = allowed[0] ?? 'form'
    if (parameter.style !== undefined && !allowed.includes(parameter.style)) {
      fault(
        parameter,
        ['style'],
        'parameter',
        `In ${parameter.in} a style is ${allowed.join(' or ')}: write one of these, or none.`,
      )
      parameter.style = usual
    }
    parameter.style ??= usual
    parameter.explode ??= parameter.style === 'form'
    return true
  }

  function checkResponses(operation: Operation): void {
    const { responses } = operation
    if (!responses) return
    for (const status of Object.keys(responses)) {
      if (status.startsWith('x-')) delete responses[status]
      else if (!/^([1-5]\d\d|[1-5]XX|default)$/.test(status))
        fault(
          responses,
          [status],
          'response',
          'A response is named by a status, by 1XX to 5XX, or default: write "200" or another of these.',
        )
    }
    for (const declared of Object.values(responses)) {
      const response = resolve(declared)
      for (const name in response?.headers) {
        if (isToken(name)) continue
        note(response, ['headers', name], `No header field can be called ${name}: it is left out.`)
        delete response.headers[name]
      }
    }
    if (Object.keys(responses).length === 0 && !hasFaults(operation, ['responses']))
      fault(
        operation,
        ['responses'],
        'response',
        'An operation has at least one response: `default` is enough.',
      )
  }

  function checkSecurity(node: object, requirements: OpenApi['security']): void {
    const schemes = document.components?.securitySchemes ?? {}
    for (const [index, requirement] of (requirements ?? []).entries()) {
      const sent = new Set<string>()
      for (const name of Object.keys(requirement)) {
        const scheme = Object.hasOwn(schemes, name) && schemes[name] && resolve(schemes[name])
        const way = scheme ? authorizationOf(scheme) : undefined
        if (way !== undefined) sent.add(way)
        if (!Object.hasOwn(schemes, name))
          fault(
            node,
            ['security', String(index), name],
            'security',
            `There is no security scheme ${name}: describe it under components/securitySchemes.`,
          )
      }
      if (sent.size > 1)
        note(
          node,
          ['security', String(index)],
          `Nobody can come in by this: a request has one field Authorization, and ${[...sent].join(' and ')} each need it.`,
        )
    }
  }

  /** Whether a schema is only made of itself, through allOf and the like. */
  function containsItself(name: string): boolean {
    const seen = new Set<string>()
    const visit = (node: Schema | Reference | undefined): boolean => {
      if (!node) return false
      if ('$ref' in node && typeof node.$ref === 'string') {
        const target = pathOf(node.$ref.slice(1))?.[2] ?? ''
        if (target === name && seen.size > 0) return true
        if (seen.has(target)) return false
        seen.add(target)
        return visit(document.components?.schemas?.[target])
      }
      const { allOf = [], anyOf = [], oneOf = [], not } = node as Schema // no reference
      return [...allOf, ...anyOf, ...oneOf, not].some(visit)
    }
    return visit({ $ref: referenceTo(['components', 'schemas', name]) })
  }
}

/** A path as it reads without its escapes, but for slashes. */
function unescaped(path: string): string {
  try {
    return decodeURIComponent(path.replace(/%2f/gi, '%252f'))
  } catch {
    return path
  }
}

/** `getPetsByPetId` for GET /pets/{petId}. */
function derivedId(method: string, path: string): string {
  const words = path.split('/').flatMap(segment => {
    const by = segment.startsWith('{') ? ['by'] : []
    return [...by, ...segment.split(/[^A-Za-z0-9]+/)].filter(Boolean)
  })
  return [method, ...words.map(word => word.charAt(0).toUpperCase() + word.slice(1))].join('')
}
