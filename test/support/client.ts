import type { FastifyInstance } from 'fastify'
import { expect } from 'vitest'
import type { Contract } from '../../src/engine/service/contract/contract.ts'
import { createReplyChecker } from '../../src/engine/tools/check/reply-checker.ts'
import { operations } from '../../src/generated/operations.ts'
import type { operations as Operations } from '../../src/generated/schema.ts'
import type { OperationId } from '../../src/handlers/handler.ts'

/** A reply as read from the wire. */
export interface WireReply<Id extends OperationId = OperationId> {
  status: number
  headers: Record<string, string>
  body: Merged<BodyOf<Operations[Id]['responses']>>
}

/** Every body that an operation's replies may have. */
type BodyOf<Responses> = {
  [Status in keyof Responses]: Responses[Status] extends { content: { 'application/json': infer Body } }
    ? Body
    : never
}[keyof Responses]

/** All that one or another of several bodies holds: a test knows by the status which of them it has. */
type Merged<Body> = Objects<Exclude<Body, readonly unknown[]>> & Lists<Extract<Body, readonly unknown[]>>
type Objects<Body> = {
  [Key in Body extends unknown ? keyof Body : never]: Body extends unknown
    ? Key extends keyof Body
      ? Body[Key]
      : never
    : never
}
type Lists<Body> = [Body] extends [never] ? unknown : Body

/** A request for an operation; what is not given is left out, what is given goes out unchecked. */
export interface Call {
  path?: Record<string, string | number>
  query?: Record<string, string | number | boolean>
  body?: unknown
  /** the body's text where no JSON value has it */
  rawBody?: string | Buffer
  headers?: Record<string, string>
}

export type Client = <Id extends OperationId>(id: Id, call?: Call) => Promise<WireReply<Id>>

/** Calls operations with an API key over the app's own inlet and holds each reply against the document. */
export function createClient(app: FastifyInstance, contract: Contract, key: string): Client {
  const check = createReplyChecker(contract.model)
  const typeOf = (id: OperationId) =>
    Object.keys(contract.model.operation(id)?.body?.content ?? {})[0] ?? 'application/json'
  return async (id, { path = {}, query = {}, body, rawBody, headers = {} } = {}) => {
    const facts = operations[id]
    const url = facts.path.replace(/\{(\w+)\}/g, (_, name: string) =>
      encodeURIComponent(path[name] ?? `missing-${name}`),
    )
    const search = new URLSearchParams()
    for (const [name, value] of Object.entries(query)) search.set(name, String(value))
    const payload = rawBody ?? (body === undefined ? undefined : JSON.stringify(body))
    const type = payload === undefined ? {} : { 'content-type': typeOf(id) }
    const response = await app.inject({
      method: facts.method,
      url: search.size > 0 ? `${url}?${search}` : url,
      headers: { 'x-api-key': key, ...type, ...headers },
      ...(payload !== undefined && { payload }),
    })
    const reply = {
      status: response.statusCode,
      headers: response.headers as Record<string, string>, // each of ours is sent once
      body: response.payload === '' ? undefined : response.json(),
    }
    expect(check(id, reply), `${id} answers ${reply.status} ${response.payload}`).toEqual([])
    return reply
  }
}
