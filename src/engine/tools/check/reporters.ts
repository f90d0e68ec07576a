import { describeRequest } from './requests.ts'
import type { CheckOutcome } from './service.ts'

/** The forms of a report besides text. Credentials are in none of them. */
export const reporters = { json: asJson, junit: asJunit } as const

export type ReporterName = keyof typeof reporters

function asJson({ faults, rows, ...outcome }: CheckOutcome): string {
  const reported = faults.map(({ operation, message, sent }) => ({
    operation,
    message,
    ...(sent?.request && { curl: describeRequest(sent.request) }),
    ...(sent && { status: sent.reply.status, reply: sent.reply.text }),
  }))
  const probes = Object.fromEntries([...rows].map(([name, row]) => [name, { ...row, left: [...row.left] }]))
  return JSON.stringify({ ...outcome, faults: reported, probes }, null, 2)
}

const marks: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
/** A text in XML 1.0, which has no control characters. */
const escaped = (text: string) =>
  text
    .toWellFormed()
    .replace(/(?![\t\r\n])\p{Cc}|[\ufffe\uffff]/gu, '\ufffd')
    .replace(/[&<>"]/g, mark => marks[mark] ?? '')

/** A test suite: each fault is a case of its operation, and each kind of promise without one that was looked at. */
function asJunit({ faults, promises }: CheckOutcome): string {
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
