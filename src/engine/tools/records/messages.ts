import { isObject } from 'spec-served-document/pointer'

export type Body = Record<string, unknown>

/** The record of a body, or the first of several; without anything where there is none. */
export function recordIn(body: unknown): Body {
  const record: unknown = Array.isArray(body) ? body[0] : body
  return isObject(record) ? record : {}
}

/** A request as it is drawn: references in place of identifiers. */
export interface Draft {
  path: Body
  query: Body
  header: Body
  cookie?: Body
  body?: unknown
}

/** A request ready to be sent. */
export interface WireRequest {
  method: string
  url: string
  /** with `transfer-encoding` the body goes out in pieces, without a length */
  headers: Record<string, string>
  body?: string | undefined
  /** the bytes that are sent in place of the body, if it is no text */
  bytes?: Uint8Array
  /** credentials that travel in the query */
  query?: Readonly<Record<string, string>>
  /** the header fields that hold credentials, by lower-case name */
  hidden?: readonly string[]
}

/** A reply as it came over the wire. */
export interface WireReply {
  status: number
  /** by lower-case name; several Set-Cookie fields stand in lines of their own */
  headers: Readonly<Record<string, string>>
  /** out of its coding, where that can be read */
  text: string
  /** of the content as it was sent, in bytes */
  length: number
  /** the JSON value of the text; undefined for another media type, or a text that is no JSON */
  body: unknown
}

/** The JSON value of a text; undefined where it is none. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
