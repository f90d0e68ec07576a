/**
 * The request in an operation's sample code: from the values in the form, else from the document's examples. Swagger UI
 * itself writes it, so that code and form send the same.
 * @param {any} operation an operation of the document
 * @param {object} authorized credentials by scheme, in Swagger UI's form
 */
function sampleRequest(operation, found, ui, authorized) {
  const { path, method, id, parameters, body } = operation
  const { specSelectors, oas3Selectors, fn } = ui()
  const written = specSelectors.parameterValues([path, method])
  const values = parameters.flatMap(parameter => {
    const { name, in: place, required } = parameter
    const inForm = written.get(`${place}.${name}`)
    const filled = inForm?.toJS?.() ?? inForm
    if (filled !== undefined && filled !== null && filled !== '') return [{ parameter, value: filled }]
    return required ? [{ parameter, value: exampleValue(parameter, found) }] : []
  })
  const servers = operation.operation.servers ?? found.resolve(found.document.paths[path]).servers
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
    serverVariables: oas3Selectors.serverVariables(server)?.toJS?.() ?? {},
    contextUrl: location.href,
  })
  const isMultipart = built.body instanceof FormData
  return {
    method: method.toUpperCase(),
    url: new URL(built.url, location.href).href,
    headers: Object.entries(built.headers)
      .filter(([name]) => !/^accept$/i.test(name) && !(isMultipart && /^content-type$/i.test(name)))
      .map(([name, value]) => [name, String(value)]),
    text: typeof built.body === 'string' ? built.body : undefined,
    form: isMultipart
      ? [...built.body].map(([name, value]) => [name, partOf(name, value, media, found)])
      : undefined,
    isJson: media ? isJson(media.type) : false,
    // The parts of the URL, for clients with types.
    template: path,
    values: values.map(({ parameter, value }) => ({ parameter, value: typedValue(value, parameter, found) })),
    documentUrl: new URL(documentAt('yaml'), location.href).href,
    hasReply: operation.responses.some(
      ({ status, response }) => /^2/.test(status) && isJson(mediaOf(response.content)?.type ?? ''),
    ),
  }
}

/** A part of a form. The document's bytes are files, whatever the example has. */
function partOf(name, value, media, { resolve }) {
  const schema = wholeOf(wholeOf(media.schema, resolve).properties?.[name], resolve)
  const isFile = isBytes(schema) || isBytes(wholeOf(schema.items, resolve))
  return typeof value === 'string' && isFile ? { name: value.replace(/^@/, '') } : value
}

const securitySchemesOf = ({ document, resolve }) =>
  Object.fromEntries(
    Object.entries(document.components?.securitySchemes ?? {}).map(([name, scheme]) => [
      name,
      resolve(scheme),
    ]),
  )

const mediaFor = (chosen, { content = {} }) =>
  chosen && content[chosen] ? { type: chosen, ...content[chosen] } : mediaOf(content)

/** Returns the value of an unfilled field: the document's example, else one of the right type. */
function exampleValue(parameter, { resolve }) {
  const media = mediaOf(parameter.content)
  const schema = wholeOf(parameter.schema ?? media?.schema ?? {}, resolve)
  const [{ value } = { value: undefined }] = examplesOf(media ?? parameter, resolve)
  const example = value ?? schema.example ?? schema.default ?? schema.enum?.[0] ?? exampleOfType(schema)
  return parameter.content && schema.type === 'string' ? JSON.stringify(example) : example
}

const exampleOfType = ({ type, minimum, items, format }) =>
  ({
    integer: minimum ?? 1,
    number: minimum ?? 1,
    boolean: true,
    array: [items?.enum?.[0] ?? items?.example ?? 1],
    object: {},
  })[type] ??
  { date: '2026-01-31', 'date-time': '2026-01-31T12:00:00Z', uuid: '8e03978e-40d5-43e8-bc93-6894a57f9324' }[
    format
  ] ??
  'text'

/** The body in the form, else the example: a text for JSON and the like, an object for forms. */
function bodyOf(media, { path, method, at, operation }, { resolve }, ui) {
  const { specSelectors, oas3Selectors, fn } = ui()
  const inForm = oas3Selectors.requestBodyValue(path, method)
  // Such a form begins empty, so that nothing is changed by accident. The code shows a typical body instead.
  const isUntouched = inForm === '{}' && changesAccessOrRemoves(method, operation['x-required-scope'])
  if (typeof inForm === 'string' && inForm !== '' && !isUntouched) return inForm
  if (inForm?.size)
    return inForm
      .map(entry => entry?.get?.('value') ?? entry)
      .filter(value => value !== '' && value !== undefined)
      .toJS()
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

/** Parses JSON. Returns undefined for any other text. */
function parsed(text) {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Converts a form field's text to the type in the document. */
function typedValue(value, parameter, { resolve }) {
  const schema = wholeOf(parameter.schema ?? mediaOf(parameter.content)?.schema ?? {}, resolve)
  const typed = (one, { type }) => {
    if (typeof one !== 'string') return one
    if ((type === 'integer' || type === 'number') && String(Number(one)) === one) return Number(one)
    if (type === 'boolean' && (one === 'true' || one === 'false')) return one === 'true'
    if (type === 'object') return parsed(one) ?? one
    return one
  }
  return Array.isArray(value)
    ? value.map(one => typed(one, wholeOf(schema.items ?? {}, resolve)))
    : typed(value, schema)
}
