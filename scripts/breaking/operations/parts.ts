import type { Placed } from '../../../src/document/model.ts'
import type { Header, Parameter, Reference, Schema } from '../../../src/document/types.ts'
import {
  type Change,
  consequence,
  type Effect,
  found,
  lost,
  narrows,
  placed,
  type Reader,
  severityFor,
  widens,
} from '../change.ts'
import { compareDeprecation, isOver } from '../lifecycle.ts'
import { child, elements, entries, keyIn, type Located } from '../located.ts'
import { compareSchemas } from '../schemas/compare.ts'
import type { Context } from '../schemas/difference.ts'
import { compareContent } from './content.ts'
import { orderOf, type Pair, type Route, requestReaderOf } from './routes.ts'

/** Judges what changes in the parameters of an operation, those of its path included. */
export function* compareParameters(pair: Pair): Generator<Change> {
  const { day, stability, trials } = pair
  const reader = requestReaderOf(pair)
  const [before, after] = [parametersOf(pair.base), parametersOf(pair.next)]
  const fresh = new Map([...after].filter(([key]) => !before.has(key)))
  for (const [key, old] of before) {
    const same = after.get(key)
    if (same) {
      yield* placed(placeOf(same), compareParameter(old, same, { reader, day, stability, trials }))
      continue
    }
    const elsewhere = [...fresh].find(
      ([, { node }]) => node.name.toLowerCase() === old.node.name.toLowerCase(),
    )
    if (elsewhere) fresh.delete(elsewhere[0])
    yield* placed(placeOf(old), [
      elsewhere
        ? found(
            'parameter-moved',
            elsewhere[1],
            `the parameter moved from ${old.node.in} to ${elsewhere[1].node.in}`,
            { reader },
          )
        : lost('parameter-removed', old, 'the parameter is gone', {
            reader,
            isOver: isOver(old.node, day) || isOver(pair.base.operation.node, day),
          }),
    ])
  }
  for (const parameter of fresh.values())
    yield* placed(placeOf(parameter), [addedPart('parameter', parameter, reader)])
}

