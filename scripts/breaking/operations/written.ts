import type { Header, Parameter } from '../../../src/document/types.ts'
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
  if (!base.node.content && !next.node.content)
    yield* compareSchemas(child(base, 'schema'), child(next, 'schema'), { ...context, isWritten: true })
  if (base.node.content && next.node.content)
    yield* compareContent(child(base, 'content'), child(next, 'content'), context)
}

function* compareForm(base: Located<Header>, next: Located<Header>, reader: Reader): Generator<Change> {
  // One value alone is written the same whether exploded or not.
  const plain = [base, next].every(
    written => !/array|object/.test(String(child(written, 'schema')?.node.type ?? 'array')),
  )
  const [before, after] = [base.node, next.node].map(formOf)
  if (before !== after && !(plain && (base.node.style ?? '') === (next.node.style ?? '')))
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

/** How a value is written; unsaid, it is as OpenAPI 3.0.3 section 4.7.12 says. */
function formOf({ in: location, style, explode, content }: Header & Partial<Parameter>): string {
  if (content) return 'that of a media type'
  const due = style ?? (location === 'query' || location === 'cookie' ? 'form' : 'simple')
  return `${due}${(explode ?? due === 'form') ? ', exploded' : ''}`
}
