/** @import { Contents, NamedMediaType, Operation, Parameter, RequestBody, Resolve, Schema } from '../document/types.js' */
/** @import { Tools } from '../swagger-ui/tools.js' */
/** @import { Credentials, FormValues } from '../swagger-ui/types.js' */
import { docsLinks } from '../basics/addresses.js'
import { examplesOf, isJson, mediaOf, membersOf, parsed } from '../document/media.js'
import { isBytes, wholeOf } from '../document/schemas.js'
import { changesAccessOrRemoves, securitySchemesOf } from '../document/security.js'
import { plain } from '../swagger-ui/tools.js'

/**
 * The request in an operation's sample code: from the values in the form, else from the document's examples. Swagger UI
 * itself writes it, so that code and form send the same.
 * @param {Operation} operation
 * @param {Contents} found
 * @param {Tools['ui']} ui
 * @param {Credentials} authorized
 */
export function sampleRequest(operation, found, ui, authorized) {
  const { path, method, id, parameters, body } = operation
  const { specSelectors, oas3Selectors, fn } = ui()
  const written = specSelectors.parameterValues([path, method])
  const values = parameters.flatMap(parameter => {
    const { name, in: place, required } = parameter
    const filled = plain(written.get(`${place}.${name}`))
    if (filled !== undefined && filled !== null && filled !== '') return [{ parameter, value: filled }]
    return required ? [{ parameter, value: exampleValue(parameter, found) }] : []
  })
  const servers = operation.operation.servers ?? found.resolve(found.document.paths?.[path]).servers
  const server = servers?.[0]?.url ?? oas3Selectors.selectedServer() ?? ''
  const media = body && mediaFor(oas3Selectors.requestContentType(path, method), body)
  const content = media && bodyOf(media, operation, found, ui)
  const spec = {
    openapi: '3.0.3',
    servers: servers ?? found.document.servers,
    security: found.document.security,
    components: { securitySchemes: securitySchemesOf(found) },
    paths: {
      [path]: {
        [method]: {
          ...operation.operation,
          operationId: id,
          servers,
          parameters: parameters.map(parameter => ({
            ...parameter,
            schema: found.resolve(parameter.schema),
          })),
          requestBody: body && { ...body, content: { [media?.type ?? '']: media } },
        },
      },
    },
  }
  const built = fn.buildRequest({
    spec,
    operationId: id,
    pathName: path,
    method,
    parameters: Object.fromEntries(
      values.map(({ parameter: { name, in: place }, value }) => [`${place}.${name}`, value]),
    ),
    securities: {
      authorized,
      specSecurity: found.document.security ?? [],
      definitions: securitySchemesOf(found),
    },
    requestBody: content,
    requestContentType: media?.type,
    server,
    serverVariables: oas3Selectors.serverVariables(server)?.toJS() ?? {},
    contextUrl: location.href,
  })
  const form = built.body instanceof FormData ? [...built.body] : undefined
  const isFile = media && isFileType(media, found)
  return {
    method: method.toUpperCase(),
    url: new URL(built.url, location.href).href,
    headers: Object.entries(built.headers)
      .filter(([name]) => !/^accept$/i.test(name) && !(form && /^content-type$/i.test(name)))
      .map(([name, value]) => pair(name, String(value))),
    text: typeof built.body === 'string' && !isFile ? built.body : undefined,
    /** a body that is a file */
    file: isFile ? { name: content instanceof File ? content.name : placeholder } : undefined,
    form: form?.map(([name, value]) => pair(name, partOf(name, value, media, found))),
    isJson: media ? isJson(media.type) : false,
    // The parts of the URL, for clients with types.
    template: path,
    values: values.map(({ parameter, value }) => ({ parameter, value: typedValue(value, parameter, found) })),
    documentUrl: new URL(docsLinks().yaml, location.href).href,
    hasReply: operation.responses.some(
      ({ status, response }) => /^2/.test(status) && isJson(mediaOf(response.content)?.type ?? ''),
    ),
  }
}

/** @typedef {ReturnType<typeof sampleRequest>} SampleRequest */

/**
 * @template Value
 * @param {string} name
 * @param {Value} value
 * @returns {[name: string, value: Value]}
 */
const pair = (name, value) => [name, value]

/**
 * A part of a form. The document's bytes are files, whatever the example has.
 * @param {string} name
 * @param {FormDataEntryValue} value
 * @param {NamedMediaType | undefined} media
 * @param {Contents} found
 * @returns {FormPart}
 */
function partOf(name, value, media, { resolve }) {
  const schema = wholeOf(wholeOf(media?.schema, resolve).properties?.[name], resolve)
  const isFile = isBytes(schema) || isBytes(wholeOf(schema.items, resolve))
  return typeof value === 'string' && isFile ? { name: placeholder } : value
}

/**
 * Whether a body is a file, and not a text or a form.
 * @param {NamedMediaType} media
 * @param {Contents} found
 */
