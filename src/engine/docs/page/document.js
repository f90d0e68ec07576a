/**
 * The document in plain objects, for the parts of the page. It is read once for each document.
 * @param {any} ui Swagger UI's system, called again each time
 */
function documentReader(ui) {
  /** @type {any} */
  let delivered
  /** @type {any} */
  let known
  /** @type {any} */
  let contents
  return {
    deliver(document) {
      delivered = document
    },
    contents() {
      const source = delivered ?? ui().specSelectors.specJson()
      if (known !== source) contents = contentsOf(delivered ?? source?.toJS?.() ?? {}, ui().fn.opId)
      known = source
      return contents
    },
  }
}

/** The methods that have a field of their own in a path. Other fields are no operations. */
const methods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace', 'query']

/** The contents of a document, with a function that follows references. */
function contentsOf(document, opId) {
  /** Returns the target of a reference, or the node itself. A circle ends with an empty node. */
  const resolve = (node, depth = 0) => {
    if (typeof node?.$ref !== 'string') return node ?? {}
    const target = node.$ref
      .replace(/^[^#]*#\/?/, '')
      .split('/')
      .reduce((at, step) => at?.[decoded(step).replaceAll('~1', '/').replaceAll('~0', '~')], document)
    return depth > 20 ? {} : resolve(target, depth + 1)
  }
  /** @param {'paths' | 'webhooks'} group */
  const operationsIn = group =>
    Object.entries(document[group] ?? {}).flatMap(([path, item]) => {
      const { additionalOperations = {}, ...fields } = resolve(item)
      const own = methods.filter(method => fields[method]).map(method => [method, fields[method], [method]])
      const others = Object.entries(additionalOperations).filter(([method]) => !method.startsWith('x-'))
      const further = others.map(([method, one]) => [method, one, ['additionalOperations', method]])
      return [...own, ...further].map(([method, operation, at]) => {
        const own = (operation.parameters ?? []).map(parameter => resolve(parameter))
        const shared = (resolve(item).parameters ?? [])
          .map(parameter => resolve(parameter))
          .filter(({ name, in: place }) => !own.some(other => other.name === name && other.in === place))
        const { operationId, tags = [], summary } = operation
        const id = operationId ?? opId?.(operation, path, method) ?? `${method}-${path}`
        return {
          id,
          tag: tags[0] ?? 'default',
          tags: tags.length > 0 ? tags : ['default'],
          path,
          method,
          at: [group, path, ...at],
          title: summary || operationId || path,
          operation,
          parameters: [...shared, ...own],
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

const keyOf = (path, method) => `${method} ${path}`

/** Order: successes, then statuses that are neither success nor error, then `default`, then errors by number. */
const rankOf = status =>
  ['2', '1', '3', 'd', '4', '5'].indexOf(status[0]) * 1000 + (Number.parseInt(status, 10) || 0)

/** Returns the address of an operation on the page. */
const addressOf = ({ tag, id }) => `#/${encodeURIComponent(tag)}/${encodeURIComponent(id)}`

/** The first media type of a content, JSON before others; undefined if there is none. */
function mediaOf(content = {}) {
  const types = Object.keys(content)
  const type = types.find(isJson) ?? types[0]
  return type === undefined ? undefined : { type, ...content[type] }
}

const isJson = type => /^[^;]*[/+]json\b/i.test(type)

/** The examples of a media type by name. An example without a name has the name ''. */
function examplesOf({ example, examples = {} }, resolve) {
  if (example !== undefined) return [{ name: '', value: example }]
  return Object.entries(examples).flatMap(([name, written]) => {
    const { value } = resolve(written)
    return value === undefined ? [] : [{ name, value }]
  })
}

/** Merges a schema with the parts of its `allOf`. */
function wholeOf(written, resolve, depth = 0) {
  const schema = resolve(written)
  if (!schema.allOf || depth > 20) return schema
  const { allOf, ...own } = schema
  const parts = [...allOf.map(part => wholeOf(part, resolve, depth + 1)), own]
  const properties = Object.assign({}, ...parts.map(part => part.properties))
  const required = [...new Set(parts.flatMap(part => part.required ?? []))]
  return {
    ...Object.assign({}, ...parts),
    ...(Object.keys(properties).length > 0 ? { properties } : {}),
    ...(required.length > 0 ? { required } : {}),
  }
}

/** The name of the component that a reference leads to. */
const componentNamed = written => /^#\/components\/\w+\/([^/]+)$/.exec(written?.$ref ?? '')?.[1]

/**
 * Returns the values that a schema lists by `const`, or by alternatives each of which is one, with their titles and
 * descriptions (OpenAPI 3.1.0, 4.8.24); undefined if it lists none that way.
 */
function listedIn(schema, resolve) {
  if (schema.const !== undefined) return [{ value: schema.const }]
  const alternatives = (schema.oneOf ?? schema.anyOf ?? []).map(one => wholeOf(one, resolve))
  const isListed = alternatives.length > 0 && alternatives.every(one => one.const !== undefined)
  return isListed
    ? alternatives.map(({ const: value, title, description }) => ({ value, title, description }))
    : undefined
}

/** Whether a schema describes bytes, which a form sends as a file. */
const isBytes = ({ format, contentMediaType, contentEncoding }) =>
  format === 'binary' ||
  (typeof contentMediaType === 'string' &&
    contentEncoding === undefined &&
    !/^text\/|[/+](json|xml)\b|x-www-form-urlencoded|multipart/i.test(contentMediaType))
