import {
  withoutReserved,
  writeCookies,
  writeHeaders,
  writePath,
  writeQuery,
} from 'spec-served-document/formats/writing'
import { isObject } from 'spec-served-document/pointer'
import { isJson, parseMediaType } from 'spec-served-document/values/media-types'
import { usualKeyField } from '../records/conventions.ts'
import type { Endpoint } from '../records/interface.ts'
import type { Draft, WireRequest } from '../records/messages.ts'
import { Reference } from './values.ts'

/**
 * Serialises a request as the document says: style and explode of its parameters, the media type of its body.
 * @throws PathRefused
 */
export function toWire(
  endpoint: Endpoint,
  { path, query, header, cookie = {}, body }: Draft,
  mediaType = endpoint.mediaTypes[0],
): WireRequest {
  const { writing } = endpoint
  const names = [...endpoint.url.matchAll(/\{([^{}]+)\}/g)].map(({ 1: name = '' }) => name)
  const texts = Object.fromEntries(names.map(name => [name, String(path[name])]))
  const url = writing.path ? writePath(endpoint.url, path, writing.path) : writePath(endpoint.url, texts)
  const search = Object.entries(query).flatMap(([name, value]) => queryPairs(endpoint, name, value))
  const headers = Object.fromEntries(
    Object.entries(writeHeaders(header, writing.header)).map(([name, written]) => [
      name.toLowerCase(),
      written,
    ]),
  )
  const cookies = writeCookies(cookie, writing.cookie)
  const { type, text } = writtenBody(endpoint, body, mediaType)
  return {
    method: endpoint.method,
    url: search.length > 0 ? `${url}?${withoutReserved(search.join('&'))}` : url,
    headers: {
      ...headers,
      ...(cookies && { cookie: cookies }),
      ...(body !== undefined && type && { 'content-type': type }),
    },
    body: text,
  }
}

/** Whether a check can write a body of a media type. */
export const isWritable = (type: string) => {
  const media = parseMediaType(type)
  return (
    isJson(media) ||
    /^(application\/x-www-form-urlencoded|multipart\/form-data|text\/plain)$/.test(media?.essence ?? '')
  )
}

const boundary = 'contract-check-boundary'

function writtenBody({ writing }: Endpoint, body: unknown, type = '') {
  if (body === undefined) return { type, text: undefined }
  const { essence = '' } = parseMediaType(type) ?? {}
  if (essence === 'text/plain' && typeof body === 'string') return { type, text: body }
  if (!isObject(body)) return { type, text: JSON.stringify(body) }
  if (essence === 'application/x-www-form-urlencoded')
    return { type, text: writeQuery(body, writing.body?.[type]) }
  if (essence !== 'multipart/form-data') return { type, text: JSON.stringify(body) }
  const parts = Object.entries(body).flatMap(([name, value]) =>
    [value].flat().map(item => {
      const isJsonPart = typeof item === 'object' && item !== null
      const partType = writing.body?.[type]?.[name]?.type ?? (isJsonPart ? 'application/json' : undefined)
      const file = partType !== undefined && !isJsonPart ? '; filename="file"' : ''
      const field = partType === undefined ? '' : `\r\nContent-Type: ${partType}`
      return `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${file}${field}\r\n\r\n${isJsonPart ? JSON.stringify(item) : item}\r\n`
    }),
  )
  return { type: `${essence}; boundary=${boundary}`, text: `${parts.join('')}--${boundary}--\r\n` }
}

/** OpenAPI 3.0.3, Style Values: `form`, exploded unless told. */
function queryPairs(endpoint: Endpoint, name: string, value: unknown): string[] {
  const pair = (text: unknown) => `${encodeURIComponent(name)}=${encodeURIComponent(String(text))}`
  const form = endpoint.writing.query?.[name]
  if (isObject(value) || (form && (form.type !== undefined || form.style !== 'form')))
    return writeQuery({ [name]: value }, form && { [name]: form })
      .split('&')
      .filter(Boolean)
  if (!Array.isArray(value)) return [pair(value)]
  const parameter = endpoint.parameters.find(candidate => candidate.in === 'query' && candidate.name === name)
  return (parameter?.explode ?? true)
    ? value.map(pair)
    : [`${encodeURIComponent(name)}=${value.map(String).map(encodeURIComponent)}`]
}

/** The references in a value, each parameter once. */
export function referencesIn(value: unknown): Set<string> {
  if (value instanceof Reference) return new Set([value.parameter])
  if (typeof value !== 'object' || value === null) return new Set()
  return new Set(Object.values(value).flatMap(child => [...referencesIn(child)]))
}

/** The value with the identifiers given in place of its references, as far as they are given. */
export function withIdentifiers<T>(value: T, identifiers: ReadonlyMap<string, unknown>): T {
  const replace = (node: unknown): unknown => {
    if (node instanceof Reference) return identifiers.get(node.parameter) ?? node
    if (Array.isArray(node)) return node.map(replace)
    if (typeof node !== 'object' || node === null) return node
    return Object.fromEntries(Object.entries(node).map(([name, child]) => [name, replace(child)]))
  }
  return replace(value) as T // only references are exchanged, for what they stand for
}

const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`

/** A request as a curl command, for people: the origin and the credentials are theirs to fill in. */
export function describeRequest({
  method,
  url,
  headers,
  body,
  bytes,
  query = {},
  hidden = [],
}: WireRequest): string {
  const secret = new Set([usualKeyField, 'authorization', ...hidden])
  const fields = Object.entries(headers).map(([name, value]) =>
    secret.has(name) ? ` -H "${name}: $KEY"` : ` -H ${quoted(`${name}: ${value}`)}`,
  )
  const text = bytes ? Buffer.from(bytes).toString('latin1') : body
  const shown = text !== undefined && text.length > 300 ? `${text.slice(0, 300)}…` : text
  const data = shown === undefined ? '' : ` --data-raw ${quoted(shown)}`
  const keys = Object.keys(query).map(name => `"&${name}=$KEY"`)
  const target = keys.length > 0 && !url.includes('?') ? `${url}?` : url
  return `curl -X ${method} "$URL"${quoted(target)}${keys.join('')}${fields.join('')}${data}`
}
