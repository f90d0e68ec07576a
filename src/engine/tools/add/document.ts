import type { Model } from 'spec-served-document/model'
import type { Parameter } from 'spec-served-document/types'
import { refusalIn, usualParameter, usualResponse } from '../lint/usual.ts'
import { type PlacedMend, withMends } from '../lint/written.ts'
import { type NewOperation, operationNode, pathParameterNames } from './operation.ts'

/** Returns the document's text with an operation, its new path parameters, and the answer 404 if it lacks that. */
export function documentWith(document: string, model: Model, operation: NewOperation): string {
  const { path } = operation
  const method = operation.method.toLowerCase()
  const { parameters = {}, responses = {} } = model.document.components ?? {}
  const last = Object.entries(parameters).findLast(
    ([, parameter]) => 'in' in parameter && parameter.in === 'path',
  )?.[0]
  const missing = pathParameterNames(path).filter(name => !usualParameter(model, 'path', name))
  const parts: PlacedMend[] = missing.map(name => ({
    place: ['components', 'parameters', name],
    value: identifier(model, name),
    position: last ? { after: last } : {},
  }))
  if (path.includes('{') && !('NotFound' in responses) && !usualResponse(model, '404'))
    parts.push({
      place: ['components', 'responses', 'NotFound'],
      value: refusalIn(model.document, 'NotFound'),
    })
  const node = operationNode(model, operation, parts)
  if (model.document.paths[path])
    return withMends(document, [...parts, { place: ['paths', path, method], value: node }])
  const near = nearestPath(Object.keys(model.document.paths), path)
  const place = near ? { after: near } : {}
  return withMends(document, [
    ...parts,
    { place: ['paths', path], value: { [method]: node }, position: place },
  ])
}

/** A path parameter with the schema that others have. */
function identifier({ document, operations }: Model, name: string): Parameter {
  const what = name.replace(/Id$/, '').replace(/[A-Z]/g, letter => ` ${letter.toLowerCase()}`)
  const other = operations.flatMap(({ parameters }) => parameters).find(candidate => candidate.in === 'path')
  const schema =
    'Id' in (document.components?.schemas ?? {})
      ? { $ref: '#/components/schemas/Id' }
      : (other?.schema ?? { type: 'integer', minimum: 1 })
  return {
    name,
    in: 'path',
    required: true,
    description: `Identifier of the ${what}.`,
    schema,
    example: other?.example ?? 1,
  }
}

/** The last of the paths that have most of a path's beginning. */
function nearestPath(paths: readonly string[], path: string): string | undefined {
  for (let begin = path; begin !== ''; begin = begin.slice(0, begin.lastIndexOf('/'))) {
    const found = paths.findLast(other => other === begin || other.startsWith(`${begin}/`))
    if (found) return found
  }
  return paths.at(-1)
}
