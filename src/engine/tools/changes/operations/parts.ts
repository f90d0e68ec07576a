import type { Placed } from 'spec-served-document/reading/nodes'
import type { Header, Parameter, Reference, Schema } from 'spec-served-document/types'
import { type Change, compareParts, found, lost, type Reader } from '../change.ts'
import { compareDeprecation, isOver } from '../deprecations.ts'
import { child, elements, entries, keyIn, type Located } from '../located.ts'
import { compareSchemas } from '../schemas/compare.ts'
import type { Context } from '../schemas/difference.ts'
import { compareContent } from './content.ts'
import { type Pair, parameterOrder, type Route } from './routes.ts'

/** Judges what changes in the parameters of an operation, those of its path included. */
export function compareParameters(pair: Pair): Generator<Change> {
  const { reader } = pair
  const [before, after] = [parametersOf(pair.base), parametersOf(pair.next)]
  const fresh = new Set([...after].filter(([key]) => !before.has(key)).map(([, parameter]) => parameter))
  return compareParts(before, after, {
    part: ({ node }) => `${node.in} ${node.name}`,
    both: (base, next) => compareValue('parameter', base, next, pair),
    gone(old) {
      const name = old.node.name.toLowerCase()
      const elsewhere = [...fresh].find(({ node }) => node.name.toLowerCase() === name)
      if (!elsewhere) {
        const isPast = [old, pair.base.operation].some(({ node }) => isOver(node, pair.day))
        return [lost('parameter-removed', old, 'the parameter is gone', { reader, isOver: isPast })]
      }
      fresh.delete(elsewhere)
      const what = `the parameter moved from ${old.node.in} to ${elsewhere.node.in}`
      return [found('parameter-moved', elsewhere, what, { reader })]
    },
    fresh: parameter => (fresh.has(parameter) ? [addedPart('parameter', parameter, reader)] : []),
  })
}

/** The parameters of a path and its operation. Path parameters go by order, as their names are only ours. */
export function parametersOf(route: Route): Map<string, Located<Parameter>> {
  const { item, operation } = route
  const order = parameterOrder(route)
  const all = [...elements(child(item, 'parameters')), ...elements(child(operation, 'parameters'))]
  return new Map(
    all
      .filter(({ node }) => node.in !== 'header' || !/^(accept|content-type|authorization)$/i.test(node.name))
      .map(parameter => {
        const { in: location, name } = parameter.node
        const id = location === 'path' ? order.get(name) : location === 'header' ? name.toLowerCase() : name
        return [`${location} ${id ?? name}`, parameter]
      }),
  )
}

type Headers = Located<Record<string, Header | Reference>> | undefined

/** Judges what changes in the headers of a reply. */
export function compareHeaders(base: Headers, next: Headers, context: Context): Generator<Change> {
  const { reader, day } = context
  return compareParts(byName(base), byName(next), {
    part: ({ name }) => `header ${name}`,
    both: (old, now) => compareValue('header', old.header, now.header, context),
    gone: ({ header }) => [
      lost('header-removed', header, 'the header is gone', { reader, isOver: isOver(header.node, day) }),
    ],
    fresh: ({ header }) => [addedPart('header', header, reader)],
  })
}

/** Names have no case; `Content-Type` is what the media types say. */
function byName(headers: Headers) {
  const named = entries(headers).filter(([name]) => !/^content-type$/i.test(name))
  return new Map(named.map(([name, header]) => [name.toLowerCase(), { name, header }]))
}

/** A part that a message must have or may have. */
type Part = 'parameter' | 'request-body' | 'header'

type Judged = Placed<{ required?: boolean; in?: string }>

/** A part that is new: clients may have to send it, but never have to read it. */
export function addedPart(part: Part, added: Judged, reader: Reader): Change {
  return reader === 'request' && isRequired(added)
    ? found(`required-${part}-added`, added, `the required ${nounOf(part)} is new`)
    : found(`${part}-added`, added, `the ${nounOf(part)} is new`, { reader })
}

/** Judges whether a part has to be there. */
export function* compareRequired(part: Part, base: Judged, next: Judged, reader: Reader): Generator<Change> {
  if (isRequired(base) === isRequired(next)) return
  const became = isRequired(next) ? 'required' : 'optional'
  const where = keyIn(next, 'required')
  yield found(`${part}-became-${became}`, where, `the ${nounOf(part)} became ${became}`, { reader })
}

/** A path has all its parameters, whatever they say. */
function isRequired({ node }: Judged): boolean {
  return node.required === true || node.in === 'path'
}

function nounOf(part: Part): string {
  return part.replace('request-', '')
}

/** Judges what changes in a parameter or a header: its presence, its value, its form, and its end. */
function* compareValue(
  part: Part,
  base: Located<Header>,
  next: Located<Header>,
  context: Context,
): Generator<Change> {
  const { reader } = context
  yield* compareRequired(part, base, next, reader)
  yield* compareDeprecation(base, next, { ...context, mayBeEndless: true })
  yield* compareForm(base, next, reader)
  if (!base.node.content && !next.node.content) {
    const [before, after] = [child(base, 'schema'), child(next, 'schema')]
    const items = after && isScalar(before) ? itemsOf(after, formOf(next.node)) : undefined
    yield* compareSchemas(before, items ?? after, { ...context, isWritten: true })
    if (after && items)
      yield found('type-widened', keyIn(after, 'type'), 'it may come several times', { reader })
  }
  if (base.node.content && next.node.content)
    yield* compareContent(child(base, 'content'), child(next, 'content'), context)
}

function* compareForm(base: Located<Header>, next: Located<Header>, reader: Reader): Generator<Change> {
  // One value alone is written the same whether exploded or not.
  const plain = [base, next].some(written => isScalar(child(written, 'schema')))
  const [before, after] = [base.node, next.node].map(formOf)
  const isWrapped = base.node.content !== undefined || next.node.content !== undefined
  const isAlike = plain && !isWrapped && (base.node.style ?? '') === (next.node.style ?? '')
  if (before !== after && !isAlike) {
    const where = keyIn(next, 'style' in next.node ? 'style' : 'explode')
    yield found('parameter-style-changed', where, `the style was ${before} and is ${after}`)
  }
  for (const key of ['allowReserved', 'allowEmptyValue'] as const) {
    const [was, is] = [base.node[key] === true, next.node[key] === true]
    const rule = is ? 'parameter-form-widened' : 'parameter-form-narrowed'
    if (was !== is) yield found(rule, keyIn(next, key), `${key} is ${is ? 'new' : 'gone'}`, { reader })
  }
}

/** Returns the items of an exploded list that may hold a single item. It is then written as if it stood alone. */
function itemsOf(list: Located<Schema>, form: string): Located<Schema> | undefined {
  const { type, minItems = 0, maxItems = 1 } = list.node
  return type === 'array' && minItems <= 1 && maxItems >= 1 && form === 'form, exploded'
    ? child(list, 'items')
    : undefined
}

function isScalar(schema: Located<Schema> | undefined): boolean {
  return /string|number|integer|boolean/.test(String(schema?.node.type ?? ''))
}

/** How a value is written; unsaid, it is as OpenAPI 3.0.3 section 4.7.12 says. */
function formOf({ in: location, style, explode, content }: Header & Partial<Parameter>): string {
  if (content) return 'that of a media type'
  const due = style ?? (location === 'query' || location === 'cookie' ? 'form' : 'simple')
  return `${due}${(explode ?? due === 'form') ? ', exploded' : ''}`
}
