import type { Model } from '../../src/document/model.ts'
import { withEntry } from '../document/written.ts'
import { type NewOperation, operationNode, parametersOf } from './operation.ts'

/** The document's text with an operation, and with the path parameters that it is the first to have. */
export function documentWith(document: string, model: Model, operation: NewOperation): string {
  const { method, path } = operation
  const known = model.document.components?.parameters ?? {}
  const withParameters = parametersOf(path)
    .filter(name => !(name in known))
    .reduce((written, name) => {
      const what = name.replace(/Id$/, '').replace(/[A-Z]/g, letter => ` ${letter.toLowerCase()}`)
      const schema = { $ref: '#/components/schemas/Id' }
      const description = `Identifier of the ${what}.`
      const parameter = { name, in: 'path', required: true, description, schema, example: 1 }
      const last = Object.entries(known).findLast(([, one]) => 'in' in one && one.in === 'path')?.[0]
      return withEntry(written, ['components', 'parameters'], name, parameter, last ? { after: last } : {})
    }, document)
  const node = operationNode(model, operation)
  const item = model.document.paths[path]
  if (item) return withEntry(withParameters, ['paths', path], method.toLowerCase(), node)
  const near = nearestPath(Object.keys(model.document.paths), path)
  const entry = { [method.toLowerCase()]: node }
  return withEntry(withParameters, ['paths'], path, entry, near ? { after: near } : {})
}

/** The last of the paths that have most of a path's beginning. */
function nearestPath(paths: readonly string[], path: string): string | undefined {
  for (let begin = path; begin !== ''; begin = begin.slice(0, begin.lastIndexOf('/'))) {
    const found = paths.findLast(other => other === begin || other.startsWith(`${begin}/`))
    if (found) return found
  }
  return paths.at(-1)
}
