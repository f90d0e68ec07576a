import { type Model, type OperationModel, partsOf, responseFor } from '../../document/model.ts'
import type { Reference, Response, Schema } from '../../document/types.ts'
import { isJson, parseMediaType } from '../requests/media-types.ts'
import { createSchemas, type Schemas } from '../requests/schemas.ts'
import { isEngineCode, type WireError } from './api-error.ts'
import { fillIn, type Told } from './error-filling.ts'

/** An error as it is sent. */
export interface WrittenError {
  /** media type */
  type: string
  text: string
}

/** A response whose form the service can't fill. */
export interface UnfitError {
  /** the operations that have it */
  operations: string[]
  status: string
  /** what keeps it from fitting, in words */
  reason: string
}

/** The forms in which a document declares errors. */
export interface ErrorForms {
  /**
   * Writes an error in the form that the document has for it.
   * @param operationId undefined: it belongs to none, and has the form that most responses have
   * @returns undefined where that is the engine's own form
   */
  write(operationId: string | undefined, error: WireError, requestId: string): WrittenError | undefined
  /** The errors that the service writes in its own form though the document has another. */
  unfit(): UnfitError[]
}

/** A form: `own` is the engine's. */
type Form = 'own' | { type: string; schema: Schema | Reference; isText: boolean }

/** What is to be told of responses whose form can't be filled, and what to do. */
export function unfitText({ operations, status, reason }: UnfitError): string {
  const [first = '', ...others] = operations
  const more = others.length > 0 ? ` and ${others.length} more` : ''
  return (
    `The service writes its own refusals as { code, message, status } where ${first}${more} declare${more ? '' : 's'} ${status} ` +
    `in another form: ${reason}. Give its schema a text \`message\` or \`code\`, and nothing else that is required.`
  )
}

/** What the engine's own form consists of. */
const ownProperties: Readonly<Record<string, string>> = {
  code: 'string',
  message: 'string',
  status: 'integer',
  details: 'array',
}

export function createErrorForms(model: Model, now: () => Date): ErrorForms {
  const schemas = createSchemas(model)
  const forms = new Map<Response, Form>()
  const formOf = (response: Response): Form => {
    const known = forms.get(response) ?? readForm(model, response)
    forms.set(response, known)
    return known
  }
  const all = model.operations.flatMap(operation =>
    errorsOf(operation).map(([status, response]) => ({ operation, status, form: formOf(response) })),
  )
  const others = all.filter(({ form }) => form !== 'own')
  const usual = mostOf(all.map(({ form }) => form))

  /** by operation and status, as refusals are many */
  const found = new Map<string, Form>()
  function formFor(operationId: string, status: number): Form {
    const key = `${operationId} ${status}`
    const known = found.get(key)
    if (known !== undefined) return known
    const operation = model.operation(operationId)
    const response = operation && errorResponse(operation, status)
    // What says nothing of a body takes the one that the document's readers know.
    const form = response?.content ? formOf(response) : usual
    found.set(key, form)
    return form
  }

  /** undefined where the form can't be filled */
  function written(form: Form, error: WireError, requestId: string): WrittenError | undefined {
    if (form === 'own') return undefined
    const told: Told = { ...error, requestId, time: now() }
    if (form.isText) return { type: form.type, text: error.message }
    const value = fillIn(model, form.schema, told)
    if (value === undefined || schemas.check(form.schema, value, 'response').length > 0) return undefined
    return { type: form.type, text: JSON.stringify(value) }
  }

  return {
    write(operationId, error, requestId) {
      if (others.length === 0) return undefined
      return written(operationId === undefined ? usual : formFor(operationId, error.status), error, requestId)
    },
    unfit() {
      const unfit = new Map<string, UnfitError>()
      for (const { operation, status, form } of others) {
        const reason = form === 'own' ? undefined : misfitOf(model, schemas, form, samples(status), now())
        if (reason === undefined) continue
        const key = `${reason} ${status}`
        const known = unfit.get(key) ?? { operations: [], status, reason }
        known.operations.push(operation.id)
        unfit.set(key, known)
      }
      return [...unfit.values()]
    },
  }
}

/** The errors that an operation declares, by status; what stands for successes too is none. */
function errorsOf(operation: OperationModel): [string, Response][] {
  const hasSuccess = [...operation.responses.keys()].some(status => /^2/.test(status))
  return [...operation.responses].filter(
    ([status, { content }]) => content && (/^[45]/.test(status) || (status === 'default' && hasSuccess)),
  )
}

