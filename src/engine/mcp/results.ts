import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js'
import type { Model } from '../../document/model.ts'
import { isObject } from '../../document/pointer.ts'
import { ApiError } from '../replies/api-error.ts'
import { isJson, parseMediaType } from '../requests/media-types.ts'
import { sequenceOf } from '../sequences.ts'
import { callOf, type Send } from './call.ts'
import type { Tool } from './tools.ts'

/** The most characters of a result. */
const bound = 65_536
/** The longest time in which a reply without an end is read, in ms. */
const readFor = 5_000

const text = (...parts: string[]) =>
  parts.filter(part => part !== '').map(part => ({ type: 'text' as const, text: part }))

/** Calls a tool's operation. A refusal is a result, too, so that an agent can correct its call. */
export async function resultOf(
  model: Model,
  tool: Tool,
  given: Record<string, unknown>,
  send: Send,
): Promise<CallToolResult> {
  const call = await callOf(model, tool, given).catch((error: unknown) => {
    if (error instanceof ApiError) return error.toWire()
    throw error
  })
  if ('code' in call) return refused(call, call.status, null)
  const reply = await send(call)
  const { status, headers } = reply
  if (status >= 400) return refused(valueIn(await reply.text()), status, headers.get('retry-after'))
  const notes = ['etag', 'location'].flatMap(name => {
    const value = headers.get(name)
    return value === null ? [] : `${name}: ${value}`
  })
  const type = headers.get('content-type') ?? ''
  if (!isJson(parseMediaType(type)) || sequenceOf(type)) return otherThanJson(reply, type, notes)
  const value = valueIn(await reply.text())
  if (value === '') return { content: text(`Done (${status}).`, ...notes) }
  const cut = cutToFit(value)
  const [limit] = [...tool.parameters].find(([, one]) => one.in === 'query' && one.name === 'limit') ?? []
  // A smaller page has a cursor that continues after its last item.
  if (cut && limit !== undefined && call.method === 'GET' && !(Number(given[limit]) <= cut.shown))
    return resultOf(model, tool, { ...given, [limit]: cut.shown }, send)
  const nextCursor = headers.get('x-next-cursor')
  const items = Array.isArray(value) && { items: value, ...(nextCursor !== null && { nextCursor }) }
  const content = cut?.value ?? (items || value)
  return {
    content: text(JSON.stringify(content), cut?.note ?? '', ...notes),
    ...(isObject(content) && { structuredContent: content }),
  }
}

/** Returns the value of a JSON text, or the text if it is none. */
function valueIn(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    return body
  }
}

/** Cuts the longest list of a value after the last item that fits. @returns undefined if nothing is to be cut */
function cutToFit(value: unknown) {
  const lengthOf = (one: unknown) => JSON.stringify(one).length
  const whole = isObject(value) ? value : { items: value }
  const lists = Object.entries(whole).flatMap(([name, list]) => (Array.isArray(list) ? [{ name, list }] : []))
  const [longest] = lists.sort((a, b) => lengthOf(b.list) - lengthOf(a.list))
  if (!longest || lengthOf(value) <= bound) return undefined
  const { name, list } = longest
  let room = bound - (lengthOf(whole) - lengthOf(list))
  const shown = list.findIndex(item => {
    room -= lengthOf(item) + 1
    return room < 0
  })
  if (shown < 1) return undefined
  const note = `Cut: ${shown} of ${list.length} ${name} are shown, for lack of room. Ask for fewer by the filters.`
  return { value: { ...whole, [name]: list.slice(0, shown) }, shown, note }
}

/** Returns a refusal in words: code, message, details, and the time of a retry. */
function refused(error: unknown, status: number, retryAfter: string | null): CallToolResult {
  const { code, message, details } = isObject(error) ? error : {}
  const isUsual = typeof code === 'string' && typeof message === 'string'
  const whole = typeof error === 'string' ? error : JSON.stringify(error)
  const retry = /^\d+$/.test(retryAfter ?? '') ? `in ${retryAfter} s` : `after ${retryAfter}`
  const lines = [
    isUsual ? `${code} (${status}): ${message}` : `Refused with ${status}: ${whole.slice(0, bound)}`,
    ...[details].flat().flatMap(one => (isObject(one) ? `- ${one.path || 'the whole'} ${one.message}` : [])),
    ...(retryAfter === null ? [] : [`Try again ${retry}.`]),
  ]
  return { isError: true, content: text(lines.join('\n')) }
}

/** Returns a text, picture or sound as such, and other bytes as a resource. */
async function otherThanJson(reply: Response, type: string, notes: string[]): Promise<CallToolResult> {
  const { bytes, isCut } = await readSome(reply)
  const further = text(isCut ? `Cut: only the first ${bytes.length} bytes are shown.` : '', ...notes)
  const { type: kind, essence: mimeType } = parseMediaType(type) ?? { type: '', essence: '' }
  if (bytes.length === 0) return { content: [...text(`Done (${reply.status}).`), ...further] }
  if (kind === 'text' || sequenceOf(type) || /[/+](xml|yaml)$/.test(mimeType))
    return { content: [...text(bytes.toString()), ...further] }
  const data = bytes.toString('base64')
  if (kind === 'image' || kind === 'audio') return { content: [{ type: kind, data, mimeType }, ...further] }
  return {
    content: [{ type: 'resource', resource: { uri: 'reply:body', mimeType, blob: data } }, ...further],
  }
}

async function readSome({ body }: Response): Promise<{ bytes: Buffer; isCut: boolean }> {
  const chunks: Uint8Array[] = []
  let [size, isCut] = [0, false]
  const reader = body?.getReader()
  const stop = async () => {
    isCut = true
    await reader?.cancel()
  }
  const timer = setTimeout(stop, readFor)
  for (let part = await reader?.read(); part && !part.done; part = await reader?.read()) {
    chunks.push(part.value)
    size += part.value.length
    if (size > bound) await stop()
  }
  clearTimeout(timer)
  return { bytes: Buffer.concat(chunks).subarray(0, bound), isCut }
}
