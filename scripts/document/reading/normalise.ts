import { follow, methodsOf } from '../../../src/document/model.ts'
import { lookUp, type Path, pointerTo } from '../../../src/document/pointer.ts'
import type { OpenApi, Operation, Parameter, Reference } from '../../../src/document/types.ts'
import type { Bundle } from './bundle.ts'
import { containsItself, nestingLimit, tooDeepIn } from './depth.ts'
import type { Draft, Parameters, Routed } from './draft.ts'
import type { Located } from './fault.ts'
import { separateParents } from './inheritance.ts'
import { checkRequirements, completeSecurity, isToken } from './security.ts'
import { derivedId, findPathFaults, namesIn, placeWithoutQuery } from './templates.ts'

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

/**
 * Gives what may be written in several ways one form, and finds what can't be true or can't be routed: parameters of a
 * path go into its operations, operations get an operationId and a tag, parameters their style.
 * @param bundle is changed
 */
export function normalise(bundle: Bundle, root: Located): OpenApi {
  const { report, places } = bundle
  const document = bundle.tree as unknown as OpenApi // the grammar made it, and what it lacks is among the faults
  const placeOf = (node: object, path: Path): Located => {
    const place = places.get(node) ?? root
    return { source: place.source, path: [...place.path, ...path] }
  }
  const draft: Draft = {
    document,
    fault: (node, path, rule, message) => report.fault(placeOf(node, path), rule, message),
    note: (node, path, message) => report.note(placeOf(node, path), message),
    hasFault(node, path) {
      const pointer = pointerTo(placeOf(node, path).path)
      return report.faults.some(other => other.pointer.startsWith(pointer))
    },
  }
  document.paths ??= {}
  for (const path of Object.keys(document.paths)) if (path.startsWith('x-')) delete document.paths[path]
  placeWithoutQuery(draft)
  for (const { path, message } of findPathFaults(document.paths))
    draft.fault(document.paths, [path], 'path', message)
  const operations = routedIn(document)
  for (const one of operations) completeOperation(draft, one)
  for (const item of Object.values<Routed['item']>(document.paths)) {
    findRepeated(draft, item, item.parameters)
    delete item.parameters
  }
  nameOperations(draft, operations)
  completeSecurity(draft)
  separateParents(document, (name, parent, own) => {
    places.set(own, placeOf(parent, []))
    draft.note(parent, [], `The alternatives of ${name} take it into themselves: they get what is its own.`)
  })
  findEndless(draft)
  return document
}

function routedIn({ paths }: OpenApi): Routed[] {
  return Object.entries(paths).flatMap(([path, item]) =>
    methodsOf(item).flatMap(method => {
      const operation = item[method]
      return operation ? [{ path, item, method, operation }] : []
    }),
  )
}

function completeOperation(draft: Draft, routed: Routed): void {
  const { document } = draft
  const { item, operation } = routed
  operation.parameters = parametersOf(draft, routed)
  if (item.servers && !operation.servers) operation.servers = item.servers
  checkResponses(draft, operation)
  checkRequirements(draft, operation, operation.security)
  if (operation.tags?.[0]) return
  operation.tags = [untagged]
  if (!document.tags?.some(({ name }) => name === untagged))
    document.tags = [...(document.tags ?? []), { name: untagged }]
}

function nameOperations(draft: Draft, operations: readonly Routed[]): void {
  const ids = new Set(operations.map(({ operation }) => operation.operationId))
  const free = (base: string, first: string) => {
    let id = first
    for (let count = 2; ids.has(id); count++) id = `${base}${count}`
    ids.add(id)
    return id
  }
  const seen = new Set<string>()
  for (const { operation, method, path } of operations) {
    const { operationId: written } = operation
    if (written && !seen.has(written)) seen.add(written)
    else if (written) {
      operation.operationId = free(`${written}_`, `${written}_2`)
      const message = `Another operation is named ${written}: this one is named ${operation.operationId}.`
      draft.note(operation, ['operationId'], message)
    } else {
      const base = derivedId(method, path)
      operation.operationId = free(base, base)
      const message = `${method.toUpperCase()} ${path} has no operationId: it is named ${operation.operationId}.`
      draft.note(operation, [], message)
    }
  }
}

