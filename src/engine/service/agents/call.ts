import { randomUUID } from 'node:crypto'
import type { ValidateFunction } from 'ajv'
import type { FastifyInstance, InjectOptions } from 'fastify'
import type { Model } from '../../document/model.ts'
import { isObject } from '../../document/pointer.ts'
import { fieldOf, schemesOf } from '../callers/security.ts'
import type { ApiError, Fault } from '../errors/api-error.ts'
import { describe, invalidRequest, unknownName, within } from '../errors/faults.ts'
import { type Values, writeContent, writeHead } from '../formats/forms.ts'
import { noSegment, PathRefused, typeOf } from '../formats/writing.ts'
import { refusals } from '../validation/validation.ts'
import { createAjv } from '../values/json-schema.ts'
import { isJson, parseMediaType } from '../values/media-types.ts'
import { queryOf } from '../values/values.ts'
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

/** A tool's call as a request. If its arguments are refused, the request has none. */
export interface Call {
  request: Request
  refusal?: ApiError
  /** the Idempotency-Key that the call did not have */
  madeKey?: string
}

/** Sends a call, and returns the reply. A refusal comes after those of the caller: without a key it is 401. */
export type Send = (call: Call) => Promise<Response>

/** Returns the call of a tool. The service validates it. Arguments that do not fit the tool, or no request, are refused. */
export function callOf(
  model: Model,
  tool: Tool,
  given: Readonly<Record<string, unknown>>,
  origin: string,
  own: Own,
): Call {
  const faults = faultsOf(tool, given)
  try {
    if (faults.length === 0) {
      const key = [...tool.parameters.keys()].find(name => /^idempotency-key$/i.test(name)) ?? ''
      const madeKey = tool.facts.repeatable && given[key] === undefined ? randomUUID() : undefined
      const request = requestOf(model, tool, given, origin, own, madeKey)
      return { request, ...(madeKey && { madeKey }) }
    }
  } catch (error) {
    faults.push(faultOf(tool, error))
  }
  const { method, url } = tool.operation
  const request = withOwn(url.replace(/\{[^{}]*\}/g, '0'), { method }, origin, own)
  return { request, refusal: invalidRequest('The arguments are', faults) }
}

/** Returns the fault of arguments that can’t be written, such as an object in the place of a text. */
function faultOf({ parameters }: Tool, error: unknown): Fault {
  if (!(error instanceof PathRefused)) return { path: '', message: 'can’t be written into a request' }
  const [argument = ''] =
    [...parameters].find(([, one]) => one.in === 'path' && one.name === error.parameter) ?? []
  return { path: within('', argument), message: 'is no segment of a path' }
}

/** Returns the request of arguments. @throws Error for a value that can't be written */
function requestOf(
  model: Model,
  { operation, parameters, bodyType = '', files }: Tool,
  given: Readonly<Record<string, unknown>>,
  origin: string,
  own: Own,
  madeKey: string | undefined,
): Request {
  const values: Values = { path: {}, query: {}, header: {}, cookie: {} }
  for (const [argument, one] of parameters) values[one.in][one.name] = given[argument]
  const { method, body: { content = {} } = {} } = operation
  const written = writeHead(model, operation, values)
  const headers = new Headers(written.headers)
  if (madeKey) headers.set('idempotency-key', madeKey)
  if (given.body === undefined) return withOwn(written.url, { method, headers }, origin, own)
  const body = writeContent(model, bodyType, content[bodyType] ?? {}, decoded(given.body, files))
  const type = typeOf(body, bodyType, given.body) // null for a form: Request chooses its boundary
  if (type) headers.set('content-type', type)
  return withOwn(written.url, { method, headers, body }, origin, own)
}

/** Returns a body with its files as bytes. A whole body keeps its type. */
function decoded(body: unknown, files: Tool['files'], name = ''): unknown {
  if (files.has(name)) {
    if (Array.isArray(body)) return body.map(one => decoded(one, files, name))
    return typeof body === 'string' ? new File([Buffer.from(body, 'base64')], name || 'body') : body
  }
  if (name !== '' || files.size === 0 || !isObject(body)) return body
  return Object.fromEntries(Object.entries(body).map(([part, value]) => [part, decoded(value, files, part)]))
}

/** Returns the faults of files that are no base64. */
function fileFaults(body: unknown, files: Tool['files'], path: string, name = ''): Fault[] {
  if (typeof body === 'string' && files.has(name)) {
    const isBase64 = body.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(body)
    return isBase64 ? [] : [{ path, message: 'must be the bytes of a file as base64' }]
  }
  if (!isObject(body) && !Array.isArray(body)) return []
  if (files.size === 0 || (name !== '' && !files.has(name))) return []
  return Object.entries(body).flatMap(([part, value]) =>
    fileFaults(value, files, within(path, part), Array.isArray(body) ? name : part),
  )
}

