import { setImmediate as turn } from 'node:timers/promises'
import fp from 'fastify-plugin'
import type { Model } from 'spec-served-document/model'
import { isObject } from 'spec-served-document/pointer'
import { isJson, parseMediaType } from 'spec-served-document/values/media-types'
import { parseExactly } from 'spec-served-document/values/whole-numbers'
import { createReplyJudge, type Difference } from './replies.ts'

/** How the check of a reply ended; `skipped`: it was too long, or too many waited. */
export type ReplyOutcome = 'fits' | 'differs' | 'skipped'

/** Called with the outcome of each reply that was chosen. */
export type ObserveReply = (operationId: string, outcome: ReplyOutcome) => void

export interface SampledRepliesOptions {
  model: Model
  /** the share of the replies that is checked, from 0 to 1 */
  share: number
  observe: ObserveReply | undefined
}

/** The replies that wait at most, the characters of each, and the kinds of differences that are logged. */
const most = { waiting: 100, length: 2 ** 19, kinds: 1_000 }

interface Sent {
  operationId: string
  status: number
  headers: Readonly<Record<string, unknown>>
  payload: string | Buffer
}

/**
 * Checks a share of the replies against the document after they were sent, one in each turn of the event loop. Each kind of
 * difference is logged once: operation, status, place and rule, no value. Sequences, and bytes that a handler streams, are
 * left out, and refusals with a status that the operation does not declare: a document need not name each.
 */
export const sampledReplies = fp<SampledRepliesOptions>(async (app, { model, share, observe }) => {
  const judge = createReplyJudge(model)
  const names = namesIn(model.document)
  const logged = new Set<string>()
  const payloads = new WeakMap<object, string | Buffer>()
  const waiting: Sent[] = []
  let isChecking = false

  function log({ operationId, status }: Sent, { place, rule }: Difference): void {
    const details = {
      operationId,
      status,
      place: place.replace(/(?<=\/)[^/]*/g, name => (names.has(name) ? name : '*')),
      rule,
    }
    const kind = JSON.stringify(details)
    if (logged.has(kind) || logged.size >= most.kinds) return
    logged.add(kind)
    app.log.warn(details, 'A reply is not what the document declares')
  }

  function check(sent: Sent): void {
    const { operationId, status, headers, payload } = sent
    const body = bodyOf(headers['content-type'], payload, model.hasBigints ? parseExactly : JSON.parse)
    const isUndeclared = ({ place }: Difference) => place === 'the status' && status >= 400
    const found =
      body === notJson
        ? [notJson]
        : judge(operationId, { status, headers, body }).filter(difference => !isUndeclared(difference))
    for (const difference of found) log(sent, difference)
    observe?.(operationId, found.length > 0 ? 'differs' : 'fits')
  }

  async function checkAll(): Promise<void> {
    isChecking = true
    for (let sent = waiting.shift(); sent; sent = waiting.shift()) {
      await turn()
      try {
        check(sent)
      } catch (err) {
        app.log.error({ err, operationId: sent.operationId }, 'A reply can’t be checked against the document')
      }
    }
    isChecking = false
  }

  // Before what codes replies, or replaces them by one without a body.
  app.addHook('onSend', (request, _reply, payload, done) => {
    const { operationId } = request.destination
    if (operationId !== undefined && request.method !== 'HEAD' && Math.random() < share)
      if (payload === null || payload === undefined) payloads.set(request, '')
      else if (typeof payload === 'string' || Buffer.isBuffer(payload)) payloads.set(request, payload)
    done(null, payload)
  })

  app.addHook('onResponse', (request, reply, done) => {
    const payload = payloads.get(request)
    const { operationId } = request.destination
    if (payload !== undefined && operationId !== undefined) {
      const status = reply.statusCode
      const isTooMuch = waiting.length >= most.waiting || payload.length > most.length
      if (isTooMuch) observe?.(operationId, 'skipped')
      else
        waiting.push({
          operationId,
          status,
          headers: reply.getHeaders(),
          payload: status === 304 ? '' : payload,
        })
      if (!isChecking) void checkAll()
    }
    done()
  })
})

const notJson: Difference = { text: '', place: 'the body', rule: 'is no JSON', isOfSchema: false }

/** Returns the value of a body, or the difference of one that is no JSON; undefined for none. */
function bodyOf(type: unknown, payload: string | Buffer, parse: (text: string) => unknown): unknown {
  if (payload.length === 0) return undefined
  const text = String(payload)
  if (!isJson(parseMediaType(String(type)))) return text
  try {
    return parse(text)
  } catch {
    return notJson
  }
}

/** Returns the names of all properties that a document declares. Others may be values, such as the keys of a map. */
function namesIn(document: object): ReadonlySet<string> {
  const names = new Set<string>()
  const seen = new Set<unknown>()
  const left: unknown[] = [document]
  for (let node = left.pop(); node !== undefined; node = left.pop()) {
    if (typeof node !== 'object' || node === null || seen.has(node)) continue
    seen.add(node)
    if (isObject(node) && isObject(node.properties))
      for (const name of Object.keys(node.properties)) names.add(name)
    left.push(...Object.values(node))
  }
  return names
}
