import { isDeepStrictEqual } from 'node:util'
import { type Model, type OperationModel, partsOf, responseFor } from 'spec-served-document/model'
import type { Reference, Response, Schema } from 'spec-served-document/types'
import { inUtf8, isJson, parseMediaType, typeWithin } from 'spec-served-document/values/media-types'
import { createSchemas } from 'spec-served-document/values/schemas'
import { ApiError, type WireError } from '../errors/api-error.ts'
import { fillIn } from './error-filling.ts'

export type ErrorForms = ReturnType<typeof createErrorForms>

/** A form of errors. Without a schema it is the engine's own. */
interface Form {
  type: string
  schema?: Schema | Reference
}

const json = 'application/json; charset=utf-8'
const namesNothing = 'no property has a name that says what to put there (message, code, title, detail …)'

/** The forms in which a document declares errors. */
export function createErrorForms(model: Model, now: () => Date) {
  const schemas = createSchemas(model)
  const all = model.operations.flatMap(errorsOf)
  const responses = all.map(({ response }) => response)
  const forms = new Map([...new Set(responses)].map(response => [response, readForm(model, response)]))
  const sorted = Map.groupBy(
    responses.flatMap(response => forms.get(response) ?? []),
    // Many responses share a schema, and the schema decides the form.
    ({ schema }) => (schema && '$ref' in schema ? schema.$ref : schema),
  )
  const [[usual = { type: json }] = []] = [...sorted.values()].sort((a, b) => b.length - a.length)

  /** Returns an error in a form, or why it does not fit. */
  function writeIn({ type, schema }: Form, error: WireError, requestId: string) {
    if (!schema) return { text: JSON.stringify(error) }
    const parsed = parseMediaType(type)
    if (parsed?.type === 'text' && !isJson(parsed)) return { text: error.message }
    if (!isJson(parsed)) return { reason: `nothing is known of errors as ${type}` }
    const value = fillIn(model, schema, { ...error, requestId, time: now() })
    if (value === undefined) return { reason: namesNothing }
    const [fault] = schemas.check(schema, value, 'response')
    if (fault) return { reason: `the body${fault.path} ${fault.message} for ${error.code}` }
    return { text: JSON.stringify(value) }
  }

  return {
    /** Writes an error in the form that the document declares for it; without an operation in the most common form. */
    write(operationId: string | undefined, error: WireError, requestId: string) {
      const operation = model.operation(operationId ?? '')
      const response = operation && responseFor(operation, error.status)
      // A response without a body uses the form that readers of the document know.
      const form = (response && forms.get(response)) ?? usual
      const { text } = writeIn(form, error, requestId)
      return text === undefined ? { type: json, text: JSON.stringify(error) } : { type: form.type, text }
    },
    /** Describes the errors that the service writes in its own form although the document declares another. */
    unfit() {
      const unfit = all.flatMap(({ id, status, response }) => {
        const written = samples(status).map(error => writeIn(forms.get(response) ?? usual, error, ''))
        const [reason] = written.flatMap(example => example.reason ?? [])
        return reason === undefined ? [] : [{ id, what: `${status} in another form: ${reason}` }]
      })
      return [...Map.groupBy(unfit, ({ what }) => what)].map(([what, group]) => {
        const operations = group.map(({ id }) => id)
        return { operations, text: unfitText(operations, what) }
      })
    },
  }
}

function unfitText([first, ...more]: string[], what: string): string {
  const others = more.length > 0 ? ` and ${more.length} more declare` : ' declares'
  return (
    `The service writes its own refusals as { code, message, status } where ${first}${others} ${what}. ` +
    'Give its schema a text `message` or `code`, and nothing else that is required.'
  )
}

/** Returns the errors that an operation declares. A response that also covers successes is none. */
function errorsOf({ id, responses }: OperationModel) {
  const hasSuccess = [...responses.keys()].some(status => status.startsWith('2'))
  return [...responses].flatMap(([status, response]) => {
    const isError = /^[45]/.test(status) || (status === 'default' && hasSuccess)
    return isError && response.content ? [{ id, status, response }] : []
  })
}

function readForm(model: Model, { content = {} }: Response): Form {
  const types = Object.keys(content)
  const isOfJson = (mediaType: string) =>
    isJson(parseMediaType(mediaType)) || mediaType === '*/*' || mediaType === 'application/*'
  const name = types.find(isOfJson) ?? types.find(mediaType => mediaType.startsWith('text/')) ?? types[0]
  if (name === undefined) return { type: json }
  const schema = content[name]?.schema ?? {}
  const type = inUtf8(typeWithin(name))
  const isPlain = parseMediaType(type)?.essence === 'application/json'
  if (!isPlain) return { type, schema }
  return isOwn(model, schema) ? { type: json } : { type: json, schema }
}

/** Whether a schema has the engine's form, or allows anything. */
function isOwn(model: Model, schema: Schema | Reference): boolean {
  const notFound = { code: 'not_found', message: 'It is not there.', status: 404 }
  const value = fillIn(model, schema, { ...notFound, requestId: '', time: new Date(0) })
  if (value !== undefined) return isDeepStrictEqual(value, notFound)
  return partsOf(model, schema).every(
    ({ type = 'object', properties, required, oneOf, anyOf }) =>
      type === 'object' && !(properties || required || oneOf || anyOf),
  )
}

/** Examples of the engine's refusals that a response may have to hold. */
function samples(status: string): WireError[] {
  const refused = ['invalid_request', 'unauthenticated', 'insufficient_scope', 'not_found'] as const
  const codes = [...refused, 'rate_limited', 'internal_error', 'unavailable'] as const
  const wanted = status === '422' ? '400' : status
  const details = [{ path: '/a', message: 'must be b' }]
  return codes
    .map(code => new ApiError(code, 'It is wrong.', { details }).toWire())
    .filter(({ status: sampleStatus }) =>
      [`${sampleStatus}`, `${String(sampleStatus)[0]}XX`, 'default'].includes(wanted),
    )
}
