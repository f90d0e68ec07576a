import type { Model } from 'spec-served-document/model'
import { authorizationOf } from 'spec-served-document/model'
import type { Parameter } from 'spec-served-document/types'
import { queryOf } from 'spec-served-document/values/values'
import { fieldOf, schemesOf, wordsFor } from './security.ts'

/** The parts of a caller's request that another one has, which is sent in its name. */
export interface Forwarded {
  /** the origin by which the caller reaches the operations */
  origin: string
  query: string
  /** by lower-case name */
  headers: Record<string, string>
}

/** Returns a request's credentials, and the fields that limits and logs go by. */
export function forwardedOf(
  model: Model,
  { url, headers }: { url: string; headers: object },
  origin: string,
): Forwarded {
  const schemes = schemesOf(model).map(({ scheme }) => scheme)
  const fields = schemes.map(scheme =>
    scheme.in === 'cookie' ? 'cookie' : (fieldOf(scheme) ?? '').toLowerCase(),
  )
  const taken = new Set(['host', 'user-agent', 'traceparent', ...fields])
  const keys = schemes
    .filter(scheme => scheme.in === 'query')
    .map(({ name = '' }) => encodeURIComponent(name))
  const pairs = queryOf(url).split('&')
  return {
    origin,
    query: pairs.filter(pair => keys.includes(pair.split('=', 1)[0] ?? '')).join('&'),
    headers: Object.fromEntries(Object.entries(headers).filter(([name]) => taken.has(name))),
  }
}

/** Whether a parameter is a credential, which each request in the caller's name has already. */
export const isCredential = (model: Model, parameter: Parameter): boolean =>
  schemesOf(model).some(
    ({ scheme: { in: place, name } }) =>
      place === parameter.in && name?.toLowerCase() === parameter.name.toLowerCase(),
  )

/** Returns a key in each place where the document's security schemes look for one. */
export function forwardedWith(model: Model, key: string | undefined, origin: string): Forwarded {
  const query = new URLSearchParams()
  const headers: Record<string, string> = {}
  for (const { scheme } of key === undefined ? [] : schemesOf(model)) {
    const { in: place, name = '' } = scheme
    const [word] = wordsFor(scheme).challenge.split(' ')
    if (place === 'query') query.set(name, `${key}`)
    else if (place === 'cookie') headers.cookie = `${name}=${key}`
    else if (authorizationOf(scheme) === undefined) headers[name.toLowerCase()] = `${key}`
    else headers.authorization = `${word} ${word === 'Basic' ? btoa(`${key}`) : key}`
  }
  return { origin, query: `${query}`, headers }
}

/** The parts of a request besides its URL. */
interface Parts {
  method: string
  headers?: Headers
  body?: string | FormData | Blob
}

/**
 * Returns a request with what is the caller's own. Only the caller's origin gets it: origin and path are joined as texts, as
 * `//a` for a path would be another host for a URL with a base (RFC 3986, section 4.2).
 * @param path begins with a slash
 */
export function withForwarded(
  path: string,
  { method, headers: fields, body }: Parts,
  forwarded: Forwarded,
): Request {
  if (!path.startsWith('/')) throw new Error(`A path begins with a slash, and ${path} does not`)
  const url = new URL(`${new URL(forwarded.origin).origin}${path}`)
  if (forwarded.query) url.search += `${url.search && '&'}${forwarded.query}`
  const headers = new Headers(fields)
  const cookies = [headers.get('cookie'), forwarded.headers.cookie].filter(Boolean)
  for (const [name, value] of Object.entries(forwarded.headers)) headers.set(name, value)
  if (cookies.length > 0) headers.set('cookie', cookies.join('; '))
  return new Request(url, { method, headers, ...(body !== undefined && { body }) })
}
