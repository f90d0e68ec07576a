/** @import { System } from '../swagger-ui/types.js' */
/** @import { Contents, OpenApi, Operation, Referable, Tag, TagGroup } from './types.js' */
import { decoded } from '../basics/addresses.js'
import { membersOf } from './media.js'

/**
 * The document in plain objects, for the parts of the page. It is read once for each document.
 * @param {() => System} ui called again each time
 */
export function documentReader(ui) {
  /** @type {OpenApi | undefined} */
  let delivered
  /** @type {unknown} */
  let known
  /** @type {Contents | undefined} */
  let contents
  return {
    /** @param {OpenApi} document */
    deliver(document) {
      delivered = document
    },
    contents() {
      const source = delivered ?? ui().specSelectors.specJson()
      if (!contents || known !== source)
        contents = contentsOf(delivered ?? ui().specSelectors.specJson().toJS(), ui().fn.opId)
      known = source
      return contents
    },
  }
}

/** The methods that have a field of their own in a path. Other fields are no operations. */
export const methods = /** @type {const} */ ([
  'get',
  'put',
  'post',
  'delete',
  'options',
  'head',
  'patch',
  'trace',
  'query',
])

/**
 * The contents of a document, with a function that follows references.
 * @param {OpenApi} document
 * @param {System['fn']['opId']} opId
 * @returns {Contents}
 */
function contentsOf(document, opId) {
  /**
   * Returns the target of a reference, or the part itself. A circle ends with an empty part.
   * @template {Referable} Part
   * @param {Part | undefined} part
   * @returns {Part}
   */
  const resolve = (part, depth = 0) => {
    const empty = /** @type {Part} */ ({}) // its readers expect that fields are missing
    if (typeof part?.$ref !== 'string') return part ?? empty
    const steps = part.$ref.replace(/^[^#]*#\/?/, '').split('/')
    /** @type {unknown} */
    let target = document
    for (const step of steps)
      target = membersOf(target)[decoded(step).replaceAll('~1', '/').replaceAll('~0', '~')]
    // A document that keeps to OpenAPI refers to a part of the same kind.
    return depth > 20 ? empty : resolve(/** @type {Part | undefined} */ (target), depth + 1)
  }

  /**
   * @param {'paths' | 'webhooks'} group
   * @returns {Operation[]}
   */
  const operationsIn = group =>
    Object.entries(document[group] ?? {}).flatMap(([path, written]) => {
      const item = resolve(written)
      const own = methods.flatMap(method => {
        const operation = item[method]
        return operation ? { method, operation, at: [method] } : []
      })
      const further = Object.entries(item.additionalOperations ?? {})
        .filter(([method]) => !method.startsWith('x-'))
        .map(([method, operation]) => ({ method, operation, at: ['additionalOperations', method] }))
      const shared = (item.parameters ?? []).map(parameter => resolve(parameter))
      return [...own, ...further].map(({ method, operation, at }) => {
        const parameters = (operation.parameters ?? []).map(parameter => resolve(parameter))
        const others = shared.filter(
          ({ name, in: place }) => !parameters.some(other => other.name === name && other.in === place),
        )
        const { operationId, tags = [], summary } = operation
        return {
          id: operationId ?? opId(operation, path, method) ?? `${method}-${path}`,
          tag: tags[0] ?? 'default',
          tags: tags.length > 0 ? tags : ['default'],
          path,
          method,
          at: [group, path, ...at],
          title: summary || operationId || path,
          operation,
          parameters: [...others, ...parameters],
          body: operation.requestBody && resolve(operation.requestBody),
          responses: Object.entries(operation.responses ?? {})
            .filter(([status]) => !status.startsWith('x-'))
            .map(([status, response]) => ({ status, response: resolve(response) }))
            .sort((a, b) => rankOf(a.status) - rankOf(b.status)),
        }
      })
    })

  const operations = operationsIn('paths')
  return {
    document,
    resolve,
    operations,
    webhooks: operationsIn('webhooks'),
    byKey: new Map(operations.map(operation => [keyOf(operation.path, operation.method), operation])),
    tags: document.tags ?? [],
  }
}

/**
 * @param {string} path
 * @param {string} method
 */
export const keyOf = (path, method) => `${method} ${path}`

/**
 * Order: successes, then statuses that are neither success nor error, then `default`, then errors by number.
 * @param {string} status
 */
const rankOf = status =>
  ['2', '1', '3', 'd', '4', '5'].indexOf(status.charAt(0)) * 1000 + (Number.parseInt(status, 10) || 0)

/**
 * The operations that have a sunset date, the earliest first.
 * @param {Contents} found
 */
export const endingIn = ({ operations }) =>
  operations
    .filter(({ operation }) => operation.deprecated && operation['x-deprecated-sunset'])
    .sort((a, b) => sunsetOf(a).localeCompare(sunsetOf(b)))

/** @param {Operation} operation */
export const sunsetOf = ({ operation }) => String(operation['x-deprecated-sunset'])

/**
 * @param {Contents} found
 * @param {string} name
 * @returns {Tag}
 */
export const tagNamed = ({ tags }, name) => tags.find(tag => tag.name === name) ?? { name }

/**
 * The operations by tag, and the tags by parent, in the document's order.
 * @param {Operation[]} operations
 * @param {Contents} found
 * @returns {TagGroup[]}
 */
export function groupsOf(operations, found) {
  const order = new Map(found.tags.map(({ name }, i) => [name, i]))
  /** @type {Map<string, Operation[]>} */
  const byTag = new Map()
  for (const operation of operations)
    for (const tag of operation.tags) byTag.set(tag, [...(byTag.get(tag) ?? []), operation])
  /** @param {string} name */
  const place = name => order.get(name) ?? order.size
  const tagged = [...byTag].map(([tag, members]) => ({ tag, operations: members }))
  const groups = Map.groupBy(tagged, ({ tag }) => tagNamed(found, tag)['x-parent'] ?? tag)
  return (
    [...groups]
      .map(([name, tags]) => ({ name, tags: tags.sort((a, b) => place(a.tag) - place(b.tag)) }))
      // A parent that is no tag itself stands where its first member does.
      .map(group => ({ ...group, at: order.get(group.name) ?? place(group.tags[0]?.tag ?? '') }))
      .sort((a, b) => a.at - b.at)
  )
}

/**
 * Makes a function of a document's contents that reads each only once.
 * @template Result
 * @param {(found: Contents) => Result} read
 */
export function onceFor(read) {
  /** @type {WeakMap<Contents, { result: Result }>} */
  const known = new WeakMap()
  return (/** @type {Contents} */ found) => {
    const { result } = known.get(found) ?? { result: read(found) }
    known.set(found, { result })
    return result
  }
}