/** What a parameter is called in messages, and by what it is told from others. */
function nameOf({ document }: Draft, declared: Parameter | Reference): string | undefined {
  const parameter = follow(document, declared)
  return parameter && `${parameter.in} parameter ${parameter.name}`
}

function findRepeated(draft: Draft, node: object, parameters: Parameters = []): void {
  const names = parameters.map(declared => nameOf(draft, declared))
  for (const [index, name] of names.entries())
    if (name !== undefined && names.indexOf(name) < index) {
      const message = `The ${name} is there already: leave one of them out.`
      draft.fault(node, ['parameters', String(index)], 'parameter', message)
    }
}

function parametersOf(draft: Draft, { path, item, operation }: Routed): Parameters {
  const { document, note } = draft
  const own = operation.parameters ?? []
  findRepeated(draft, operation, own)
  const namesOf = (parameters: Parameters) => new Set(parameters.map(one => nameOf(draft, one)))
  const ownNames = namesOf(own)
  const inherited = (item.parameters ?? []).filter(one => !ownNames.has(nameOf(draft, one)))
  const template = namesIn(path)
  const parameters = [...own, ...inherited].filter(declared => {
    const parameter = follow(document, declared)
    if (!parameter || !completeParameter(draft, parameter)) return false
    const { in: place, name } = parameter
    if (place === 'header' && notParameters.has(name.toLowerCase())) {
      note(parameter, [], `The header ${name} is no parameter: media types and security tell of it.`)
      return false
    }
    if (place !== 'path' || template.includes(name)) return true
    note(parameter, ['name'], `${path} has no {${name}}.`)
    return false
  })
  const told = namesOf(parameters)
  for (const name of template.filter(one => !told.has(`path parameter ${one}`))) {
    note(operation, [], `No parameter tells of {${name}} in ${path}: it is taken for a text.`)
    parameters.push({ name, in: 'path', required: true, schema: { type: 'string' } })
  }
  return parameters
}

/** @returns whether it is one that can be sent */
function completeParameter(draft: Draft, parameter: Parameter): boolean {
  const { in: place, name, style, content = {}, schema } = parameter
  const wrong = (field: string, message: string) => draft.fault(parameter, [field], 'parameter', message)
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

function checkResponses({ document, fault, note, hasFault }: Draft, operation: Operation): void {
  const isRequired = document.openapi.startsWith('3.0.')
  if (!isRequired) operation.responses ??= {}
  const { responses } = operation
  if (!responses) return
  const message =
    'A response is named by a status, by 1XX to 5XX, or default: write "200" or another of these.'
  for (const status of Object.keys(responses))
    if (status.startsWith('x-')) delete responses[status]
    else if (!/^([1-5]\d\d|[1-5]XX|default)$/.test(status)) fault(responses, [status], 'response', message)
  for (const declared of Object.values(responses)) {
    const response = follow(document, declared)
    for (const name in response?.headers) {
      if (isToken(name)) continue
      note(response, ['headers', name], `No header field can be called ${name}: it is left out.`)
      delete response.headers[name]
    }
  }
  if (!isRequired && Object.keys(responses).length === 0) {
    note(operation, [], 'The operation has no responses: any reply is taken.')
    responses.default = { description: 'Any reply.' }
  }
  // What is wrong already below them may be why there are none.
  if (Object.keys(responses).length === 0 && !hasFault(operation, ['responses']))
    fault(
      operation,
      ['responses'],
      'response',
      'An operation has at least one response: `default` is enough.',
    )
}

/** Finds what stands in itself without end, or as good as that. */
function findEndless({ document, fault }: Draft): void {
  const tooDeep = tooDeepIn(document)
  if (tooDeep) {
    const node = lookUp(document, tooDeep) as object // the way to an object
    const message = `References lead more than ${nestingLimit} objects deep from here: let fewer parts stand in one another.`
    fault(node, [], 'depth', message)
    return
  }
  for (const [name, schema] of Object.entries(document.components?.schemas ?? {}))
    if (containsItself(document, name)) {
      const message = `The schema ${name} contains itself without end: put a property or a list in between.`
      fault(schema, [], 'cycle', message)
    }
}
