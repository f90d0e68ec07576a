import { randomUUID } from 'node:crypto'
import type { FastifyInstance, InjectOptions } from 'fastify'
import type { Model } from '../../document/model.ts'
import { fieldOf, schemesOf } from '../access/security.ts'
import { invalidRequest, unknownName } from '../requests/faults.ts'
import { type Values, writeContent, writeHead } from '../requests/forms.ts'
import { queryOf } from '../requests/values.ts'
import { typeOf } from '../requests/writing.ts'
import type { Tool } from './tools.ts'

/** The parts of each request that are the caller's own. */
export interface Own {
  query: string
  /** by lower-case name */
  headers: Record<string, string>
}

/** Returns a request's credentials, and the fields that limits and logs go by. */
export function ownOf(model: Model, { url, headers }: { url: string; headers: object }): Own {
  const schemes = schemesOf(model).map(({ scheme }) => scheme)
  const fields = schemes.map(one => (one.in === 'cookie' ? 'cookie' : (fieldOf(one) ?? '').toLowerCase()))
  const taken = new Set(['host', 'user-agent', 'traceparent', ...fields])
  const keys = schemes.filter(one => one.in === 'query').map(({ name = '' }) => encodeURIComponent(name))
  const pairs = queryOf(url).split('&')
  return {
    query: pairs.filter(pair => keys.includes(pair.split('=', 1)[0] ?? '')).join('&'),
    headers: Object.fromEntries(Object.entries(headers).filter(([name]) => taken.has(name))),
  }
}

/**
 * Returns the request of a tool's call. The service validates it.
 * @throws ApiError for arguments that the tool does not have, and for those that HTTP can't carry
 */
export function requestOf(
  model: Model,
  { operation, parameters, bodyType = '', facts }: Tool,
  given: Readonly<Record<string, unknown>>,
  origin: string,
  own: Own,
): Request {
  const known = [...parameters.keys(), ...(bodyType ? ['body'] : [])]
  const unknown = Object.keys(given).filter(name => !known.includes(name))
  const faults = unknown.map((name, i) => ({ path: `/${name}`, message: unknownName(name, known, i) }))
  const values: Values = { path: {}, query: {}, header: {}, cookie: {} }
  for (const [argument, one] of parameters) {
    const value = given[argument] ?? undefined
    values[one.in][one.name] = value
    const path = `/${argument}`
    if (one.in === 'path' && value === undefined) faults.push({ path, message: 'is missing' })
    else if (one.in === 'path' && /^\.{0,2}$/.test(`${value}`))
      faults.push({ path, message: 'is no segment of a path' })
    if (one.in === 'header' && /[^\t -~\x80-\xff]/.test(`${value}`))
      faults.push({ path, message: 'has characters that a header field does not carry' })
  }
  if (faults.length > 0) throw invalidRequest('The arguments are', faults)
  const { method, body: { content = {} } = {} } = operation
  const written = writeHead(model, operation, values)
  const url = new URL(written.url, origin)
  if (own.query) url.search += `${url.search && '&'}${own.query}`
  const headers = new Headers({ ...written.headers, ...own.headers })
  const cookies = [written.headers.cookie, own.headers.cookie].filter(Boolean)
  if (cookies.length > 0) headers.set('cookie', cookies.join('; '))
  if (facts.repeatable) headers.set('idempotency-key', randomUUID())
  if (given.body === undefined) return new Request(url, { method, headers })
  const body = writeContent(model, bodyType, content[bodyType] ?? {}, given.body)
  const type = typeOf(body, bodyType) // null for a form: Request chooses its boundary
  if (type) headers.set('content-type', type)
  return new Request(url, { method, headers, body })
}

/** Returns a function that sends requests through all stages of an app, as if they came from an address. */
export const sendWithin =
  (app: FastifyInstance, remoteAddress: string) =>
  async (request: Request): Promise<Response> => {
    const payload = Buffer.from(await request.arrayBuffer())
    const { method, url, headers } = request
    // Fastify's type lacks the methods that the document adds.
    const call = { method, url, headers: Object.fromEntries(headers), remoteAddress } as InjectOptions
    const reply = await app.inject({ ...call, payloadAsStream: true, ...(payload.length > 0 && { payload }) })
    const status = Math.max(200, reply.statusCode) // a Response has no other
    const fields = Object.entries(reply.headers).map(([name, value]): [string, string] => [name, `${value}`])
    const isEmpty = [204, 205, 304].includes(status) || method === 'HEAD'
    return new Response(isEmpty ? null : reply.stream(), { status, headers: fields })
  }
