import type { CallToolResult } from '@modelcontextprotocol/server'
import { isObject } from '../../document/pointer.ts'
import { sequenceOf } from '../formats/sequences.ts'
import { isJson, parseMediaType } from '../values/media-types.ts'
import type { Tool } from './tools.ts'

/** Sends the request of a tool's call. */
type Call = (
  tool: Tool,
  given: Readonly<Record<string, unknown>>,
) => Promise<{ reply: Response; madeKey?: string | undefined }>

/** The most characters of a result. */
const bound = 65_536
/** The most bytes of JSON that are read to be cut at a whole item. */
const mostJson = 16 * 1024 * 1024
/** The longest time in which a reply without an end is read, in ms. */
const readFor = 5_000

const text = (...parts: string[]) =>
  parts.filter(part => part !== '').map(part => ({ type: 'text' as const, text: part }))

/**
 * Calls a tool's operation. A refusal is a result, too, so that an agent can correct its call.
 * @param gone nobody waits for the result any more
 */
export async function resultOf(
  tool: Tool,
  given: Readonly<Record<string, unknown>>,
  call: Call,
  gone: AbortSignal,
): Promise<CallToolResult> {
  const { reply, madeKey } = await call(tool, given)
  const { status, headers } = reply
  const read = async (most = bound) => readSome(reply, gone, most)
  const repeat = madeKey === undefined ? [] : [`idempotency-key: ${madeKey}`]
  if (status >= 400)
    return refused(
      valueIn(`${(await read()).bytes}`),
      status,
      headers.get('retry-after'),
      status >= 500 ? repeat : [],
    )
  const notes = ['etag', 'location'].filter(name => headers.has(name))
  const further = [...notes.map(name => `${name}: ${headers.get(name)}`), ...repeat]
  const type = headers.get('content-type') ?? ''
  const isOther = !isJson(parseMediaType(type)) || sequenceOf(type)
  const { bytes, isCut } = await read(isOther ? bound : mostJson)
  if (isOther || isCut) return otherThanJson(bytes.subarray(0, bound), isCut, status, type, further)
  const value = valueIn(`${bytes}`)
  if (value === '') return { content: text(`Done (${status}).`, ...further) }
  const nextCursor = headers.get('x-next-cursor')
  const whole = Array.isArray(value) ? { items: value, ...(nextCursor !== null && { nextCursor }) } : value
  if (!isObject(whole)) return { content: text(JSON.stringify(whole), ...further) }
  const cut = cutToFit(whole)
  const [limit] = [...tool.parameters].find(([, one]) => one.in === 'query' && one.name === 'limit') ?? []
  // A smaller page has a cursor that continues after its last item.
  if (cut && limit && tool.operation.method === 'GET' && !(Number(given[limit]) <= cut.shown))
    return resultOf(tool, { ...given, [limit]: cut.shown }, call, gone)
  const structuredContent = cut?.value ?? whole
  return { content: text(JSON.stringify(structuredContent), cut?.note ?? '', ...further), structuredContent }
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
function cutToFit(whole: Readonly<Record<string, unknown>>) {
  const lengthOf = (one: unknown) => JSON.stringify(one).length
  const lists = Object.entries(whole).flatMap(([name, list]) => (Array.isArray(list) ? [{ name, list }] : []))
  const [longest] = lists.sort((a, b) => lengthOf(b.list) - lengthOf(a.list))
  let room = bound - lengthOf(whole)
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
function refused(
  error: unknown,
  status: number,
  retryAfter: string | null,
  notes: readonly string[],
): CallToolResult {
  const { code, message, details } = isObject(error) ? error : {}
  const whole = typeof error === 'string' ? error : JSON.stringify(error)
  const lines = [
    code && message ? `${code} (${status}): ${message}` : `Refused with ${status}: ${whole.slice(0, bound)}`,
    ...[details].flat().flatMap(one => (isObject(one) ? `- ${one.path || 'the whole'} ${one.message}` : [])),
  ]
  const isSeconds = /^\d+$/.test(retryAfter ?? '')
  if (retryAfter) lines.push(`Try again ${isSeconds ? `in ${retryAfter} s` : `after ${retryAfter}`}.`)
  return { isError: true, content: text(lines.join('\n'), ...notes) }
}

/** Returns a text, picture or sound as such, and other bytes as a resource. */
function otherThanJson(
  bytes: Buffer,
  isCut: boolean,
  status: number,
  type: string,
  notes: readonly string[],
): CallToolResult {
  const further = text(isCut ? `Cut: only the first ${bytes.length} bytes are shown.` : '', ...notes)
  const { type: kind, essence: mimeType } = parseMediaType(type) ?? { type: '', essence: '' }
  if (bytes.length === 0) return { content: [...text(`Done (${status}).`), ...further] }
  if (kind === 'text' || sequenceOf(type) || /[/+](xml|yaml|json)$/.test(mimeType))
    return { content: [...text(bytes.toString()), ...further] }
  const data = bytes.toString('base64')
  if (kind === 'image' || kind === 'audio') return { content: [{ type: kind, data, mimeType }, ...further] }
  const resource = { uri: 'reply:body', mimeType, blob: data }
  return { content: [{ type: 'resource', resource }, ...further] }
}

/** Reads a body up to a bound of bytes and of time, or until its reader is gone. */
async function readSome({ body }: Response, gone: AbortSignal, most: number) {
  const chunks: Uint8Array[] = []
  let size = 0
  const signal = AbortSignal.any([gone, AbortSignal.timeout(readFor)])
  try {
    for await (const chunk of body?.pipeThrough(new TransformStream<Uint8Array>(), { signal }) ?? []) {
      chunks.push(chunk)
      size += chunk.length
      if (size > most) break
    }
  } catch (error) {
    if (!signal.aborted) throw error
  }
  return { bytes: Buffer.concat(chunks).subarray(0, most), isCut: size > most || signal.aborted }
}
