import { createQuerySerializer, defaultPathSerializer, serializeObjectParam } from 'openapi-fetch'

/** How a value is written, where the document says something else than what is usual in its place. */
export interface Form {
  style?: string
  explode?: boolean
  /** media type of the value, such as JSON in a parameter */
  type?: string
}

/** Forms by the names of parameters, or of a form's fields. */
export type Forms = Readonly<Record<string, Form>>

/** How the requests of an operation are written. */
export interface Writing {
  path?: Forms
  query?: Forms
  header?: Forms
  cookie?: Forms
  /** by media type, of which the first is sent unless told; JSON alone where it is absent */
  body?: Readonly<Record<string, Forms>>
}

export const isJson = (type: string): boolean => /[/+]json *(;|$)/i.test(type)
const isAbsent = (value: unknown) => value === undefined || value === null
const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null
const textAs = (type: string, value: unknown) =>
  isJson(type) || isObject(value) ? JSON.stringify(value) : String(value)

/** A list or an object has room for scalars: what is more is JSON. */
const flat = (value: object): object =>
  Array.isArray(value) ? value.map(flatText) : mapped(value, (name, item) => [name, flatText(item)])
const flatText = (value: unknown) => (isObject(value) ? JSON.stringify(value) : value)

function mapped(value: object, change: (name: string, item: unknown) => readonly [string, unknown]): object {
  return Object.fromEntries(Object.entries(value).map(([name, item]) => change(name, item)))
}

/** A value that would lead a request to another path than its template's. */
export class PathRefused extends Error {
  override name = 'PathRefused'
  /** the name of the parameter */
  readonly parameter: string
  constructor(parameter: string, template: string, value: unknown) {
    const found = isAbsent(value) ? 'missing' : JSON.stringify(value)
    super(
      `${parameter} is ${found}, which leads to another path than ${template}: nothing was sent. Give it a value that is neither empty nor . or ..`,
    )
    this.parameter = parameter
  }
}

/** Segments that a client or a server takes out of a path (RFC 3986, section 5.2.4; URL standard), also escaped twice. */
export const noSegment: RegExp = /^(\.|%(25)*2e){0,2}$/i

/**
 * A path with its values in it: its template gets the signs of RFC 6570, which openapi-fetch goes by.
 * @throws PathRefused for a value that is no segment of a path
 */
export function writePath(template: string, values: object, forms: Forms = {}): string {
  const signs: Readonly<Record<string, string>> = { label: '.', matrix: ';' }
  const valuesByName = new Map(Object.entries(values))
  const texts = mapped(values, (name, value) => {
    const { type } = forms[name] ?? {}
    if (type !== undefined) return [name, textAs(type, value)]
    return [name, isObject(value) ? flat(value) : value]
  })
  const written = (signed: string) => defaultPathSerializer(signed, { ...texts })
  const segments = template.split('/').map(segment => {
    const names: string[] = []
    const signed = segment.replace(/\{([^{}]+)\}/g, (_, parameter: string) => {
      const { style = 'simple', explode = false } = forms[parameter] ?? {}
      names.push(parameter)
      const placeholder = `{${signs[style] ?? ''}${parameter}${explode ? '*' : ''}}`
      if (isAbsent(valuesByName.get(parameter)) || written(placeholder) === '')
        throw new PathRefused(parameter, template, valuesByName.get(parameter))
      return placeholder
    })
    const [name] = names
    const text = name === undefined ? segment : written(signed)
    if (name !== undefined && noSegment.test(text))
      throw new PathRefused(name, template, valuesByName.get(name))
    return text
  })
  return segments.join('/')
}

/** A query, or the body of a form. */
export function writeQuery(values: object, forms: Forms = {}): string {
  const pairs = Object.entries(values).map(([name, value]) => writePairs(name, value, forms[name]))
  return pairs.filter(text => text !== '').join('&')
}

function writePairs(name: string, value: unknown, { style = 'form', explode, type }: Form = {}): string {
  const key = encodeURIComponent(name)
  if (isAbsent(value)) return ''
  if (type !== undefined) return `${key}=${encodeURIComponent(textAs(type, value))}`
  if (style === 'deepObject') return deepPairs(key, value).join('&')
  const way = { style: style as 'form', explode: explode ?? style === 'form' } // lists have other styles too
  const write = createQuerySerializer({ array: way, object: { ...way, style: 'form' } })
  const encoded = (flatValue: object) =>
    Array.isArray(flatValue) ? flatValue : mapped(flatValue, (of, item) => [encodeURIComponent(of), item])
  return write({ [key]: isObject(value) ? encoded(flat(value)) : value }).replaceAll('|', '%7C')
}

