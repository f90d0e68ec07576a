import { isDeepStrictEqual } from 'node:util'
import { type Model, type OperationModel, partsOf, responseFor } from '../../document/model.ts'
import type { Reference, Response, Schema } from '../../document/types.ts'
import { isJson, parseMediaType } from '../requests/media-types.ts'
import { createSchemas } from '../requests/schemas.ts'
import { ApiError, type WireError } from './api-error.ts'
import { fillIn } from './error-filling.ts'

/** A response whose form the service can't fill. */
export interface UnfitError {
  /** the operations that have it */
  operations: string[]
  status: string
  /** what keeps it from fitting, in words */
  reason: string
}

export type ErrorForms = ReturnType<typeof createErrorForms>

/** A form: `own` is the engine's. */
type Form = 'own' | { type: string; schema: Schema | Reference }

/** What is to be told of responses whose form can't be filled, and what to do. */
export function unfitText({ operations, status, reason }: UnfitError): string {
  const [first = '', ...others] = operations
  const more = others.length > 0 ? ` and ${others.length} more` : ''
  return (
    `The service writes its own refusals as { code, message, status } where ${first}${more} declare${more ? '' : 's'} ${status} ` +
    `in another form: ${reason}. Give its schema a text \`message\` or \`code\`, and nothing else that is required.`
  )
}

const namesNothing = 'no property has a name that tells what to put there (message, code, title, detail …)'

/** The forms in which a document declares errors. */
export function createErrorForms(model: Model, now: () => Date) {
  const schemas = createSchemas(model)
  const all = model.operations.flatMap(errorsOf)
  const responses = all.map(({ response }) => response)
  const forms = new Map([...new Set(responses)].map(response => [response, readForm(model, response)]))
  const formOf = (response: Response | undefined) => response && forms.get(response)
  const sorted = Map.groupBy(
    responses.flatMap(response => formOf(response) ?? []),
    // A schema decides, which many responses share.
    form => (form === 'own' ? form : '$ref' in form.schema ? form.schema.$ref : form.schema),
  )
  const [[usual] = []] = [...sorted.values()].sort((a, b) => b.length - a.length)

  /** An error in a form, or what keeps it from fitting. */
  function writeIn({ type, schema }: Exclude<Form, 'own'>, error: WireError, requestId: string) {
    const parsed = parseMediaType(type)
    if (parsed?.type === 'text' && !isJson(parsed)) return { text: error.message }
    if (!parsed || !isJson(parsed)) return { reason: `nothing is known of errors as ${type}` }
    const value = fillIn(model, schema, { ...error, requestId, time: now() })
    if (value === undefined) return { reason: namesNothing }
    const [fault] = schemas.check(schema, value, 'response')
    if (fault) return { reason: `the body${fault.path} ${fault.message} for ${error.code}` }
    return { text: JSON.stringify(value) }
  }

  return {
    /**
     * Writes an error in the form that the document has for it.
     * @param operationId undefined: it belongs to none, and has the form that most responses have
     * @returns its media type and text; undefined where that is the engine's own form
     */
    write(operationId: string | undefined, error: WireError, requestId: string) {
      const operation = model.operation(operationId ?? '')
      // What says nothing of a body takes the one that the document's readers know.
      const form = formOf(operation && responseFor(operation, error.status)) ?? usual
      if (form === undefined || form === 'own') return undefined
      const { text } = writeIn(form, error, requestId)
      return text === undefined ? undefined : { type: form.type, text }
    },
    /** The errors that the service writes in its own form though the document has another. */
    unfit(): UnfitError[] {
      const unfit = all.flatMap(({ id, status, response }) => {
        const form = formOf(response)
        if (form === undefined || form === 'own') return []
        const written = samples(status).map(error => writeIn(form, error, crypto.randomUUID()))
        const reason = written.find(one => one.reason !== undefined)?.reason
        return reason === undefined ? [] : [{ operations: [id], status, reason }]
      })
      const groups = Map.groupBy(unfit, ({ reason, status }) => `${reason} ${status}`)
      return [...groups.values()].flatMap(([first, ...more]) =>
        first ? [{ ...first, operations: [first, ...more].flatMap(({ operations }) => operations) }] : [],
      )
    },
  }
}

/** The errors that an operation declares; what stands for successes too is none. */
function errorsOf({ id, responses }: OperationModel) {
  const hasSuccess = [...responses.keys()].some(status => status.startsWith('2'))
  return [...responses].flatMap(([status, response]) => {
    const isError = /^[45]/.test(status) || (status === 'default' && hasSuccess)
    return isError && response.content ? [{ id, status, response }] : []
  })
}

function readForm(model: Model, { content = {} }: Response): Form {
  const types = Object.keys(content)
  const isOfJson = (name: string) => {
    const parsed = parseMediaType(name)
    return (parsed && isJson(parsed)) || name === '*/*' || name === 'application/*'
  }
  const name = types.find(isOfJson) ?? types.find(name => name.startsWith('text/')) ?? types[0]
  if (name === undefined) return 'own'
  const schema = content[name]?.schema ?? {}
  if (name === 'text/*') return { type: 'text/plain', schema }
  const isPlain = name.includes('*') || parseMediaType(name)?.essence === 'application/json'
  if (isPlain && isOwn(model, schema)) return 'own'
  return { type: isPlain ? 'application/json; charset=utf-8' : name, schema }
}

/** Whether a schema has the engine's form, or none at all. */
function isOwn(model: Model, schema: Schema | Reference): boolean {
  const own = { code: 'not_found', message: 'It is not there.', status: 404 }
  const value = fillIn(model, schema, { ...own, requestId: '', time: new Date(0) })
  if (value !== undefined) return isDeepStrictEqual(value, own)
  return partsOf(model, schema).every(
    ({ type = 'object', properties, required, oneOf, anyOf }) =>
      type === 'object' && !(properties || required || oneOf || anyOf),
  )
}

/** Some of the engine's refusals that a response may have to hold. */
function samples(status: string): WireError[] {
  const codes = [
    'invalid_request',
    'unauthenticated',
    'insufficient_scope',
    'not_found',
    'rate_limited',
    'internal_error',
    'unavailable',
  ] as const
  const wanted = status === '422' ? '400' : status
  const details = [{ path: '/a', message: 'must be b' }]
  return codes
    .map(code => new ApiError(code, 'It is wrong.', { details }).toWire())
    .filter(({ status: own }) => [`${own}`, `${String(own)[0]}XX`, 'default'].includes(wanted))
}
