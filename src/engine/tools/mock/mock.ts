import type { FreeTools } from 'spec-served/internal/context'
import type { AnyReply } from 'spec-served/internal/errors/api-error'
import { refusalError } from 'spec-served/internal/errors/api-error'
import type { AnyHandler, AnyInput } from 'spec-served/internal/routes/binding'
import { sequenceOf } from 'spec-served-document/formats/sequences'
import { type Form, writeHeaders } from 'spec-served-document/formats/writing'
import { exampleIn, type Model, type OperationModel } from 'spec-served-document/model'
import { likest } from 'spec-served-document/spelling'
import type { MediaType, Response } from 'spec-served-document/types'
import { isJson, matchMediaType, parseMediaType, typeWithin } from 'spec-served-document/values/media-types'
import { createSchemas } from 'spec-served-document/values/schemas'
import { pageNames } from './collections.ts'
import { createDisturbance, type Disturbance } from './disturbance.ts'
import type { Keeper } from './keeper.ts'
import { applied, type Preferences, preferencesIn } from './prefer.ts'
import { mockValues } from './values.ts'

/** The header field of every mock reply, so that nobody takes it for the real one. */
const mark = { 'X-Mock': 'true' }

/** The items of a stream of which the document shows no example. */
const itemsOfStream = 3

/** Header fields that the engine fills in itself, in lower case. */
const engines =
  /^(x-ratelimit-.*|ratelimit(-policy)?|x-request-id|cache-control|x-content-type-options|deprecation|sunset|x-stability|etag|www-authenticate|idempotent-replayed|content-(type|length|encoding))$/

/** Says why there is no such reply, in the form of the engine's errors. */
const refusal = (status: number, code: string, message: string): AnyReply => ({
  status,
  headers: mark,
  body: { code, message, status },
})

/** Makes the bodies and the header fields of replies, from the examples and schemas of a document. */
export function createContents(model: Model) {
  const schemas = createSchemas(model)
  const chosen = new WeakMap<MediaType, { value: unknown }>()
  const values = mockValues(schemas)

  /** The value of a media type; undefined where it has no such example. */
  function contentOf(name: string, media: MediaType, wanted: Preferences): unknown {
    const { schema, example, examples = {} } = media
    const named = (exampleName: string) => {
      const namedExample = Object.hasOwn(examples, exampleName)
        ? model.resolve<object>(examples[exampleName] ?? {})
        : {}
      return 'value' in namedExample ? namedExample.value : undefined
    }
    if (wanted.example !== undefined) return named(wanted.example)
    if (wanted.dynamic) return schema ? values.drawn(schema) : null
    const cached = chosen.get(media)
    if (cached) return cached.value
    const exampleValues = [example, ...Object.keys(examples).map(named)].filter(
      candidate => candidate !== undefined,
    )
    const written = isJsonType(name)
      ? undefined
      : exampleValues.find(candidate => typeof candidate === 'string')
    const value =
      schema && (isJsonType(name) || exampleValues.length === 0)
        ? values.fitting(schema, exampleValues).value
        : (written ?? exampleValues[0])
    chosen.set(media, { value: value ?? null })
    return value ?? null
  }

  /** @param isKept whether the reply is about a record that is kept, of which examples say nothing */
  function headersOf(
    { headers = {} }: Response,
    isDeprecated: boolean,
    isKept: boolean,
  ): Record<string, string> {
    const fields: Record<string, unknown> = {}
    const forms: Record<string, Form> = {}
    for (const [name, reference] of Object.entries(headers)) {
      if (engines.test(name.toLowerCase())) continue
      if (isDeprecated && name.toLowerCase() === 'link') continue // says what replaces it
      const { required, example, explode = false, content = {}, ...header } = model.resolve(reference)
      const [[type, media] = []] = Object.entries(content)
      const schema = header.schema ?? media?.schema ?? {}
      const exampleValues = [example, media?.example, exampleIn(model.resolve(schema))]
      if (required || (!isKept && exampleValues.some(candidate => candidate !== undefined)))
        fields[name] = values.fitting(schema, exampleValues).value
      forms[name] = { explode, ...(type && { type }) }
    }
    return writeHeaders(fields, forms)
  }

  return { schemas, contentOf, headersOf }
}

