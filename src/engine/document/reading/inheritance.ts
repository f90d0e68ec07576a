import { pathOf } from '../pointer.ts'
import type { OpenApi, Reference, Schema } from '../types.ts'
import { referenceTo } from './nodes.ts'

const isReference = (node: Schema | Reference): node is Reference => typeof node.$ref === 'string'
const nameOf = (node: Schema | Reference) => (isReference(node) ? pathOf(node.$ref.slice(1))?.[2] : undefined)

/**
 * Parents whose alternatives name children that have the parent in their `allOf`: to the letter, each contains the other
 * without end. Meant is that children take what is the parent's own, so they get a schema of that, without the
 * alternatives.
 * @param onSeparated told of each parent, and of the schema of what is its own
 */
export function separateParents(
  { components }: OpenApi,
  onSeparated: (name: string, parent: Schema, child: Schema) => void,
): void {
  const schemas = components?.schemas ?? {}
  for (const [name, parent] of Object.entries(schemas)) {
    if (isReference(parent)) continue
    const children = [...(parent.oneOf ?? []), ...(parent.anyOf ?? [])].flatMap(alternative => {
      const child = schemas[nameOf(alternative) ?? '']
      return child && !isReference(child) && child.allOf?.some(part => nameOf(part) === name) ? [child] : []
    })
    if (children.length === 0) continue
    const { oneOf, anyOf, discriminator, ...rest } = parent
    const child: Schema = structuredClone(rest)
    let ownName = `${name}_own`
    while (Object.hasOwn(schemas, ownName)) ownName += '_'
    schemas[ownName] = child
    const reference = { $ref: referenceTo(['components', 'schemas', ownName]) }
    for (const descendant of children)
      descendant.allOf = descendant.allOf?.map(part => (nameOf(part) === name ? reference : part)) ?? []
    onSeparated(name, parent, child)
  }
}
