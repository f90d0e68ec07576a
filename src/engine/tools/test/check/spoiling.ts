import { operationsIn } from 'spec-served-document/model'
import { isObject } from 'spec-served-document/pointer'
import type { OpenApi } from 'spec-served-document/types'
import { given, type Spoil, type Spoiler } from 'spec-served-lab/support/mock-world'
import type { WireReply, WireRequest } from '../../records/messages.ts'

/** A small fault, which a part of the check must see. */
export interface Row extends Spoiler {
  /** a probe, a part of one, or an invariant */
  of: string
  /** the probe that is run; `of` unless told */
  probe?: string
  /** the operations that it looks at */
  operations: readonly string[]
  /** the cause, as the check tells it */
  told: RegExp
  /** another cause, which it must not tell */
  untold?: RegExp
  /** the document that the service is held against, if it is another one */
  document?: (document: OpenApi) => void
  /** the paths of the document that count; all unless told */
  paths?: RegExp
  /** whether all lists are compared in the end */
  isToTheEnd?: true
  /** whether there is a second caller */
  isOfTwo?: true
}

type Change<Of> = (one: Of, request: WireRequest) => Of

export const nameOf = ({ method, url }: WireRequest) => `${method} ${url}`

export const bodyOf = (request: WireRequest): Record<string, unknown> => {
  const body: unknown = request.body === undefined ? undefined : parsed(request.body)
  return isObject(body) ? body : {}
}

export function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

export const withBody = (reply: WireReply, body: unknown): WireReply => ({
  ...reply,
  body,
  text: JSON.stringify(body),
})

/** Asks for something else, if a request is of this kind. */
export const asks =
  (of: RegExp, change: Change<WireRequest>): Spoil =>
  (request, forward) =>
    forward(of.test(nameOf(request)) ? change(request, request) : request)

/** Answers something else. */
export const answers =
  (of: RegExp, change: Change<WireReply>): Spoil =>
  async (request, forward) => {
    const reply = await forward(request)
    return of.test(nameOf(request)) ? change(reply, request) : reply
  }

/** Changes the body of a success. */
export const shows = (of: RegExp, change: (body: Record<string, unknown>) => unknown): Spoil =>
  answers(of, reply =>
    reply.status < 300 && isObject(reply.body) ? withBody(reply, change(reply.body)) : reply,
  )

/** Sends another body. */
export const sends = (of: RegExp, change: (body: Record<string, unknown>) => unknown): Spoil =>
  asks(of, request => ({ ...request, body: JSON.stringify(change(bodyOf(request))) }))

/** Refuses with something else. */
export const refuses = (of: RegExp, status: number, as: Record<string, unknown>): Spoil =>
  answers(of, reply =>
    reply.status === status && isObject(reply.body)
      ? { ...withBody(reply, { ...reply.body, ...as }), status: Number(as.status ?? status) }
      : reply,
  )

export const without = (request: WireRequest, field: string): WireRequest => {
  const { [field]: _, ...headers } = request.headers
  return { ...request, headers }
}

export const lacks = (of: RegExp, field: string): Spoil =>
  answers(of, reply => {
    const { [field]: _, ...headers } = reply.headers
    return { ...reply, headers }
  })

/** Lets those in who get this status, whoever they are. */
export const letsIn =
  (of: RegExp, status: number): Spoil =>
  async (request, forward) => {
    const reply = await forward(request)
    if (reply.status !== status || !of.test(nameOf(request))) return reply
    return forward({ ...request, headers: { ...request.headers, 'x-api-key': given } })
  }

/** The body of a refusal. */
export const refusal = (status: number, code: string, path?: string) => ({
  ...{ status, code, message: 'It is refused' },
  ...(path !== undefined && { details: [{ path, message: 'It is refused' }] }),
})

/** Shows something else each time. */
export function otherwiseEachTime(
  of: RegExp,
  change: (body: Record<string, unknown>, count: number) => unknown,
): Spoil {
  let count = 0
  return shows(of, body => change(body, ++count))
}

/** Repeats the first reply to a key, whoever sends it and wherever. @param kindOf what keys have in common */
export function sharesKeys(kindOf: (key: string) => string): Spoil {
  const replies = new Map<string, WireReply>()
  return async (request, forward) => {
    const { 'idempotency-key': key } = request.headers
    const known = key === undefined ? undefined : replies.get(kindOf(key))
    if (known) return { ...known, headers: { ...known.headers, 'idempotent-replayed': 'true' } }
    const reply = await forward(request)
    // A refusal by a rule of the business is repeated, too.
    if (key !== undefined && (reply.status < 300 || reply.status === 409)) replies.set(kindOf(key), reply)
    return reply
  }
}

/** Says that it was done, and does nothing. */
export const does204 = async (
  request: WireRequest,
  forward: (request: WireRequest) => Promise<WireReply>,
) => {
  const { headers } = await forward({ ...request, method: 'GET', url: '/usage' })
  const { 'content-type': _, 'content-length': __, 'x-stability': ___, etag: ____, ...own } = headers
  return { status: 204, headers: own, text: '', length: 0, body: undefined }
}

/** Makes the document one that knows nothing of this project. */
export function ofAnotherMake(document: OpenApi): void {
  delete document['x-rate-limits']
  for (const item of Object.values(document.paths))
    for (const { operation } of operationsIn(item)) delete operation['x-effects']
}

/** Answers with another status, and with the body of a refusal where one is given. */
export const turns = (of: RegExp, from: (status: number) => boolean, to: number, body?: object): Spoil =>
  answers(of, reply =>
    from(reply.status) ? { ...(body ? withBody(reply, body) : reply), status: to } : reply,
  )

export const isSuccess = (status: number) => status < 300

export const is = (due: number) => (status: number) => status === due

/** Changes header fields; one that is undefined is left out. */
export const tells = (
  of: RegExp,
  change: (reply: WireReply) => Readonly<Record<string, string | undefined>>,
): Spoil =>
  answers(of, reply => {
    const all = Object.entries({ ...reply.headers, ...change(reply) })
    const headers = Object.fromEntries(all.filter(([, value]) => value !== undefined))
    return { ...reply, headers: headers as WireReply['headers'] } // without those that are undefined
  })

/** Several faults, of which the first is nearest to the check. */
export const both =
  (...spoils: readonly Spoil[]): Spoil =>
  (request, forward) =>
    spoils.reduceRight<(request: WireRequest) => Promise<WireReply>>(
      (inner, spoil) => sent => spoil(sent, inner),
      forward,
    )(request)

/** Does something else with requests of a kind that come while others are under way. */
export function atOnce(of: RegExp, change: (reply: WireReply, count: number) => WireReply): Spoil {
  let [underWay, count] = [0, 0]
  return async (request, forward) => {
    const isAlone = underWay++ === 0
    const reply = await forward(request).finally(() => underWay--)
    return isAlone || !of.test(nameOf(request)) ? reply : change(reply, ++count)
  }
}

/** The fields of quotas are others in each reply. */
export function countsQuotas(): Spoil {
  let count = 0
  return tells(/^GET/, ({ headers }) => {
    count += 1
    return {
      'ratelimit-policy': `"minute";q=${count};w=61`,
      ratelimit: headers.ratelimit?.replace(/r=\d+/g, 'r=7'),
      'x-ratelimit-limit': '0',
      'x-ratelimit-remaining': '8',
      'x-ratelimit-reset': '9',
    }
  })
}