/** Returns a request with what is the caller's own. */
function withOwn(path: string, init: RequestInit, origin: string, own: Own): Request {
  const url = new URL(path, origin)
  if (own.query) url.search += `${url.search && '&'}${own.query}`
  const headers = new Headers(init.headers)
  const cookies = [headers.get('cookie'), own.headers.cookie].filter(Boolean)
  for (const [name, value] of Object.entries(own.headers)) headers.set(name, value)
  if (cookies.length > 0) headers.set('cookie', cookies.join('; '))
  return new Request(url, { ...init, headers })
}

/** The most unknown arguments that are looked at. A refusal lists no more. */
const mostUnknown = 100

/** Returns the faults of arguments. Written into a URL, `[55]` would pass for 55, so they are checked before. */
function faultsOf(tool: Tool, given: Readonly<Record<string, unknown>>): Fault[] {
  const known = [...tool.parameters.keys(), ...(tool.bodyType ? ['body'] : [])]
  const unknown = Object.keys(given).filter(name => !known.includes(name))
  const faults = unknown
    .slice(0, mostUnknown)
    .map((name, i) => ({ path: within('', name), message: unknownName(name, known, i) }))
  const checks = checksOf(tool)
  for (const argument of known)
    faults.push(...faultsOfOne(tool, argument, given[argument], checks.get(argument)))
  return faults
}

function faultsOfOne(tool: Tool, argument: string, value: unknown, fits: ValidateFunction | undefined) {
  const place = tool.parameters.get(argument)?.in
  const path = within('', argument)
  const isRequired = tool.definition.inputSchema.required?.includes(argument)
  if (value === undefined && place === 'path') return [{ path, message: 'is missing' }]
  if (value === undefined) return isRequired ? [{ path, message: 'is required' }] : []
  const [only = '', ...more] = [value].flat()
  if (place === 'path' && more.length === 0 && typeof only === 'string' && noSegment.test(only))
    return [{ path, message: 'is no segment of a path' }]
  const isMisfit = fits?.(value) === false
  const unread = argument === 'body' ? fileFaults(value, tool.files, path) : []
  if (unread.length > 0) return unread
  if (isMisfit) return describe(fits.errors ?? []).map(one => ({ ...one, path: path + one.path }))
  if (
    place === 'header' &&
    /[^\t -~\x80-\xff]/.test(typeof value === 'string' ? value : JSON.stringify(value))
  )
    return [{ path, message: 'has characters that a header field does not carry' }]
  return []
}

const checksByTool = new WeakMap<Tool, ReadonlyMap<string, ValidateFunction>>()

/** Returns the checks of a tool's arguments. JSON has none: it is sent as it is, and the service checks it. */
function checksOf(tool: Tool): ReadonlyMap<string, ValidateFunction> {
  const made = checksByTool.get(tool)
  if (made) return made
  const { $defs, properties = {} } = tool.definition.inputSchema
  // A tool's schema is a current JSON Schema. Each argument has one fault at most, so a long list costs little.
  const ajv = createAjv({ openapi: '3.1', verbose: true, allErrors: false })
  const isJsonBody = isJson(parseMediaType(tool.bodyType ?? ''))
  const checks = new Map(
    Object.entries(properties).flatMap(([name, schema]) =>
      name === 'body' && isJsonBody ? [] : [[name, ajv.compile({ ...(schema as object), $defs })] as const],
    ),
  )
  checksByTool.set(tool, checks)
  return checks
}

/** Returns a function that sends calls through all stages of an app, as if they came from an address. */
export const sendWithin =
  (app: FastifyInstance, remoteAddress: string): Send =>
  async ({ request, refusal }) => {
    const payload = Buffer.from(await request.arrayBuffer())
    const { method, url, headers } = request
    // Fastify's type lacks the methods that the document adds.
    const call = { method, url, headers: Object.fromEntries(headers), remoteAddress } as InjectOptions
    const send = async () =>
      app.inject({ ...call, payloadAsStream: true, ...(payload.length > 0 && { payload }) })
    const reply = await (refusal ? refusals.run(refusal, send) : send())
    const status = Math.max(200, reply.statusCode) // a Response has no other
    const fields = Object.entries(reply.headers).map(([name, value]): [string, string] => [name, `${value}`])
    const isEmpty = [204, 205, 304].includes(status) || method === 'HEAD'
    const stream = reply.stream()
    stream.once('close', () => reply.raw.res.destroy()) // a reply that is read no further ends
    return new Response(isEmpty ? null : stream, { status, headers: fields })
  }
