import { isObject } from '../../document/pointer.ts'
import { writePath } from '../../service/validation/writing.ts'
import { usualKeyField } from './conventions.ts'
import type { Endpoint } from './interface.ts'
import { Reference } from './values.ts'

export type Body = Record<string, unknown>

/** The record of a body, or the first of several; without anything where there is none. */
export function recordIn(body: unknown): Body {
  const one: unknown = Array.isArray(body) ? body[0] : body
  return isObject(one) ? one : {}
}

/** A request as it is drawn: references in place of identifiers. */
export interface Draft {
  path: Body
  query: Body
  header: Body
  body?: unknown
}

/** A request ready to be sent. */
export interface WireRequest {
  method: string
  url: string
  /** with `transfer-encoding` the body goes out in pieces, without a length */
  headers: Record<string, string>
  body?: string | undefined
  /** the bytes that are sent in place of the body, if it is no text */
  bytes?: Uint8Array
}

/** Serialises a request as the document says: style and explode of its parameters, the first media type of its body. @throws PathRefused */
export function toWire(
  endpoint: Endpoint,
  { path, query, header, body }: Draft,
  mediaType = endpoint.mediaTypes[0],
): WireRequest {
  const names = [...endpoint.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => [name, String(path[name])])
  const url = writePath(endpoint.path, Object.fromEntries(names))
  const search = Object.entries(query).flatMap(([name, value]) => queryPairs(endpoint, name, value))
  const headers = Object.fromEntries(
    Object.entries(header).map(([name, value]) => [name.toLowerCase(), String(value)]),
  )
  return {
    method: endpoint.method,
    url: search.length > 0 ? `${url}?${search.join('&')}` : url,
    headers: { ...headers, ...(body !== undefined && mediaType && { 'content-type': mediaType }) },
    body: body === undefined ? undefined : JSON.stringify(body),
  }
}

/** OpenAPI 3.0.3, Style Values: `form`, exploded unless told. */
function queryPairs(endpoint: Endpoint, name: string, value: unknown): string[] {
  const pair = (text: unknown) => `${encodeURIComponent(name)}=${encodeURIComponent(String(text))}`
  if (!Array.isArray(value)) return [pair(value)]
  const parameter = endpoint.parameters.find(known => known.in === 'query' && known.name === name)
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

/** A request as a curl command, for people: the origin and the credential are theirs to fill in. */
export function describeRequest({ method, url, headers, body, bytes }: WireRequest): string {
  const fields = Object.entries(headers).map(([name, value]) =>
    name === usualKeyField ? ` -H "${name}: $KEY"` : ` -H ${quoted(`${name}: ${value}`)}`,
  )
  const text = bytes ? Buffer.from(bytes).toString('latin1') : body
  const shown = text !== undefined && text.length > 300 ? `${text.slice(0, 300)}…` : text
  const data = shown === undefined ? '' : ` -d ${quoted(shown)}`
  return `curl -X ${method} "$URL"${quoted(url)}${fields.join('')}${data}`
}
