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

/** A header field as it was sent before. */
interface Field {
  name: string
  /** how its lines begin */
  begin: string
  /** Whether Node writes it. */
  isNodes: boolean
  /** its lines by their values, as long as these are few */
  lines: Map<string, string> | undefined
  /** the value that it had last, as long as these are few, and its line */
  value: string | undefined
  line: string
  /** the field that followed it last */
  next: Field | undefined
}

const fieldOf = (name: string, isNodes: boolean): Field => ({
  name,
  begin: `${name}: `,
  isNodes,
  lines: isNodes ? undefined : new Map(),
  value: undefined,
  line: '',
  next: undefined,
})

const known = new Map<string, Field>()
/** Stands before the first field of a reply. */
const start = fieldOf('', true)

/** What no value of a field has (RFC 9110, section 5.5, as Node takes it). */
const notOfValues = /[^\t\x20-\x7e\x80-\xff]/

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
    let unseen = ''
    const others: unknown[] = []
    let field = start
    for (const name in fields) {
      const value = fields[name]
      field = field.next?.name === name ? field.next : follow(field, name)
      if (typeof value === 'string' && field.value === value) lines += field.line
      else if (field.isNodes || (typeof value !== 'string' && typeof value !== 'number'))
        others.push(name, value)
      else if (typeof value === 'string' && field.lines) lines += keptLine(field, field.lines, value)
      else {
        if (typeof value === 'string') unseen += value
        lines += `${field.begin}${value}\r\n`
      }
    }
    if (unseen !== '' && notOfValues.test(unseen)) validate(fields)
    head._storeHeader.call(this, lines, others)
  }
}

/** The field that follows another one, which it mostly does in the next reply too. @throws TypeError for no name of one */
function follow(before: Field, name: string): Field {
  let field = known.get(name)
  if (!field) {
    validateHeaderName(name)
    field = fieldOf(name, ofNode.has(name.toLowerCase()))
    known.set(name, field)
  }
  before.next = field
  return field
}

/** The line of a field that has few values so far. @throws TypeError for what is no value of one */
function keptLine(field: Field, lines: Map<string, string>, value: string): string {
  let line = lines.get(value)
  if (line === undefined) {
    validateHeaderValue(field.name, value)
    line = `${field.name}: ${value}\r\n`
    lines.set(value, line)
  }
  if (lines.size > keptValues) field.lines = undefined
  field.value = field.lines && value
  field.line = line
  return line
}

/** @throws TypeError for what is no value of a field */
function validate(fields: OutgoingHttpHeaders): void {
  for (const name in fields) if (typeof fields[name] === 'string') validateHeaderValue(name, fields[name])
}
