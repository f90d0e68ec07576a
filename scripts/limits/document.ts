import { isDeepStrictEqual } from 'node:util'
import { type Document, isMap, type Node, parseDocument, visit } from 'yaml'
import { methods } from '../../src/document/types.ts'
import {
  commonHeaders,
  errorSchema,
  keyScheme,
  ofBodies,
  otherHeaders,
  rateLimits,
  refusals,
} from './parts.ts'

type Step = string | number
interface Operation {
  at: readonly Step[]
  method: string
  hasBody: boolean
  isOpen: boolean
}

export interface Limited {
  text: string
  /** what is left for people to decide */
  notes: string[]
}

/**
 * Adds to a document what it lacks for limits, keys and lifecycle: plans, the header fields of each response, the refusals
 * that the engine makes, and scopes. What is there stays as it is, comments and order included.
 * @param text YAML or JSON
 */
export function withLimits(text: string): Limited {
  const isJson = text.trimStart().startsWith('{')
  const document = parseDocument(text)
  const notes: string[] = []
  const has = (path: readonly Step[]) => document.hasIn(path)
  const add = (path: readonly Step[], value: unknown) => {
    if (!has(path)) document.setIn(path, nodeOf(document, value))
  }

  add(['x-rate-limits'], rateLimits)
  if (!has(['components', 'securitySchemes'])) {
    add(['components', 'securitySchemes', 'ApiKey'], keyScheme)
    add(['security'], [{ ApiKey: [] }])
  }
  const error = ref('schemas', place(document, 'schemas', 'Error', errorSchema(), notes))
  const headers = new Map(
    Object.entries({ ...commonHeaders, ...otherHeaders }).map(([name, value]) => [
      name,
      ref('headers', place(document, 'headers', name, value, notes)),
    ]),
  )
  const fieldsOf = (names: readonly string[]) =>
    Object.fromEntries(names.map(name => [name, headers.get(name)]))
  const common = Object.keys(commonHeaders)
  const responses = new Map(
    refusals.map(refusal => {
      const { name, status, description, codes } = refusal
      const [code] = codes
      const value = {
        description,
        'x-codes': codes,
        headers: fieldsOf([...refusal.headers, ...common]),
        content: { 'application/json': { schema: error, example: { code, message: description, status } } },
      }
      return [status, ref('responses', place(document, 'responses', name, value, notes))]
    }),
  )

  const seen = new Set<string>()
  for (const { at, method, hasBody, isOpen } of operationsIn(document)) {
    if (!isOpen) add([...at, 'x-required-scope'], ['get', 'head'].includes(method) ? 'read' : 'write')
    const own = [...at, 'responses']
    for (const [status, reference] of responses) {
      if (!hasBody && ofBodies.has(status)) continue
      if (isOpen && [401].includes(status)) continue
      if (has([...own, String(status)]) || has([...own, status])) {
        const known = document.getIn([...own, has([...own, status]) ? status : String(status)])
        if (!isDeepStrictEqual(toValue(document, known), reference))
          notes.push(
            `${at.slice(1).join(' ')} has a ${status} of its own: see that its body is that of the service’s errors.`,
          )
      } else document.setIn([...own, String(status)], nodeOf(document, reference))
    }
    const map = document.getIn(own)
    for (const pair of isMap(map) ? map.items : []) {
      const step = toValue(document, pair.key) as Step // keys of YAML are texts and numbers
      const there = follow(document, [...own, step])
      if (!there || seen.has(there.join('\n'))) continue
      seen.add(there.join('\n'))
      for (const name of common) add([...there, 'headers', name], headers.get(name))
    }
  }
  const out = isJson
    ? `${JSON.stringify(document.toJS(), null, 2)}\n`
    : document.toString({ lineWidth: 0, flowCollectionPadding: true })
  return { text: out, notes: [...new Set(notes)] }
}

const ref = (kind: string, name: string) => ({ $ref: `#/components/${kind}/${name}` })

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

const toValue = (document: Document, node: unknown): unknown =>
  typeof node === 'object' && node !== null && 'toJS' in node
    ? (node as { toJS(document: Document): unknown }).toJS(document)
    : node

/** Puts a component under its name, or another one where that is taken for something else. */
function place(document: Document, kind: string, name: string, value: unknown, notes: string[]): string {
  for (let count = 1; ; count++) {
    const free = count === 1 ? name : `${name}${count}`
    const path = ['components', kind, free]
    const known = toValue(document, document.getIn(path))
    if (isDeepStrictEqual(known, value)) return free
    if (known !== undefined) continue
    document.setIn(path, nodeOf(document, value))
    if (count > 1) notes.push(`components/${kind}/${name} is something else: ${free} was added beside it.`)
    return free
  }
}

function operationsIn(document: Document): Operation[] {
  const isSecured = document.hasIn(['security'])
  const paths = document.getIn(['paths'])
  return (isMap(paths) ? paths.items : []).flatMap(pair => {
    const path = String(toValue(document, pair.key))
    return methods.flatMap(method => {
      const at = ['paths', path, method]
      if (!isMap(document.getIn(at))) return []
      const own = toValue(document, document.getIn([...at, 'security']))
      const alternatives = Array.isArray(own) ? own : undefined
      return {
        at,
        method,
        hasBody: document.hasIn([...at, 'requestBody']),
        isOpen: alternatives
          ? alternatives.length === 0 || alternatives.some(one => Object.keys(one).length === 0)
          : !isSecured,
      }
    })
  })
}

/** Where a response stands, references to components followed; undefined where it is in another file. */
function follow(document: Document, path: readonly Step[]): readonly Step[] | undefined {
  let at = path
  for (let hops = 0; hops < 10; hops++) {
    const reference = document.getIn([...at, '$ref'])
    if (typeof reference !== 'string') return document.hasIn(at) ? at : undefined
    if (!reference.startsWith('#/')) return undefined
    at = reference
      .slice(2)
      .split('/')
      .map(part => decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~'))
  }
  return undefined
}
