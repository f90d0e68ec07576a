/** @import { ErrorCode, Response } from './types.js' */
import { onceFor } from './contents.js'
import { examplesOf, mediaOf, membersOf } from './media.js'
import { wholeOf } from './schemas.js'

/**
 * The error codes of a response: its `x-codes`.
 * @param {Response} response
 */
export const codesOf = ({ 'x-codes': codes }) => (Array.isArray(codes) ? codes.map(String) : [])

/** All error codes in the document's order, with their descriptions. */
export const codesIn = onceFor(({ resolve, operations }) => {
  /** @type {Map<string, ErrorCode>} */
  const codes = new Map()
  /** @param {string} code */
  const known = code => {
    const entry = codes.get(code) ?? {
      code,
      statuses: [],
      description: '',
      example: undefined,
      operations: [],
    }
    codes.set(code, entry)
    return entry
  }
  for (const { responses } of operations)
    for (const { response } of responses) {
      const schema = codesOf(response).length > 0 && mediaOf(response.content)?.schema
      const listed = schema ? wholeOf(wholeOf(schema, resolve).properties?.code, resolve) : {}
      for (const code of listed.enum ?? [])
        known(String(code)).description = String(listed['x-enum-descriptions']?.[String(code)] ?? '')
    }
  for (const operation of operations)
    for (const { status, response } of operation.responses)
      for (const code of codesOf(response)) {
        const entry = known(code)
        if (!entry.statuses.includes(status)) entry.statuses.push(status)
        if (!entry.operations.includes(operation)) entry.operations.push(operation)
        const examples = examplesOf(mediaOf(response.content) ?? {}, resolve)
        entry.example ??= examples.find(({ value }) => membersOf(value).code === code)?.value
      }
  for (const entry of codes.values()) entry.example ??= { code: entry.code, message: '…', ...statusOf(entry) }
  return [...codes.values()]
})

/** @param {ErrorCode} code */
const statusOf = ({ statuses: [status] }) => (Number(status) ? { status: Number(status) } : {})