function isFileType({ type, schema: written }, { resolve }) {
  const schema = wholeOf(written, resolve)
  if (/^multipart\/|[/+]json\b|^text\//i.test(type)) return false
  return isBytes(schema) || (!schema.type && /octet-stream|^(image|audio|video)\//i.test(type))
}

/** The name in the code of a file that the reader has not chosen yet. */
const placeholder = 'FILE'

/**
 * A text, or a file.
 * @typedef {string | { name: string }} FormPart
 */

/**
 * @param {string | null} chosen
 * @param {RequestBody} body
 * @returns {NamedMediaType | undefined}
 */
const mediaFor = (chosen, { content = {} }) =>
  chosen && content[chosen] ? { type: chosen, ...content[chosen] } : mediaOf(content)

/**
 * Returns the value of an unfilled field: the document's example, else one of the right type.
 * @param {Parameter} parameter
 * @param {Contents} found
 */
function exampleValue(parameter, { resolve }) {
  const media = mediaOf(parameter.content)
  const schema = wholeOf(parameter.schema ?? media?.schema ?? {}, resolve)
  const [{ value } = { value: undefined }] = examplesOf(media ?? parameter, resolve)
  const example = value ?? schema.example ?? schema.default ?? schema.enum?.[0] ?? exampleOfType(schema)
  return parameter.content && schema.type === 'string' ? JSON.stringify(example) : example
}

/** @param {Schema} schema */
function exampleOfType({ type, minimum, items, format }) {
  if (type === 'integer' || type === 'number') return minimum ?? 1
  if (type === 'boolean') return true
  if (type === 'array') return [items?.enum?.[0] ?? items?.example ?? 1]
  if (type === 'object') return {}
  if (format === 'date') return '2026-01-31'
  if (format === 'date-time') return '2026-01-31T12:00:00Z'
  return format === 'uuid' ? '8e03978e-40d5-43e8-bc93-6894a57f9324' : 'text'
}

/**
 * The body in the form, else the example: a text for JSON and the like, an object for forms.
 * @param {NamedMediaType} media
 * @param {Operation} operation
 * @param {Contents} found
 * @param {Tools['ui']} ui
 */
function bodyOf(media, { path, method, at, operation }, { resolve }, ui) {
  const { specSelectors, oas3Selectors, fn } = ui()
  const inForm = oas3Selectors.requestBodyValue(path, method)
  // Such a form begins empty, so that nothing is changed by accident. The code shows a typical body instead.
  const isUntouched = inForm === '{}' && changesAccessOrRemoves(method, operation['x-required-scope'])
  if (typeof inForm === 'string' && inForm !== '' && !isUntouched) return inForm
  if (inForm instanceof File) return inForm
  if (typeof inForm === 'object' && inForm && inForm.size > 0)
    return withFiles(inForm, wholeOf(media.schema, resolve), resolve)
  const isForm = /^(multipart\/|application\/x-www-form-urlencoded)/.test(media.type)
  const [{ value } = { value: undefined }] = examplesOf(media, resolve)
  const resolved = specSelectors
    .specResolvedSubtree(at)
    ?.getIn(['requestBody', 'content', media.type, 'schema'])
    ?.toJS()
  const sample = value ?? (resolved && fn.getSampleSchema(resolved, media.type, { includeWriteOnly: true }))
  if (sample === undefined) return undefined
  if (isForm) return typeof sample === 'string' ? parsed(sample) : sample
  return typeof sample === 'string' ? sample : JSON.stringify(sample, null, 2)
}

/**
 * The values in a form, with a placeholder for each file that it needs, or for each that it takes if none is chosen.
 * @param {FormValues} inForm
 * @param {Schema} schema
 * @param {Resolve} resolve
 */
function withFiles(inForm, { properties = {}, required = [] }, resolve) {
  const values = membersOf(
    inForm
      .map(entry => entry?.get?.('value') ?? entry)
      .filter(value => value !== '' && value !== undefined)
      .toJS(),
  )
  const files = Object.keys(properties).filter(name => {
    const property = wholeOf(properties[name], resolve)
    return isBytes(property) || isBytes(wholeOf(property.items, resolve))
  })
  const isEmpty = (/** @type {string} */ name) => [values[name] ?? []].flat().length === 0
  const isChosen = !files.every(isEmpty)
  const missing = files.filter(name => isEmpty(name) && (required.includes(name) || !isChosen))
  return { ...values, ...Object.fromEntries(missing.map(name => [name, placeholder])) }
}

/**
 * Converts a form field's text to the type in the document.
 * @param {unknown} value
 * @param {Parameter} parameter
 * @param {Contents} found
 */
function typedValue(value, parameter, { resolve }) {
  const schema = wholeOf(parameter.schema ?? mediaOf(parameter.content)?.schema ?? {}, resolve)
  return Array.isArray(value)
    ? value.map(one => typedItem(one, wholeOf(schema.items ?? {}, resolve)))
    : typedItem(value, schema)
}

/**
 * @param {unknown} value
 * @param {Schema} schema
 */
function typedItem(value, { type }) {
  if (typeof value !== 'string') return value
  if ((type === 'integer' || type === 'number') && String(Number(value)) === value) return Number(value)
  if (type === 'boolean' && (value === 'true' || value === 'false')) return value === 'true'
  if (type === 'object') return parsed(value) ?? value
  return value
}
