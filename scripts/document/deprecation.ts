import type { Model } from '../../src/document/model.ts'
import { Misuse } from '../arguments.ts'
import { daysBetween, noticeOf, stabilityOf } from './lifecycle.ts'
import { textOf } from './nodes.ts'
import { withEntry, withValue } from './written.ts'

/** How an operation comes to its end. */
export interface Deprecation {
  id: string
  /** days, YYYY-MM-DD */
  since: string
  sunset: string
  /** the operation that replaces it */
  successor?: string | undefined
  /** where that is, with the path parameters of the one that ends */
  successorUrl?: string | undefined
}

/** The headers that tell of the end, and the components that describe them. */
export const announcing = { Deprecation: 'Deprecation', Sunset: 'Sunset', Link: 'LifecycleLink' }

const to = (kind: string, name: string) => ({ $ref: `#/components/${kind}/${name}` })

/**
 * A document's text with the end of an operation in it: its dates, what replaces it, the headers of its successes and
 * the answer 410. Of one that is deprecated already the dates and the successor are changed.
 * @throws Misuse where that can't be
 */
export function withDeprecation(text: string, model: Model, deprecation: Deprecation): string {
  const { id, since, sunset, successor, successorUrl } = deprecation
  const located = model.operation(id)
  if (!located) throw new Misuse(`There is no operation ${id}`)
  const { operation, at, responses } = located
  const due = noticeOf(stabilityOf(operation))
  if (daysBetween(since, sunset) < due)
    throw new Misuse(`${id} is ${stabilityOf(operation)}: from ${since} it has ${due} days at least`)
  const relying = model.operations.find(({ operation }) => textOf(operation, 'x-successor') === id)
  if (relying) throw new Misuse(`${relying.id} is replaced by ${id}: give it another successor first`)
  if (successor !== undefined) refuseSuccessor(model, id, successor)
  const entries = {
    deprecated: true,
    'x-deprecated-at': textOf(operation, 'x-deprecated-at') ?? since,
    'x-deprecated-sunset': sunset,
    ...(successor !== undefined && { 'x-successor': successor }),
    ...(successorUrl !== undefined && { 'x-successor-url': successorUrl }),
  }
  let written = text
  let after = 'description' in operation ? 'description' : 'operationId'
  for (const [name, value] of Object.entries(entries)) {
    written =
      name in operation ? withValue(written, at, name, value) : withEntry(written, at, name, value, { after })
    after = name
  }
  for (const [status, { headers = {} }] of responses) {
    if (!status.startsWith('2')) continue
    const missing = Object.entries(announcing).filter(([name]) => !(name in headers))
    const [first] = Object.keys(headers)
    for (const [name, header] of missing)
      written = withEntry(
        written,
        [...at, 'responses', status, 'headers'],
        name,
        to('headers', header),
        first === undefined ? {} : { before: first },
      )
  }
  if (responses.has('410')) return written
  const later = Object.keys(operation.responses).find(status => status > '410')
  const place = later === undefined ? {} : { before: later }
  return withEntry(written, [...at, 'responses'], '410', to('responses', 'Gone'), place)
}

function refuseSuccessor(model: Model, id: string, successor: string): void {
  const other = model.operation(successor)
  if (!other) throw new Misuse(`There is no operation ${successor}`)
  if (successor === id) throw new Misuse(`${id} can’t replace itself`)
  if (other.operation.deprecated) throw new Misuse(`${successor} is deprecated itself`)
}
