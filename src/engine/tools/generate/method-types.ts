import { operationsIn } from 'spec-served-document/model'
import type { CallbackItem } from 'spec-served-document/reading/nodes'
import type { OpenApi } from 'spec-served-document/types'
import ts from 'typescript'

/** An operation of a method unknown to openapi-typescript: the path, or webhook, that has it, and its place there. */
interface Further {
  owner: string
  place: readonly string[]
}

/** The methods that openapi-typescript knows. */
const methods = new Set(['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'])

/**
 * Puts operations of further methods where openapi-typescript reads them, each as the GET of a path of its own.
 * @returns by the names of these paths
 */
export function setAside(document: OpenApi): ReadonlyMap<string, Further> {
  const found = new Map<string, Further>()
  const groups = [document.paths, document.webhooks ?? {}] as Record<string, CallbackItem>[] // by the grammar
  for (const group of groups)
    for (const [owner, item] of Object.entries(group)) {
      const { parameters } = item
      for (const { place, operation } of operationsIn(item)) {
        if (methods.has(place[0] ?? '')) continue
        const name = `${owner}/-${found.size}`
        found.set(name, { owner, place })
        group[name] = { get: operation, ...(parameters && { parameters }) }
      }
      delete item.query
      delete item.additionalOperations
    }
  return found
}

/** Gives the types of operations that were set aside back to their paths. */
export function putBack(node: ts.Node, further: ReadonlyMap<string, Further>): ts.Node {
  if (!ts.isInterfaceDeclaration(node) || !/^(paths|webhooks)$/.test(node.name.text)) return node
  const usualMembers = node.members.filter(member => !further.has(nameOf(member) ?? ''))
  const apart = node.members.filter(member => !usualMembers.includes(member))
  const members = usualMembers.map(member => {
    if (!ts.isPropertySignature(member) || !member.type || !ts.isTypeLiteralNode(member.type)) return member
    const added = apart.flatMap(item => {
      const { owner, place = [] } = further.get(nameOf(item) ?? '') ?? {}
      const type = owner === nameOf(member) ? typeIn(item, 'get') : undefined
      return type ? [{ place, type }] : []
    })
    const others = added.filter(({ place }) => place.length > 1)
    const all = [
      ...member.type.members,
      ...added
        .filter(({ place }) => place.length === 1)
        .map(({ place, type }) => property(place[0] ?? '', type)),
      ...(others.length === 0
        ? []
        : [
            property(
              'additionalOperations',
              literalOf(others.map(({ place, type }) => property(place[1] ?? '', type))),
            ),
          ]),
    ]
    return property(member.name, literalOf(all))
  })
  const { modifiers, name, typeParameters, heritageClauses } = node
  return ts.factory.updateInterfaceDeclaration(
    node,
    modifiers,
    name,
    typeParameters,
    heritageClauses,
    members,
  )
}

const literalOf = (members: ts.TypeElement[]) => ts.factory.createTypeLiteralNode(members)
const property = (name: string | ts.PropertyName, type: ts.TypeNode) => {
  const quoted = typeof name === 'string' && !/^\w+$/.test(name)
  return ts.factory.createPropertySignature(
    undefined,
    quoted ? ts.factory.createStringLiteral(name) : name,
    undefined,
    type,
  )
}

function typeIn(member: ts.TypeElement, name: string): ts.TypeNode | undefined {
  if (!ts.isPropertySignature(member) || !member.type || !ts.isTypeLiteralNode(member.type)) return undefined
  const found = member.type.members.find(candidate => nameOf(candidate) === name)
  return found && ts.isPropertySignature(found) ? found.type : undefined
}

/** The name of a member of a type, if it is a plain one. */
export function nameOf({ name }: ts.TypeElement): string | undefined {
  return name && (ts.isIdentifier(name) || ts.isStringLiteral(name) || ts.isNumericLiteral(name))
    ? name.text
    : undefined
}
