import { describeRequest } from './requests.ts'
import type { CheckOutcome } from './service.ts'
import type { Fault } from './summary.ts'

/** The forms of a report besides text. Credentials are in none of them. */
export const reporters = { json: asJson, junit: asJunit } as const

export type ReporterName = keyof typeof reporters

/** The sentences for a run in which no operation succeeded: what it has shown, and what its caller can do. */
export const unanswered =
  'No operation answered with a success, so nothing is shown of the service. ' +
  'Look whether the URL is the one of this service, with its base path, and whether the credential is right. ' +
  'Let the check write (--yes), or name records that are there (--examples).'

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
function asJunit({ faults, promises, isUnanswered }: CheckOutcome): string {
  const all: readonly Fault[] =
    isUnanswered && faults.length === 0 ? [{ operation: 'the service', message: unanswered }] : faults
  const failed = all.map(
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
    `<testsuite name="check:contract" tests="${all.length + promises.length}" failures="${all.length}" skipped="${skips}">`,
    ...failed,
    ...others,
    '</testsuite>',
  ].join('\n')
}
