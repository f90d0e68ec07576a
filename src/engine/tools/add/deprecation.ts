import { didYouMean, Misuse } from 'spec-served/internal/command/arguments'
import type { Model, OperationModel } from 'spec-served-document/model'
import { textOf } from 'spec-served-document/reading/nodes'
import { announcing, dayAfter, daysBetween, noticeOf, stabilityOf } from 'spec-served-document/reading/notice'
import { refusalIn, usualResponse } from '../lint/usual.ts'
import { withEntry, withValue } from '../lint/written.ts'

/** How an operation comes to its end. */
export interface Deprecation {
  id: string
  /** days, YYYY-MM-DD */
  since: string
  sunset: string
  /** the operation that replaces it */
  successor?: string | undefined
  /** the successor's address, with the path parameters of the operation that ends */
  successorUrl?: string | undefined
}

/** The default descriptions of deprecation, for a document that has none yet. */
const described: Record<string, object> = {
  Deprecation: {
    required: true,
    description: 'Since when the operation is deprecated (RFC 9745).',
    schema: { type: 'string', pattern: '^@\\d+$' },
    example: '@1780617600',
  },
  Sunset: {
    required: true,
    description: 'When the operation ends (RFC 8594).',
    schema: { type: 'string' },
    example: 'Thu, 05 Dec 2030 00:00:00 GMT',
  },
  Link: {
    description: 'What replaces the operation, and where its deprecation is described (RFC 8288).',
    schema: { type: 'string' },
    example: '</docs#/operation>; rel="deprecation"',
  },
}

/**
 * Returns a document's text with the end of an operation: dates, successor, header fields of its successes, and 410.
 * If the operation is deprecated already, only the dates and the successor change.
 * @throws Misuse where that can't be
 */
export function withDeprecation(text: string, model: Model, deprecation: Deprecation): string {
  const { id, since, sunset, successor, successorUrl } = deprecation
  const { operation, place, responses } = operationOf(model, id)
  const due = noticeOf(stabilityOf(operation))
  if (daysBetween(since, sunset) < due)
    throw new Misuse(
      `${id} is ${stabilityOf(operation)}, and clients have ${due} days from ${since}: --sunset ${dayAfter(since, due)} or later`,
    )
  const relying = model.operations.find(({ operation: candidate }) => textOf(candidate, 'x-successor') === id)
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
      name in operation
        ? withValue(written, place, name, value)
        : withEntry(written, place, name, value, { after })
    after = name
  }
  const gone = goneOf(model, written)
  written = gone.text
  for (const [status, { headers = {} }] of responses) {
    if (!status.startsWith('2')) continue
    const [first] = Object.keys(headers)
    for (const [name, reference] of gone.headers)
      if (!(name in headers))
        written = withEntry(
          written,
          [...place, 'responses', status, 'headers'],
          name,
          reference,
          first === undefined ? {} : { before: first },
        )
  }
  if (responses.has('410')) return written
  const later = Object.keys(operation.responses).find(status => status > '410')
  const position = later === undefined ? {} : { before: later }
  return withEntry(written, [...place, 'responses'], '410', gone.response, position)
}

/**
 * Returns the first day on which an operation may end, YYYY-MM-DD.
 * @param since the day from which on it is deprecated
 * @throws Misuse for an operation that the document has not
 */
export function earliestSunset(model: Model, id: string, since: string): string {
  const { operation } = operationOf(model, id)
  return dayAfter(since, noticeOf(stabilityOf(operation)))
}

function operationOf(model: Model, id: string): OperationModel {
  const operation = model.operation(id)
  if (!operation) throw new Misuse(`There is no operation ${id}${knownIn(model, id)}`)
  return operation
}

/** How ended operations answer: as others of the document do. Missing parts are written into its components. */
function goneOf(model: Model, text: string) {
  const { document } = model
  const { headers: headerComponents = {}, responses = {} } = document.components ?? {}
  let written = text
  const bring = (kind: string, name: string, has: object, value: unknown) => {
    if (!(name in has)) written = withEntry(written, ['components', kind], name, value)
    return { $ref: `#/components/${kind}/${name}` }
  }
  const headers = Object.entries(announcing).map(
    ([header, name]) => [header, bring('headers', name, headerComponents, described[header])] as const,
  )
  const { headers: common, ...rest } = refusalIn(document, 'Gone')
  const gone = { ...rest, headers: { ...Object.fromEntries(headers), ...common } }
  const response = usualResponse(model, '410') ?? bring('responses', 'Gone', responses, gone)
  return { text: written, headers, response }
}

/** Names the operation that was probably meant, or all if they are few. The end of a sentence. */
const knownIn = ({ operations }: Model, id: string) =>
  didYouMean(
    id,
    operations.map(operation => operation.id),
  )

function refuseSuccessor(model: Model, id: string, successor: string): void {
  const other = model.operation(successor)
  if (!other) throw new Misuse(`There is no operation ${successor}${knownIn(model, successor)}`)
  if (successor === id) throw new Misuse(`${id} can’t replace itself`)
  if (other.operation.deprecated) throw new Misuse(`${successor} is deprecated itself`)
}
