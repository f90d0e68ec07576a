import { version } from 'spec-served/internal/command/project'
import { queryOf } from 'spec-served-document/values/values'
import type { WireReply, WireRequest } from '../records/messages.ts'
import { describeRequest } from './requests.ts'
import type { Outcome } from './service.ts'
import type { Fault } from './summary.ts'

/** The forms of a report besides text. Credentials are in none of them. */
export const reporters = { json: asJson, junit: asJunit, har: asHar } as const

export type ReporterName = keyof typeof reporters

function asJson({ faults, rows, ...outcome }: Outcome): string {
  const told = faults.map(({ operation, message, sent }) => ({
    operation,
    message,
    ...(sent?.request && { curl: describeRequest(sent.request) }),
    ...(sent && { status: sent.reply.status, reply: sent.reply.text }),
  }))
  const probes = Object.fromEntries([...rows].map(([name, row]) => [name, { ...row, left: [...row.left] }]))
  return JSON.stringify({ ...outcome, faults: told, probes }, null, 2)
}

const marks: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
/** A text in XML 1.0, which has no control characters. */
const escaped = (text: string) =>
  text
    .toWellFormed()
    .replace(/(?![\t\r\n])\p{Cc}|[\ufffe\uffff]/gu, '\ufffd')
    .replace(/[&<>"]/g, one => marks[one] ?? '')

/** A test suite: each fault is a case of its operation, and each kind of promise without one that was looked at. */
function asJunit({ faults, promises }: Outcome): string {
  const failed = faults.map(
    ({ operation, message, evidence = '' }) =>
      `  <testcase classname="${escaped(operation)}" name="${escaped(message)}"><failure message="${escaped(message)}">${escaped(evidence)}</failure></testcase>`,
  )
  const others = promises.map(({ of, state, why }) => {
    const skipped = state === 'looked at' ? '' : `<skipped message="${escaped([state, ...why].join('; '))}"/>`
    return `  <testcase classname="promises" name="${escaped(of)}">${skipped}</testcase>`
  })
  const skips = promises.filter(({ state }) => state !== 'looked at').length
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuite name="check:contract" tests="${faults.length + promises.length}" failures="${faults.length}" skipped="${skips}">`,
    ...failed,
    ...others,
    '</testsuite>',
  ].join('\n')
}

/** The requests that show faults, as an HTTP Archive 1.2. */
function asHar({ faults }: Outcome): string {
  const entries = faults.flatMap(({ operation, message, sent }) =>
    sent?.request ? [entryOf({ operation, message }, sent.request, sent.reply)] : [],
  )
  const creator = { name: 'spec-served', version }
  return JSON.stringify({ log: { version: '1.2', creator, entries } }, null, 2)
}

function entryOf({ operation, message }: Fault, request: WireRequest, reply: WireReply) {
  const { method, url, headers, body, hidden = [] } = request
  const shown = Object.entries(headers).map(([name, value]) => ({
    name,
    value: hidden.includes(name) ? '***' : value,
  }))
  const searchParams = new URLSearchParams(queryOf(url))
  const common = { httpVersion: 'HTTP/1.1', cookies: [], headersSize: -1 }
  return {
    comment: `${operation}: ${message}`,
    startedDateTime: new Date(0).toISOString(),
    time: 0,
    request: {
      ...common,
      ...{ method, url: `http://localhost${url}`, headers: shown, bodySize: Buffer.byteLength(body ?? '') },
      queryString: [...searchParams].map(([name, value]) => ({ name, value })),
      ...(body !== undefined && { postData: { mimeType: headers['content-type'] ?? '', text: body } }),
    },
    response: {
      ...common,
      status: reply.status,
      statusText: '',
      headers: Object.entries(reply.headers).map(([name, value]) => ({ name, value })),
      content: { size: reply.length, mimeType: reply.headers['content-type'] ?? '', text: reply.text },
      redirectURL: '',
      bodySize: reply.length,
    },
    cache: {},
    timings: { send: 0, wait: 0, receive: 0 },
  }
}
