import type { CallToolResult as Result } from '@modelcontextprotocol/server'
import { sequenceOf } from 'spec-served-document/formats/sequences'
import { isObject } from 'spec-served-document/pointer'
import { isJson, parseMediaType } from 'spec-served-document/values/media-types'
import { parseToPassOn } from 'spec-served-document/values/whole-numbers'
import { readSome } from '../runtime/read-some.ts'
import type { ToolInput } from './call.ts'
import { argumentOf, type Tool } from './tools.ts'

/** Sends a tool's call. */
type Send = (values: ToolInput) => Promise<{ reply: Response; madeKey?: string | undefined }>

/** The most characters of a result. */
const bound = 65_536
/** The most bytes of JSON that are read to be cut at a whole item. */
const mostJson = 16 * 1024 * 1024
/** The longest time in which a reply without an end is read, in ms. */
const readFor = 5_000

/** Returns texts as the content of a result. */
export const text = (...parts: string[]) =>
  parts.filter(part => part !== '').map(part => ({ type: 'text' as const, text: part }))

/**
 * Calls a tool's operation. A refusal is a result, too, so that an agent can correct its call.
 * @param gone nobody waits for the result any more
 */
export async function resultOf(
  tool: Tool,
  values: ToolInput,
  send: Send,
  gone: AbortSignal,
): Promise<Result> {
  const { reply, madeKey } = await send(values)
  const { status, headers } = reply
  const repeat = madeKey === undefined ? [] : [`idempotency-key: ${madeKey}`]
  const type = headers.get('content-type') ?? ''
  const isWhole = status < 400 && isJson(parseMediaType(type))
  const end = AbortSignal.any([gone, AbortSignal.timeout(readFor)])
  const { bytes, isCut } = await readSome(reply, isWhole ? mostJson : bound, end)
  if (status >= 400) return refused(valueIn(bytes), reply, status >= 500 ? repeat : [])
  if (status >= 300 && status !== 304) return redirected(tool, reply, repeat)
  const shown = bytes.subarray(0, bound)
  const shownFields = ['etag', 'location'].filter(name => headers.has(name))
  const notes = [...shownFields.map(name => `${name}: ${headers.get(name)}`), ...repeat]
  if (isCut) notes.unshift(`Cut: only the first ${shown.length} bytes are shown.`)
  if (bytes.length === 0) return { content: text(`Done (${status}).`, ...notes) }
  if (!isWhole || isCut) return otherThanJson(shown, type, notes)
  const value = valueIn(bytes)
  const nextCursor = headers.get('x-next-cursor')
  const whole = Array.isArray(value) ? { items: value, ...(nextCursor !== null && { nextCursor }) } : value
  if (!isObject(whole)) return { content: text(JSON.stringify(whole), ...notes) }
  const cut = cutToFit(whole)
  const limit = argumentOf(tool, 'query', 'limit')
  // A smaller page has a cursor that continues after its last item.
  if (cut && limit && tool.operation.method === 'GET' && !(Number(values[limit]) <= cut.shown))
    return resultOf(tool, { ...values, [limit]: cut.shown }, send, gone)
  const structuredContent = cut?.value ?? whole
  return { content: text(JSON.stringify(structuredContent), cut?.note ?? '', ...notes), structuredContent }
}

/** Returns the value of a JSON text, or the text if it is none. */
function valueIn(bytes: Buffer): unknown {
  try {
    return parseToPassOn(`${bytes}`)
  } catch {
    return `${bytes}`
  }
}

/** Cuts the longest list of a value after the last item that fits. @returns undefined if nothing is to be cut */
function cutToFit(whole: Readonly<Record<string, unknown>>) {
  const lengthOf = (value: unknown) => JSON.stringify(value).length
  let room = bound - lengthOf(whole)
  const lists = Object.entries(whole).flatMap(([listName, items]) =>
    Array.isArray(items) ? [{ name: listName, list: items }] : [],
  )
  const [longest] = lists.sort((a, b) => lengthOf(b.list) - lengthOf(a.list))
  if (!longest || room >= 0) return undefined
  const { name, list } = longest
  room += lengthOf(list)
  const shown = list.findIndex(item => {
    room -= lengthOf(item) + 1
    return room < 0
  })
  if (shown < 1) return undefined
  const note = `Cut: ${shown} of ${list.length} ${name} are shown, for lack of room. Ask for fewer by the filters.`
  return { value: { ...whole, [name]: list.slice(0, shown) }, shown, note }
}

/** Returns a refusal in words: code, message, details, and the time of a retry. */
function refused(error: unknown, { status, headers }: Response, notes: readonly string[]): Result {
  const { code, message, details } = isObject(error) ? error : {}
  const whole = typeof error === 'string' ? error : JSON.stringify(error)
  const lines = [
    code && message ? `${code} (${status}): ${message}` : `Refused with ${status}: ${whole.slice(0, bound)}`,
    ...[details]
      .flat()
      .flatMap(fault => (isObject(fault) ? `- ${fault.path || 'the whole'} ${fault.message}` : [])),
  ]
  const after = headers.get('retry-after')
  if (after) lines.push(`Try again ${/^\d+$/.test(after) ? `in ${after} s` : `after ${after}`}.`)
  return { isError: true, content: text(lines.join('\n'), ...notes) }
}

/** Reports a redirect, which nothing follows: the credential is for the service alone. One that is not declared is a fault. */
function redirected({ operation }: Tool, { status, headers }: Response, notes: readonly string[]): Result {
  const place = headers.get('location') ?? 'no address'
  const isDeclared = operation.responses.has(`${status}`) || operation.responses.has('3XX')
  if (isDeclared) return { content: text(`The reply (${status}) leads to ${place}.`, ...notes) }
  const sentence = `Not done (${status}): the service redirects to ${place}, where nothing was sent. Is the URL of the service right?`
  return { isError: true, content: text(sentence, ...notes) }
}

/** Returns a text, picture or sound as such, and other bytes as a resource. */
function otherThanJson(bytes: Buffer, type: string, notes: readonly string[]): Result {
  const further = text(...notes)
  const { type: kind, essence: mimeType } = parseMediaType(type) ?? { type: '', essence: '' }
  if (kind === 'text' || sequenceOf(type) || /[/+](xml|yaml|json)$/.test(mimeType))
    return { content: [...text(bytes.toString()), ...further] }
  const data = bytes.toString('base64')
  if (kind === 'image' || kind === 'audio') return { content: [{ type: kind, data, mimeType }, ...further] }
  const resource = { uri: 'reply:body', mimeType, blob: data }
  return { content: [{ type: 'resource', resource }, ...further] }
}