export type Contents = ReturnType<typeof createContents>

/**
 * Makes the handlers of mocks. Each answers with the document's example, or with a value drawn from the schema, the
 * same each time. `Prefer: code=404, example=NAME, dynamic=true` chooses among replies, examples and values.
 * @param keeper answers with the records that it keeps, unless a client prefers another reply
 */
export function mocksOf(
  model: Model,
  keeper?: Keeper,
  { schemas, contentOf, headersOf }: Contents = createContents(model),
  disturbance: Disturbance = {},
): (operation: OperationModel) => AnyHandler<object> {
  const disturbing = createDisturbance(disturbance)
  const fits = ({ schema }: MediaType, value: unknown) =>
    !schema || schemas.check(schema, structuredClone(value), 'response').length === 0 // which fills in defaults

  /** A list with as many items at most as a request asks for. */
  function asAsked({ parameters }: OperationModel, { query }: AnyInput, media: MediaType, content: unknown) {
    const { name = '' } =
      parameters.find(parameter => parameter.in === 'query' && pageNames.size.test(parameter.name)) ?? {}
    const size = Object(query)[name]
    const cut = Array.isArray(content) && typeof size === 'number' ? content.slice(0, size) : content
    return cut !== content && fits(media, cut) ? cut : content
  }

  /** Several items of a stream, where the document shows none. */
  function several(type: string, media: MediaType, content: unknown): unknown {
    const isShown = media.example !== undefined || media.examples !== undefined
    const [item, ...others] = [content].flat()
    if (!sequenceOf(type) || isShown || others.length > 0 || item === undefined) return content
    const items = Array.from({ length: itemsOfStream }, () => item)
    return !Array.isArray(content) || fits(media, items) ? items : content
  }

  return operation => async (input: AnyInput, tools: object) => {
    const { headers } = input
    const preferred = preferencesIn([headers.prefer].flat().join(','))
    const isFailing = disturbing.isFailing()
    await disturbing.wait(preferred.delay)
    const failure = isFailing ? failureOf(operation) : undefined
    if (isFailing && !failure)
      throw refusalError(503, 'This mock fails a share of the requests, as --errors says.')
    const wanted = failure ? { ...preferred, code: failure, example: undefined } : preferred
    const isUsual = wanted.code === undefined && wanted.example === undefined && !wanted.dynamic
    const handlerTools = tools as FreeTools // the engine hands over all
    const kept = isUsual ? await keeper?.answer(operation.id, input, handlerTools) : undefined
    if (kept && 'code' in kept) return kept
    const chosen = responseOf(operation, kept && kept.status > 0 ? String(kept.status) : wanted.code)
    if (!chosen) {
      const statuses = [...operation.responses.keys()].join(', ')
      return refusal(
        404,
        'not_found',
        `The document has no response ${wanted.code} here; it has ${statuses}.`,
      )
    }
    const [status, response] = chosen
    const appliedFields = applied(preferred)
    const fields = {
      ...headersOf(response, operation.operation.deprecated === true, kept !== undefined),
      ...kept?.headers,
      ...mark,
      ...(appliedFields && { 'Preference-Applied': appliedFields }),
    }
    const types = Object.entries(response.content ?? {})
    if (types.length === 0) return { status, headers: fields }
    const accepted = negotiate(
      types.filter(candidate => isWritten(model, candidate)),
      headers.accept,
    )
    if (!accepted) {
      const typeNames = types.map(
        candidate => `${candidate[0]}${isWritten(model, candidate) ? '' : ' (without a text as an example)'}`,
      )
      return refusal(406, 'not_acceptable', `The document has ${typeNames.join(', ')} here.`)
    }
    const [name, media] = accepted
    const isKept = kept && 'value' in kept && isJsonType(name)
    const content = isKept ? kept.value : contentOf(name, media, wanted)
    if (content === undefined && wanted.example !== undefined) {
      const names = Object.keys(media.examples ?? {})
      const meant = likest(wanted.example, names)
      return refusal(
        404,
        'not_found',
        `There is no example ${wanted.example} here; there are: ${names.join(', ') || 'none'}.${meant === undefined ? '' : ` Did you mean ${meant}?`}`,
      )
    }
    const type = typeWithin(name)
    const shown = isKept ? content : asAsked(operation, input, media, content)
    return {
      status,
      headers: { ...fields, 'Content-Type': type },
      body: bodyOf(type, several(type, media, shown)),
    }
  }
}

