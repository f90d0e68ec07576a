import type { Header, Parameter, Schema } from '../../../src/document/types.ts'
import { type Change, change, consequence, narrows, type Reader, severityFor, widens } from '../change.ts'
import { compareDeprecation } from '../lifecycle.ts'
import { child, keyIn, type Located } from '../located.ts'
import { compareSchemas } from '../schemas/compare.ts'
import type { Context } from '../schemas/difference.ts'
import { compareContent } from './content.ts'

/** Judges what changes in the value of a parameter or of a header, in how it is written, and until when. */
export function* compareWritten(
  base: Located<Header>,
  next: Located<Header>,
  context: Context,
): Generator<Change> {
  yield* compareDeprecation(base, next, { ...context, mayBeEndless: true })
  yield* compareForm(base, next, context.reader)
  if (!base.node.content && !next.node.content) {
    const [before, after] = [child(base, 'schema'), child(next, 'schema')]
    const items = after && isScalar(before) ? itemsOf(after, formOf(next.node)) : undefined
    yield* compareSchemas(before, items ?? after, { ...context, isWritten: true })
    if (after && items) yield listed(after, context.reader)
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
    yield change(
      'breaking',
      'parameter-style-changed',
      keyIn(next, 'style' in next.node ? 'style' : 'explode'),
      `the style was ${before} and is ${after}`,
      'lists and objects are read otherwise than they are written',
    )
  for (const key of ['allowReserved', 'allowEmptyValue'] as const) {
    const [was, is] = [base.node[key] === true, next.node[key] === true]
    if (was === is) continue
    const severity = severityFor(is ? widens : narrows, reader)
    yield change(
      severity,
      `parameter-form-${is ? 'widened' : 'narrowed'}`,
      keyIn(next, key),
      `${key} is ${is ? 'new' : 'gone'}`,
      consequence(severity, reader),
    )
  }
}

/** What an exploded list holds that may be a list of one: that one is written as if it stood alone. */
function itemsOf(list: Located<Schema>, form: string): Place {
  const { type, minItems = 0, maxItems = 1 } = list.node
  return type === 'array' && minItems <= 1 && maxItems >= 1 && form === 'form, exploded'
    ? child(list, 'items')
    : undefined
}

function listed(list: Located<Schema>, reader: Reader): Change {
  const severity = severityFor(widens, reader)
  const why = consequence(severity, reader)
  return change(severity, 'type-widened', keyIn(list, 'type'), 'it may come several times', why)
}

type Place = Located<Schema> | undefined

function isScalar(schema: Place): boolean {
  return /string|number|integer|boolean/.test(schema?.node.type ?? '')
}

/** How a value is written; unsaid, it is as OpenAPI 3.0.3 section 4.7.12 says. */
function formOf({ in: location, style, explode, content }: Header & Partial<Parameter>): string {
  if (content) return 'that of a media type'
  const due = style ?? (location === 'query' || location === 'cookie' ? 'form' : 'simple')
  return `${due}${(explode ?? due === 'form') ? ', exploded' : ''}`
}