function deepPairs(key: string, value: unknown): string[] {
  if (isAbsent(value)) return []
  if (!isObject(value)) return [`${key}=${encodeURIComponent(String(value))}`]
  return Object.entries(value).flatMap(([name, item]) =>
    deepPairs(`${key}[${encodeURIComponent(name)}]`, item),
  )
}

/**
 * A query with all reserved characters of its values encoded, also those that `encodeURIComponent` leaves, as some servers
 * refuse them. Source: OpenAPI 3.0.3, Parameter Object, allowReserved; RFC 3986, section 2.2
 */
export const withoutReserved = (query: string): string =>
  query.replace(/[!'()*]/g, sign => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)

/** The pairs of a Cookie field. */
export const writeCookies = (values: object, forms: Forms = {}): string =>
  writeQuery(values, forms).replaceAll('&', '; ')

/** Header fields, in which nothing is escaped. */
export function writeHeaders(values: object, forms: Forms = {}): Record<string, string> {
  const fields = Object.entries(values).filter(([, value]) => !isAbsent(value))
  return Object.fromEntries(
    fields.map(([name, value]) => {
      const { explode = false, type } = forms[name] ?? {}
      if (type !== undefined) return [name, textAs(type, value)]
      if (!isObject(value) || Array.isArray(value)) return [name, [value].flat().map(flatText).join(',')]
      const way = { style: 'simple', explode, allowReserved: true } as const
      return [name, serializeObjectParam(name, { ...flat(value) }, way)]
    }),
  )
}

/** The media types that hold a text of JSON for each item. */
const sequence = /^application\/(jsonl|(x-)?ndjson|([\w.-]+\+)?json-seq) *(;|$)/i

/** A body as `fetch` takes it. What is bytes already, or a form, is sent as it is. */
export function writeBody(body: unknown, type: string, forms: Forms = {}): unknown {
  const isRaw = [Blob, ArrayBuffer, FormData, URLSearchParams, ReadableStream].some(
    bodyType => body instanceof bodyType,
  )
  if (isRaw || ArrayBuffer.isView(body)) return body
  if (isObject(body) && /^application\/x-www-form-urlencoded\b/i.test(type))
    return writeQuery({ ...body }, forms)
  if (Array.isArray(body) && sequence.test(type)) {
    const start = /json-seq/i.test(type) ? '\x1e' : '' // RFC 7464
    return body.map(item => `${start}${JSON.stringify(item ?? null)}\n`).join('')
  }
  if (isObject(body) && /^multipart\/form-data\b/i.test(type)) return writeParts(body, forms)
  return textAs(type, body)
}

/** Each item of a list is a part of its own, objects are JSON. */
function writeParts(body: object, forms: Forms): FormData {
  const form = new FormData()
  for (const [name, value] of Object.entries(body))
    for (const candidate of [value].flat().filter(item => !isAbsent(item))) {
      const { type } = forms[name] ?? {}
      if (candidate instanceof Blob) {
        const typed =
          candidate.type === '' && type !== undefined ? candidate.slice(0, candidate.size, type) : candidate
        form.append(name, typed, 'name' in candidate ? String(candidate.name) : undefined)
      } else {
        const itemType = type ?? (isObject(candidate) ? 'application/json' : undefined)
        form.append(
          name,
          itemType === undefined
            ? String(candidate)
            : new Blob([textAs(itemType, candidate)], { type: itemType }),
        )
      }
    }
  return form
}

/**
 * The media type of a body; null for a form of parts, as only `fetch` knows its boundary. A range stands for the type of
 * the bytes in it, or for JSON of a value, as far as it may.
 * @param value of which the body was written
 */
export function typeOf(body: unknown, declared: string, value: unknown = body): string | null {
  if (body instanceof FormData) return null
  if (!declared.includes('*')) return declared
  if (body instanceof Blob && body.type) return body.type
  if (declared.includes('*+')) return declared.replace('*', 'vnd.any')
  const isValue = typeof body === 'string' && typeof value !== 'string'
  if (isValue && /^(application|\*)\/\*/.test(declared)) return 'application/json'
  return typeof body === 'string' && /^(text|\*)\/\*/.test(declared)
    ? 'text/plain'
    : 'application/octet-stream'
}

/** Reads a reply: JSON as its value, a text as such, all else as bytes. */
export async function readReply(
  body: unknown,
  type: string | null,
  read: (text: string) => unknown = JSON.parse,
): Promise<unknown> {
  const reply = new Response(body as ReadableStream, { headers: { 'Content-Type': type ?? '' } }) // as it was asked for
  if (type && /^text\//i.test(type)) return reply.text()
  if (type && !isJson(type)) return reply.blob()
  const text = await reply.text()
  return text === '' ? undefined : read(text)
}