/** The body that shows a value: a list of items for a sequence of them, else a text. An example may be a whole text. */
export function bodyOf(type: string, content: unknown): unknown {
  if (typeof content === 'string' && !isJsonType(type))
    return type.startsWith('text/event-stream') && !/^(data|event|id|retry)?:/m.test(content)
      ? [content]
      : content
  if (sequenceOf(type)) return Array.isArray(content) ? content : [content]
  return JSON.stringify(content ?? null)
}

/** Whether there is something to send: XML and CSV are not written by their schemas. */
function isWritten(model: Model, [name, { example, examples = {} }]: readonly [string, MediaType]): boolean {
  const { essence = '' } = parseMediaType(name) ?? {}
  const isXml = /[/+]xml$/.test(essence)
  if (!isXml && essence !== 'text/csv') return true
  const named = Object.values(examples).map(item => model.resolve<{ value?: unknown }>(item).value)
  const exampleValues = [example, ...named].filter(candidate => candidate !== undefined)
  return (
    exampleValues.some(candidate => typeof candidate === 'string') || (!isXml && exampleValues.length === 0)
  )
}

const isJsonType = (name: string) => isJson(parseMediaType(name))

/** The status of a failure of the service that an operation declares. */
function failureOf({ responses }: OperationModel): string | undefined {
  const names = [...responses.keys()]
  const isRange = names.includes('5XX') || names.includes('default')
  return names.filter(name => /^5\d\d$/.test(name)).sort()[0] ?? (isRange ? '503' : undefined)
}

/** The response of a status, or the first success. A range or `default` stands for what was asked for, or 200. */
function responseOf({ responses }: OperationModel, code: string | undefined): [number, Response] | undefined {
  if (code !== undefined && !/^[2-5]\d\d$/.test(code)) return undefined
  const names = [...responses.keys()]
  const name =
    code === undefined
      ? (names.filter(candidate => /^2\d\d$/.test(candidate)).sort()[0] ??
        names.find(candidate => candidate === '2XX') ??
        (responses.has('default') ? 'default' : names[0]))
      : [code, `${code[0]}XX`, 'default'].find(candidate => responses.has(candidate))
  const response = name === undefined ? undefined : responses.get(name)
  if (name === undefined || !response) return undefined
  return [Number(code ?? (/^\d{3}$/.test(name) ? name : 200)), response]
}

/**
 * Returns the declared media type that a client likes best (RFC 9110, section 12.5.1); undefined where it takes none.
 * The first of equals counts, JSON before others.
 */
function negotiate(types: readonly [string, MediaType][], accept = '*/*'): [string, MediaType] | undefined {
  const ranges = accept.split(',').map(text => text.trim())
  const weightOf = (name: string) => {
    const mediaType = parseMediaType(typeWithin(name))
    const range = mediaType && matchMediaType(ranges, mediaType)
    return range === undefined ? 0 : Number(parseMediaType(range)?.params.get('q') ?? 1)
  }
  const [best] = types
    .map(type => ({ type, weight: weightOf(type[0]), isJson: isJsonType(type[0]) }))
    .filter(({ weight }) => weight > 0)
    .sort((a, b) => b.weight - a.weight || Number(b.isJson) - Number(a.isJson))
  return best?.type
}
