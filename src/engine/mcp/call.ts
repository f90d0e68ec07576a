import { randomUUID } from 'node:crypto'
import type { FastifyInstance, InjectOptions } from 'fastify'
import type { Model } from '../../document/model.ts'
import type { Place } from '../../document/types.ts'
import { fieldOf, schemesOf } from '../access/security.ts'
import { invalidRequest, unknownName } from '../requests/faults.ts'
import { writeUrl, writingOf } from '../requests/forms.ts'
import { queryOf } from '../requests/values.ts'
import { typeOf, writeBody, writeCookies, writeHeaders } from '../requests/writing.ts'
import { sequenceFor } from '../sequences.ts'
import type { Tool } from './tools.ts'

/** A request of a tool. */
export interface Call {
  method: string
  url: string
  headers: Record<string, string>
  body?: Buffer
}

/** Sends a request with the caller's credentials. */
export type Send = (call: Call) => Promise<Response>

type Fields = Readonly<Record<string, string | string[] | undefined>>

/** Returns some header fields of a request. @param names in lower case */
export const fieldsOf = (headers: Fields, names: readonly string[]): Record<string, string> =>
  Object.fromEntries(
    names.flatMap(name => {
      const value = headers[name]
      return typeof value === 'string' ? [[name, value]] : []
    }),
  )

/**
 * Returns the request of a tool's call. The service validates it.
 * @throws ApiError for arguments that the tool does not have, and for missing parts of the path
 */
export async function callOf(model: Model, tool: Tool, given: Record<string, unknown>): Promise<Call> {
  const { operation, parameters, facts } = tool
  const known = [...parameters.keys(), ...(operation.body ? ['body'] : [])]
  const unknown = Object.keys(given).filter(name => !known.includes(name))
  const missing = [...parameters].filter(([name, one]) => one.in === 'path' && (given[name] ?? '') === '')
  const faults = [
    ...unknown.map((name, i) => ({ path: `/${name}`, message: unknownName(name, known, i) })),
    ...missing.map(([name]) => ({ path: `/${name}`, message: 'is missing' })),
  ]
  if (faults.length > 0) throw invalidRequest('The arguments are', faults)
  const values: Record<Place, Record<string, unknown>> = { path: {}, query: {}, header: {}, cookie: {} }
  for (const [argument, one] of parameters) values[one.in][one.name] = given[argument]
  const forms = writingOf(model, operation)
  const cookie = writeCookies(values.cookie, forms.cookie)
  const body = given.body === undefined ? undefined : bodyOf(model, tool, given.body)
  return {
    method: operation.method,
    url: writeUrl(operation, values.path, values.query, forms),
    headers: {
      ...writeHeaders(values.header, forms.header),
      ...(cookie && { cookie }),
      ...(facts.repeatable && { 'idempotency-key': randomUUID() }),
      ...(body && { 'content-type': body.headers.get('content-type') ?? '' }),
    },
    ...(body && { body: Buffer.from(await body.arrayBuffer()) }),
  }
}

/** Returns a body with its media type, which names the boundary of a form. */
function bodyOf(model: Model, { operation, bodyType = '' }: Tool, value: unknown): Response {
  const sequence = sequenceFor(model, bodyType, operation.body?.content[bodyType] ?? {})
  const forms = writingOf(model, operation).body?.[bodyType]
  const isItems = sequence && Array.isArray(value)
  const content = isItems ? value.map(sequence.write).join('') : writeBody(value, bodyType, forms)
  const type = typeOf(content, bodyType)
  return new Response(content as string | FormData, { ...(type && { headers: { 'content-type': type } }) }) // JSON gives one of these
}

/** Returns a function that adds a request's credentials, and nothing else of it, to a call. */
export function credentialsIn(model: Model, { url, headers }: { url: string; headers: Fields }) {
  const schemes = schemesOf(model).map(({ scheme }) => scheme)
  const names = schemes.map(one => (one.in === 'cookie' ? 'cookie' : (fieldOf(one) ?? '').toLowerCase()))
  const keys = schemes.filter(one => one.in === 'query').map(({ name = '' }) => encodeURIComponent(name))
  const pairs = queryOf(url).split('&')
  const query = pairs.filter(pair => keys.includes(pair.split('=', 1)[0] ?? '')).join('&')
  const own = fieldsOf(headers, names)
  return (call: Call): Call => {
    const cookie = [call.headers.cookie, own.cookie].filter(Boolean).join('; ')
    return {
      ...call,
      url: query ? `${call.url}${call.url.includes('?') ? '&' : '?'}${query}` : call.url,
      headers: { ...call.headers, ...own, ...(cookie && { cookie }) },
    }
  }
}

/** Sends requests through all stages of an app, as if they came from an address. */
export const sendWithin =
  (app: FastifyInstance, remoteAddress: string): Send =>
  async ({ body: payload, ...call }) => {
    // Fastify's type lacks the methods that the document adds.
    const options = { ...call, ...(payload && { payload }), remoteAddress } as InjectOptions
    const reply = await app.inject({ ...options, payloadAsStream: true })
    const status = Math.max(200, reply.statusCode) // a Response has no other
    const headers = Object.entries(reply.headers).map(
      ([name, value]) => [name, `${value}`] as [string, string],
    )
    const isEmpty = [204, 205, 304].includes(status) || call.method === 'HEAD'
    return new Response(isEmpty ? null : reply.stream(), { status, headers })
  }
