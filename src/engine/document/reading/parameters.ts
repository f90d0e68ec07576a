import { follow } from '../model.ts'
import { likest } from '../spelling.ts'
import type { Operation, Parameter, Reference, Schema } from '../types.ts'
import { type Draft, isFrom32, type Parameters, type Routed } from './draft.ts'
import { isToken } from './security.ts'
import { namesIn } from './templates.ts'

/** Header fields that parameters can't describe (OpenAPI 3.0.3, 4.7.12.2.1). */
const notParameters = new Set(['accept', 'content-type', 'authorization'])

/** How a parameter may be written, by its place; the first is what it is without `style`. */
const styles: Record<Parameter['in'], readonly [string, ...string[]]> = {
  path: ['simple', 'label', 'matrix'],
  query: ['form', 'spaceDelimited', 'pipeDelimited', 'deepObject'],
  header: ['simple'],
  cookie: ['form', 'cookie'],
}

/** Returns the name of a parameter in messages. The name tells it from all others. */
function nameOf({ document }: Draft, declared: Parameter | Reference): string | undefined {
  const parameter = follow(document, declared)
  return parameter && `${parameter.in} parameter ${parameter.name}`
}

/** Finds parameters that stand twice in one list. */
export function findRepeated(draft: Draft, node: object, parameters: Parameters = []): void {
  const names = parameters.map(declared => nameOf(draft, declared))
  for (const [index, name] of names.entries())
    if (name !== undefined && names.indexOf(name) < index) {
      const message = `The ${name} is there already: leave one of them out.`
      draft.fault(node, ['parameters', String(index)], 'parameter', message)
    }
}

/** The parameters of an operation, those of its path among them, in one form. */
export function parametersOf(draft: Draft, { path, item, operation }: Routed): Parameters {
  const { document, note } = draft
  const operationParameters = operation.parameters ?? []
  findRepeated(draft, operation, operationParameters)
  const namesOf = (list: Parameters) => new Set(list.map(parameter => nameOf(draft, parameter)))
  const ownNames = namesOf(operationParameters)
  const inherited = (item.parameters ?? []).filter(parameter => !ownNames.has(nameOf(draft, parameter)))
  const template = namesIn(path)
  checkQuery(draft, [...operationParameters, ...inherited], operation)
  const described = new Set([...ownNames, ...namesOf(inherited)])
  const undescribed = template.filter(name => !described.has(`path parameter ${name}`))
  /** The name in the path of a parameter that has another one; undefined if more than one may be meant. */
  let renamed: string | undefined
  const parameters = [...operationParameters, ...inherited].filter(declared => {
    const parameter = follow(document, declared)
    if (!parameter || !completeParameter(draft, parameter)) return false
    const { in: place, name } = parameter
    if (place === 'header' && notParameters.has(name.toLowerCase())) {
      note(parameter, [], `The header ${name} is no parameter: media types and security describe it.`)
      return false
    }
    if (place !== 'path' || template.includes(name)) return true
    const isOne =
      undescribed.length === 1 &&
      [...described].filter(candidate => isForeign(candidate, template)).length === 1
    renamed = isOne ? undescribed[0] : undefined
    const remedy =
      renamed === undefined ? '' : ` It has {${renamed}}, which no parameter describes: give both one name.`
    note(parameter, ['name'], `${path} has no {${name}}.${remedy}`)
    return false
  })
  const describedNames = namesOf(parameters)
  for (const name of template.filter(
    parameterName => !describedNames.has(`path parameter ${parameterName}`),
  )) {
    if (name !== renamed)
      note(operation, [], `No parameter describes {${name}} in ${path}: it is taken for a text.`)
    parameters.push({ name, in: 'path', required: true, schema: { type: 'string' } })
  }
  return parameters
}

/** Whether a parameter of a path, as it is named in messages, is none of those in the path's template. */
function isForeign(name: string | undefined, template: readonly string[]): boolean {
  const [, pathName] = /^path parameter (.*)$/s.exec(name ?? '') ?? []
  return pathName !== undefined && !template.includes(pathName)
}