function errorResponse(operation: OperationModel, status: number): Response | undefined {
  const response = responseFor(operation, status)
  return errorsOf(operation).some(([, own]) => own === response) ? response : undefined
}

function readForm(model: Model, { content = {} }: Response): Form {
  const types = Object.entries(content).map(([name, media]) => ({
    name,
    media,
    parsed: parseMediaType(name),
  }))
  const json = types.find(
    ({ parsed, name }) => (parsed && isJson(parsed)) || name === '*/*' || name === 'application/*',
  )
  const [first] = types
  const chosen = json ?? types.find(({ name }) => name.startsWith('text/')) ?? first
  if (!chosen) return 'own'
  const schema = chosen.media.schema ?? {}
  const isPlain = chosen.name.includes('*') || chosen.parsed?.essence === 'application/json'
  if (json && isPlain && isOwn(model, schema)) return 'own'
  const type =
    chosen.name === 'text/*' ? 'text/plain' : chosen.name.includes('*') ? 'application/json' : chosen.name
  return {
    type: isPlain ? 'application/json; charset=utf-8' : type,
    schema,
    isText: !json && chosen.name.startsWith('text/'),
  }
}

/** Whether a schema has the engine's form, or none at all. */
function isOwn(model: Model, schema: Schema | Reference): boolean {
  const parts = partsOf(model, schema)
  if (parts.some(part => part.oneOf || part.anyOf || part.not || (part.type ?? 'object') !== 'object'))
    return false
  const properties = Object.assign({}, ...parts.map(part => part.properties)) as NonNullable<
    Schema['properties']
  >
  const required = parts.flatMap(part => part.required ?? [])
  if (required.some(name => !(name in ownProperties) || name === 'details')) return false
  if (Object.keys(properties).length === 0) return true
  const typeOf = (name: string) => {
    const property = properties[name]
    return property && partsOf(model, property).find(({ type }) => type)?.type
  }
  const codes = properties.code && partsOf(model, properties.code).find(part => part.enum)?.enum
  if (codes && !codes.some(code => isEngineCode(String(code)))) return false
  return (
    typeOf('code') === 'string' &&
    typeOf('message') === 'string' &&
    ['integer', 'number', undefined].includes(typeOf('status'))
  )
}

/** The form that most have: its schema decides, which many responses share. */
function mostOf(all: readonly Form[]): Form {
  const counts = new Map<unknown, { form: Form; count: number }>()
  for (const form of all) {
    const key = form === 'own' ? form : '$ref' in form.schema ? form.schema.$ref : form.schema
    const known = counts.get(key) ?? { form, count: 0 }
    known.count += 1
    counts.set(key, known)
  }
  return [...counts.values()].reduce((most, one) => (one.count > most.count ? one : most), {
    form: 'own' as Form,
    count: 0,
  }).form
}

/** The engine's refusals that a response may have to hold. */
function samples(status: string): WireError[] {
  const known: WireError[] = [
    {
      code: 'invalid_request',
      message: 'The body is not valid.',
      status: 400,
      details: [{ path: '/a', message: 'must be b' }],
    },
    { code: 'unauthenticated', message: 'Send a credential.', status: 401 },
    { code: 'insufficient_scope', message: 'It lacks a scope.', status: 403 },
    { code: 'not_found', message: 'There is nothing.', status: 404 },
    { code: 'rate_limited', message: 'Too many.', status: 429 },
    { code: 'internal_error', message: 'It went wrong.', status: 500 },
    { code: 'unavailable', message: 'Retry soon.', status: 503 },
  ]
  return known.filter(error => {
    const own = String(error.status)
    return (
      status === own ||
      status === 'default' ||
      (status === '422' && error.status === 400) ||
      status === `${own[0]}XX`
    )
  })
}

/** Why the engine's refusals can't be written in a form; undefined where they can. */
function misfitOf(
  model: Model,
  schemas: Schemas,
  { type, schema, isText }: Exclude<Form, 'own'>,
  errors: readonly WireError[],
  time: Date,
): string | undefined {
  if (isText) return undefined
  const parsed = parseMediaType(type)
  if (!parsed || !isJson(parsed))
    return errors.length > 0 ? `nothing is known of errors as ${type}` : undefined
  for (const error of errors) {
    const value = fillIn(model, schema, { ...error, requestId: '00000000-0000-4000-8000-000000000000', time })
    if (value === undefined)
      return 'no property has a name that tells what to put there (message, code, title, detail …)'
    const [fault] = schemas.check(schema, value, 'response')
    if (fault) return `the body${fault.path} ${fault.message} for ${error.code}`
  }
  return undefined
}
