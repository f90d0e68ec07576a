import type { FastifyInstance } from 'fastify'
import { type Model, type OperationModel, responseFor } from 'spec-served-document/model'
import { matchMediaType, parseMediaType } from 'spec-served-document/values/media-types'
import { createSchemas } from 'spec-served-document/values/schemas'
import { parseExactly, stringifyExactly } from 'spec-served-document/values/whole-numbers'
import type { OperationIdOf, Types } from '../handler.ts'
import { createReplyChecker } from '../validation/replies.ts'

/** A request for an operation. Parts that are not given are left out, and none is checked before it is sent. */
export interface TestRequest {
  path?: Readonly<Record<string, string | number | bigint>>
  query?: Readonly<Record<string, string | number | bigint | boolean>>
  headers?: Readonly<Record<string, string>>
  body?: unknown
  /** the body's text, if it is no JSON value */
  rawBody?: string | Buffer
}

/** A reply as it was read from the wire. */
export interface TestReply<T extends Types, Id extends OperationIdOf<T>> {
  status: number
  /** by their names in lower case */
  headers: Record<string, string>
  body: Merged<BodyOf<ResponsesOf<T['operations'][Id]>>>
}

/** Sends a request of an operation. @throws Error if the reply is not what the document declares */
export type Call<T extends Types> = <Id extends OperationIdOf<T>>(
  id: Id,
  request?: TestRequest,
) => Promise<TestReply<T, Id>>

type ResponsesOf<Operation> = Operation extends { responses: infer Responses } ? Responses : never

/** Every body that an operation's replies may have. */
type BodyOf<Responses> = {
  [Status in keyof Responses]: Responses[Status] extends { content: { 'application/json': infer Body } }
    ? Body
    : never
}[keyof Responses]

/** The properties of all bodies together: a test knows by the status which of them it has. */
type Merged<Body> = Objects<Exclude<Body, readonly unknown[]>> & Lists<Extract<Body, readonly unknown[]>>
type Objects<Body> = {
  [Key in Body extends unknown ? keyof Body : never]: Body extends unknown
    ? Key extends keyof Body
      ? Body[Key]
      : never
    : never
}
type Lists<Body> = [Body] extends [never] ? unknown : Body

/** Returns the function that calls operations within this process. @param credential the header fields of each call */
export function createCall<T extends Types>(
  app: FastifyInstance,
  model: Model,
  credential: Readonly<Record<string, string>>,
): Call<T> {
  const check = createReplyChecker(model)
  const schemas = createSchemas(model)
  const parse = model.hasBigints ? parseExactly : JSON.parse
  return async (id, request = {}) => {
    const { headers = {}, body, rawBody } = request
    const operation = model.operation(id)
    if (!operation) throw new Error(`The document has no operation ${id}`)
    const payload = rawBody ?? (body === undefined ? undefined : stringifyExactly(body))
    const response = await app.inject({
      method: operation.method as 'GET', // Fastify's types name the usual methods
      url: urlOf(operation, request),
      headers: { ...credential, ...(payload !== undefined && typeOf(operation)), ...headers },
      ...(payload !== undefined && { payload }),
    })
    const isJson = /^application\/([\w.-]+\+)?json\b/.test(String(response.headers['content-type']))
    const reply = {
      status: response.statusCode,
      headers: response.headers as Record<string, string>, // the service sends each of its own once
      body: response.payload === '' ? undefined : isJson ? parse(response.payload) : response.payload,
    }
    const faults = check(id, reply)
    if (faults.length > 0) throw new Error(`${faults.join('\n')}\nThe body is ${response.payload}`)
    const type = parseMediaType(String(response.headers['content-type']))
    const content = responseFor(operation, reply.status)?.content ?? {}
    const schema = content[(type && matchMediaType(Object.keys(content), type)) ?? '']?.schema
    return schema && isJson ? { ...reply, body: schemas.take(schema, reply.body, 'response').value } : reply
  }
}

function urlOf({ url }: OperationModel, { path = {}, query = {} }: TestRequest): string {
  const place = url.replace(/\{([^{}]+)\}/g, (_, name: string) =>
    encodeURIComponent(String(path[name] ?? `missing-${name}`)),
  )
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) search.set(name, String(value))
  return search.size > 0 ? `${place}?${search}` : place
}

const typeOf = ({ body }: OperationModel) => ({
  'content-type': Object.keys(body?.content ?? {})[0] ?? 'application/json',
})