/** Gives a parameter that is the whole query (`in: querystring`) the form of one with every name in it. */
function checkQuery(draft: Draft, parameters: Parameters, operation: Operation): void {
  const all = parameters.flatMap(declared => follow(draft.document, declared) ?? [])
  // It is in one form already where another operation has it too.
  const isWhole = (parameter: Parameter) =>
    draft.wholeQueries.has(parameter) || String(parameter.in) === 'querystring'
  const wholes = isFrom32(draft.document) ? all.filter(isWhole) : []
  const others = all.filter(parameter => parameter.in === 'query' && !isWhole(parameter))
  const [first] = wholes
  if (first && wholes.length + others.length > 1)
    draft.fault(
      operation,
      ['parameters'],
      'parameter',
      `${first.name} is the whole of the query, and there are others in it: make them properties of its schema.`,
    )
  for (const parameter of wholes) {
    if (draft.wholeQueries.has(parameter)) continue
    draft.wholeQueries.add(parameter)
    const [[type = 'none', media] = []] = Object.entries(parameter.content ?? {})
    if (type.split(';')[0]?.trim() !== 'application/x-www-form-urlencoded')
      draft.fault(
        parameter,
        ['content'],
        'parameter',
        `A query as a whole is read as application/x-www-form-urlencoded alone, and not as ${type}: describe it so, or as a parameter of a name (\`in: query\`), whose content may be application/json.`,
      )
    if (media?.encoding)
      draft.note(
        parameter,
        ['content', type, 'encoding'],
        'The fields of a query are read as the style form.',
      )
    const schema: Schema = { type: 'object', ...(media?.schema && { allOf: [media.schema] }) }
    Object.assign(parameter, { in: 'query', style: 'form', explode: true, schema })
    delete parameter.content
  }
}

/** @returns whether it is one that can be sent */
function completeParameter(draft: Draft, parameter: Parameter): boolean {
  const { in: place, name, style, content = {}, schema } = parameter
  const wrong = (field: string, message: string) => draft.fault(parameter, [field], 'parameter', message)
  if (!Object.hasOwn(parameter, 'name')) return false // it is told where it is copied
  if (draft.wholeQueries.has(parameter)) return true
  const allowed = styles[place]
  if (!allowed) {
    const [field, remedy] =
      String(place) === 'querystring'
        ? ['A parameter in querystring is of OpenAPI 3.2', 'write `openapi: 3.2.0`']
        : [
            'A parameter is in path, query, header or cookie',
            /^(body|formData)$/.test(String(place))
              ? 'describe what the body has as requestBody of the operation, and leave this parameter out'
              : `write \`in: ${likest(String(place), Object.keys(styles)) ?? 'query'}\`, or another of them`,
          ]
    wrong('in', `${field}: ${remedy}.`)
    return false
  }
  if ((place === 'header' || place === 'cookie') && !isToken(name))
    wrong('name', `No ${place} can be called ${name}: a name is made of letters, digits and hyphens.`)
  const contents = Object.keys(content).length
  if (contents > 1 || (contents === 1 && schema))
    wrong('content', 'A parameter has a schema, or content of one media type: leave out the others.')
  if (contents === 0) parameter.schema ??= {}
  if (place === 'path') parameter.required = true
  const isNew = style === 'cookie' && !isFrom32(draft.document)
  const isAllowed = style === undefined || (allowed.includes(style) && !isNew)
  if (!isAllowed)
    wrong('style', `In ${place} a style is ${allowed.join(' or ')}: write one of these, or none.`)
  parameter.style = (isAllowed && style) || allowed[0]
  if (parameter.style === 'cookie') {
    draft.note(
      parameter,
      ['style'],
      'It is read as form, whose escapes (%41) are undone where there are any.',
    )
    parameter.style = 'form'
  }
  parameter.explode ??= parameter.style === 'form'
  return true
}
