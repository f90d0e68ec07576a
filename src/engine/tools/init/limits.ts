import { isDeepStrictEqual } from 'node:util'
import { type Document, isMap, isNode, isScalar, type Node, parseDocument, visit } from 'yaml'
import { methods } from '../../document/types.ts'
import { type EngineResponse, engineResponses } from '../../service/errors/refusals.ts'
import { commonHeaders, errorSchema, keyScheme, otherHeaders, rateLimits } from '../lint/limit-components.ts'

type Steps = readonly unknown[]

export interface Limited {
  text: string
  /** the decisions that are left to people */
  notes: string[]
}

/**
 * Adds to a document what it lacks for limits, keys and lifecycle. This is plans, the header fields of each response,
 * the refusals of the engine, and scopes. Present parts stay as they are, comments and order included.
 * @param text YAML or JSON
 */
export function withLimits(text: string): Limited {
  const document = parseDocument(text)
  const notes = new Set<string>()
  const add = (path: Steps, value: unknown) => {
    if (!document.hasIn(path)) document.setIn(path, nodeOf(document, value))
  }
  /** Puts a component under its name, or another one where that is taken for something else. */
  const place = (kind: string, name: string, value: unknown) => {
    for (let count = 1; ; count++) {
      const free = count === 1 ? name : `${name}${count}`
      const known = valueAt(document, ['components', kind, free])
      if (known !== undefined && !isDeepStrictEqual(known, value)) continue
      add(['components', kind, free], value)
      if (count > 1 && known === undefined)
        notes.add(`components/${kind}/${name} is something else: ${free} was added beside it.`)
      return { $ref: `#/components/${kind}/${free}` }
    }
  }

  add(['x-rate-limits'], rateLimits)
  if (!document.hasIn(['components', 'securitySchemes'])) {
    add(['components', 'securitySchemes', 'ApiKey'], keyScheme)
    add(['security'], [{ ApiKey: [] }])
  }
  const error = place('schemas', 'Error', errorSchema)
  const headers = Object.fromEntries(
    Object.entries({ ...commonHeaders, ...otherHeaders }).map(([name, value]) => [
      name,
      place('headers', name, value),
    ]),
  )
  const common = Object.keys(commonHeaders)
  const due = Object.entries<EngineResponse>(engineResponses).filter(([, one]) => one.due !== undefined)
  const ofBodies = new Set(due.flatMap(([, one]) => (one.due === 'body' ? [String(one.status)] : [])))
  const responses = new Map(
    due.map(([name, { status, description, codes, fields: own = [] }]) => {
      const example = { code: codes[0], message: description, status }
      const value = {
        description,
        'x-codes': codes,
        headers: Object.fromEntries([...own, ...common].map(field => [field, headers[field]])),
        content: { 'application/json': { schema: error, example } },
      }
      return [String(status), place('responses', name, value)]
    }),
  )

  for (const { at, method, hasBody, isOpen } of operationsIn(document)) {
    if (!isOpen) add([...at, 'x-required-scope'], ['get', 'head'].includes(method) ? 'read' : 'write')
    const own = [...at, 'responses']
    const known = new Map(keysIn(document, own).map(key => [String(key), key]))
    for (const [status, reference] of responses) {
      if ((!hasBody && ofBodies.has(status)) || (isOpen && status === '401')) continue
      const there = valueAt(document, [...own, known.get(status)])
      if (!known.has(status)) add([...own, status], reference)
      else if (!isDeepStrictEqual(there, reference))
        notes.add(
          `${at.slice(1).join(' ')} has a ${status} of its own: see that its body is that of the service’s errors.`,
        )
    }
    for (const key of known.values()) {
      const there = follow(document, [...own, key])
      for (const name of there ? common : []) add([...(there ?? []), 'headers', name], headers[name])
    }
  }
  const isJson = text.trimStart().startsWith('{')
  return {
    text: isJson
      ? `${JSON.stringify(document.toJS(), null, 2)}\n`
      : document.toString({ lineWidth: 0, flowCollectionPadding: true }),
    notes: [...notes],
  }
}

/** A node in which references stand on one line. */
function nodeOf(document: Document, value: unknown): Node {
  const node = document.createNode(value)
  visit(node, {
    Map(_, map) {
      if (map.items.length === 1 && map.has('$ref')) map.flow = true
    },
  })
  return node
}

function valueAt(document: Document, path: Steps): unknown {
  const node = document.getIn(path)
  return isNode(node) ? node.toJS(document) : node
}

/** The keys of a map as they are written: 200 is a number, "200" is a text. */
function keysIn(document: Document, path: Steps): unknown[] {
  const map = document.getIn(path)
  return isMap(map) ? map.items.map(({ key }) => (isScalar(key) ? key.value : key)) : []
}

interface Operation {
  at: readonly string[]
  method: string
  hasBody: boolean
  /** whether it takes requests without a credential */
  isOpen: boolean
}

function operationsIn(document: Document): Operation[] {
  const places = keysIn(document, ['paths']).flatMap(path => {
    const item = ['paths', String(path)]
    const others = keysIn(document, [...item, 'additionalOperations']).map(String)
    return [
      ...methods.map(method => ({ at: [...item, method], method })),
      ...others.map(method => ({ at: [...item, 'additionalOperations', method], method })),
    ]
  })
  return places
    .filter(({ at }) => isMap(document.getIn(at)))
    .map(({ at, method }) => {
      const own = valueAt(document, [...at, 'security'])
      const isOpen = Array.isArray(own)
        ? own.length === 0 || own.some(one => Object.keys(one).length === 0)
        : !document.hasIn(['security'])
      return { at, method, hasBody: document.hasIn([...at, 'requestBody']), isOpen }
    })
}

/** Returns the place of a response, with references followed; undefined if it is in another file. */
function follow(document: Document, path: Steps, hops = 0): Steps | undefined {
  const reference = document.getIn([...path, '$ref'])
  if (typeof reference !== 'string') return document.hasIn(path) ? path : undefined
  if (!reference.startsWith('#/') || hops > 10) return undefined
  const parts = reference.slice(2).split('/').map(decodeURIComponent)
  const at = parts.map(part => part.replaceAll('~1', '/').replaceAll('~0', '~'))
  return follow(document, at, hops + 1)
}