/** The parameters of a path and of its operation; path parameters go by their order, as their names are only ours. */
export function parametersOf(route: Route): Map<string, Located<Parameter>> {
  const { item, operation } = route
  const order = orderOf(route)
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

function placeOf({ node }: Located<Parameter>): string {
  return `${node.in} ${node.name}`
}

function* compareParameter(
  base: Located<Parameter>,
  next: Located<Parameter>,
  context: Context,
): Generator<Change> {
  yield* compareRequired('parameter', base, next, context.reader)
  yield* compareWritten(base, next, context)
}

type Headers = Located<Record<string, Header | Reference>> | undefined

/** Judges what changes in the headers of a reply; their names have no case. */
export function* compareHeaders(base: Headers, next: Headers, context: Context): Generator<Change> {
  const [before, after] = [byName(base), byName(next)]
  for (const [key, { name, header }] of before) {
    const same = after.get(key)?.header
    yield* placed(
      `header ${name}`,
      same
        ? compareHeader(header, same, context)
        : [
            lost('header-removed', header, 'the header is gone', {
              reader: context.reader,
              isOver: isOver(header.node, context.day),
            }),
          ],
    )
  }
  for (const [key, { name, header }] of after)
    if (!before.has(key)) yield* placed(`header ${name}`, [addedPart('header', header, context.reader)])
}

/** `Content-Type` is what the media types say. */
function byName(headers: Headers) {
  const named = entries(headers).filter(([name]) => !/^content-type$/i.test(name))
  return new Map(named.map(([name, header]) => [name.toLowerCase(), { name, header }]))
}

function* compareHeader(base: Located<Header>, next: Located<Header>, context: Context): Generator<Change> {
  yield* compareRequired('header', base, next, context.reader)
  yield* compareWritten(base, next, context)
}

/** What a message has to have, or may. */
type Part = 'parameter' | 'request body' | 'header'

type Judged = Placed<{ required?: boolean; in?: string }>

/** A part that is new: clients may have to send it, but never have to read it. */
export function addedPart(part: Part, added: Judged, reader: Reader): Change {
  const due = reader === 'request' && isRequired(added)
  return {
    severity: due ? 'breaking' : 'info',
    rule: `${due ? 'required-' : ''}${kebab(part)}-added`,
    place: '',
    at: added.at,
    side: 'new',
    what: `the ${due ? 'required ' : ''}${nounOf(part)} is new`,
    why: due
      ? 'clients of before do not send it'
      : `clients need not ${reader === 'request' ? 'send' : 'read'} it`,
  }
}

/** Judges whether a part has to be there. */
export function* compareRequired(part: Part, base: Judged, next: Judged, reader: Reader): Generator<Change> {
  const [was, is] = [isRequired(base), isRequired(next)]
  if (was === is) return
  const [demanded, spared] =
    reader === 'request'
      ? ['clients that leave it out are refused', 'clients may leave it out']
      : ['clients always find it', 'clients that read it may find nothing']
  const rule = `${kebab(part)}-became-${is ? 'required' : 'optional'}`
  const what = `the ${nounOf(part)} became ${is ? 'required' : 'optional'}`
  const change = judged(reader, is ? narrows : widens, rule, keyIn(next, 'required'), what)
  yield { ...change, why: is ? demanded : spared }
}

/** A path has all its parameters, whatever they say. */
function isRequired({ node }: Judged): boolean {
  return node.required === true || node.in === 'path'
}

function kebab(part: Part): string {
  return part.replace(' ', '-')
}

function nounOf(part: Part): string {
  return part === 'request body' ? 'body' : part
}

/** Judges what changes in the value of a parameter or of a header, in how it is written, and until when. */
function* compareWritten(base: Located<Header>, next: Located<Header>, context: Context): Generator<Change> {
  yield* compareDeprecation(base, next, { ...context, mayBeEndless: true })
  yield* compareForm(base, next, context.reader)
  if (!base.node.content && !next.node.content) {
    const [before, after] = [child(base, 'schema'), child(next, 'schema')]
    const items = after && isScalar(before) ? itemsOf(after, formOf(next.node)) : undefined
    yield* compareSchemas(before, items ?? after, { ...context, isWritten: true })
    if (after && items)
      yield judged(context.reader, widens, 'type-widened', keyIn(after, 'type'), 'it may come several times')
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
  if (before !== after && !isAlike)
    yield found(
      'parameter-style-changed',
      keyIn(next, 'style' in next.node ? 'style' : 'explode'),
      `the style was ${before} and is ${after}`,
    )
  for (const key of ['allowReserved', 'allowEmptyValue'] as const) {
    const [was, is] = [base.node[key] === true, next.node[key] === true]
    if (was === is) continue
    const rule = `parameter-form-${is ? 'widened' : 'narrowed'}`
    const what = `${key} is ${is ? 'new' : 'gone'}`
    yield judged(reader, is ? widens : narrows, rule, keyIn(next, key), what)
  }
}

/** A change of the values that a part takes. */
function judged(
  reader: Reader,
  effect: Effect,
  rule: string,
  { at }: Pick<Change, 'at'>,
  what: string,
): Change {
  const severity = severityFor(effect, reader)
  return { severity, rule, place: '', at, side: 'new', what, why: consequence(severity, reader) }
}

/** What an exploded list holds that may be a list of one: that one is written as if it stood alone. */
function itemsOf(list: Located<Schema>, form: string): Place {
  const { type, minItems = 0, maxItems = 1 } = list.node
  return type === 'array' && minItems <= 1 && maxItems >= 1 && form === 'form, exploded'
    ? child(list, 'items')
    : undefined
}

type Place = Located<Schema> | undefined

function isScalar(schema: Place): boolean {
  return /string|number|integer|boolean/.test(String(schema?.node.type ?? ''))
}

/** How a value is written; unsaid, it is as OpenAPI 3.0.3 section 4.7.12 says. */
function formOf({ in: location, style, explode, content }: Header & Partial<Parameter>): string {
  if (content) return 'that of a media type'
  const due = style ?? (location === 'query' || location === 'cookie' ? 'form' : 'simple')
  return `${due}${(explode ?? due === 'form') ? ', exploded' : ''}`
}
