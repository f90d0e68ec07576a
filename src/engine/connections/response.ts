import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http'
import { ServerResponse, validateHeaderName, validateHeaderValue } from './http.ts'

/** Fields by which Node frames a reply, or which it writes in a way of their own. */
const ofNode = new Set([
  'connection',
  'content-disposition',
  'content-length',
  'date',
  'expect',
  'keep-alive',
  'set-cookie',
  'trailer',
  'transfer-encoding',
])

/** How many values of a field are kept: most have one, or one for each operation or plan; others are new each time. */
const keptValues = 64

/** A header field as it was sent before: its lines by their values, as long as these are few; null: it is Node's. */
type Field = { lines: Map<string, string> | undefined } | null

const known = new Map<string, Field>()

/** What Node's own class has and its types do not tell. */
interface Head {
  /** Makes the head of a message, from its first line and pairs of names and values. */
  _storeHeader(firstLine: string, fields?: OutgoingHttpHeaders | unknown[]): void
}
const head = ServerResponse.prototype as unknown as Head // as the tests hold it against

/**
 * A response that checks and writes the line of a header field once for all replies that have it. Node does so for each of
 * some twenty fields of each reply, which is a tenth of the work of a read. A Node that calls what is overridden here by
 * another name writes all of them itself.
 */
export class Response<Request extends IncomingMessage> extends ServerResponse<Request> {
  _storeHeader(firstLine: string, fields?: OutgoingHttpHeaders | unknown[]): void {
    if (!fields || Array.isArray(fields) || this.getHeaderNames().length > 0) {
      head._storeHeader.call(this, firstLine, fields)
      return
    }
    let lines = firstLine
    const others: unknown[] = []
    for (const name in fields) {
      const value = fields[name]
      let field = known.get(name)
      if (field === undefined) field = learn(name)
      if (field !== null && typeof value === 'string')
        lines += field.lines?.get(value) ?? lineOf(name, value, field)
      else if (field !== null && typeof value === 'number') lines += `${name}: ${value}\r\n`
      else others.push(name, value)
    }
    head._storeHeader.call(this, lines, others)
  }
}

/** Takes up a field that is sent for the first time. @throws TypeError for what is no name of one */
function learn(name: string): Field {
  validateHeaderName(name)
  const field = ofNode.has(name.toLowerCase()) ? null : { lines: new Map<string, string>() }
  known.set(name, field)
  return field
}

/** The line of a field. @throws TypeError for what is no value of one */
function lineOf(name: string, value: string, field: NonNullable<Field>): string {
  validateHeaderValue(name, value)
  const line = `${name}: ${value}\r\n`
  if (field.lines && field.lines.set(value, line).size > keptValues) field.lines = undefined
  return line
}
