import { Readable } from 'node:stream'
import type { Model } from '../model.ts'
import { isObject } from '../pointer.ts'
import type { MediaType } from '../types.ts'
import type { Fault } from '../values/faults.ts'
import { attempt, badTexts, Unreadable } from '../values/faults.ts'
import { parseMediaType } from '../values/media-types.ts'
import { parseStrictJson } from '../values/strict-json.ts'
import { shapeOf } from '../values/values.ts'

/** The format of a sequential media type: how it writes and reads each item. */
export interface Sequence {
  write(item: unknown, asJson?: AsJson): string
  /** the texts of items */
  split(text: string): string[]
  /** @param isExact whether a whole number beyond ±(2^53 − 1) becomes a bigint @throws Unreadable */
  read(text: string, isExact?: boolean): unknown
  /** a text that is no item, which keeps a silent connection open; absent: the format has none */
  silence?: string
}

type AsJson = (value: unknown) => string

const plainly: AsJson = value => JSON.stringify(value)
const read = (text: string, isExact?: boolean) => parseStrictJson(text, undefined, isExact)
const isWritten = (text: string) => text.trim() !== ''

const lines: Sequence = {
  write: (item, asJson = plainly) => `${asJson(item ?? null)}\n`,
  split: text => text.split('\n').filter(isWritten),
  read,
}
/** The format of RFC 7464. */
const records: Sequence = {
  ...lines,
  write: (item, asJson = plainly) => `\x1e${asJson(item ?? null)}\n`,
  split: text => text.split('\x1e').filter(isWritten),
}
const events: Sequence = {
  write: writeEvent,
  split: text => text.split(/(?:\r\n|\r|\n){2,}/).filter(block => /^data(:|$)/m.test(block)),
  read: readEvent,
  silence: ':\n\n',
}
/** The same where the items are what the events carry: each is the data of an event, a text as it is and all else as JSON. */
const carried = (isText: boolean): Sequence => ({
  ...events,
  read(text, isExact) {
    const data = String(readEvent(text).data ?? '')
    return isText ? data : read(data, isExact)
  },
})
const streamsOf = { events, texts: carried(true), values: carried(false) }

/** The items of a stream of events: events, or their data, which are texts or JSON. */
export type ItemsOfEvents = keyof typeof streamsOf

/** The media types that are read and written as sequences of items (OpenAPI 3.2.0, 4.14.4.1). */
const sequences: Readonly<Record<string, Sequence>> = {
  'application/jsonl': lines,
  'application/x-ndjson': lines,
  'application/ndjson': lines,
  'application/json-seq': records,
  'text/event-stream': events,
}

/** Returns the format of a media type's items; undefined if it is not sequential. */
export function sequenceOf(mediaType: string): Sequence | undefined {
  const { essence = '' } = parseMediaType(mediaType) ?? {}
  return essence.endsWith('+json-seq') ? records : sequences[essence] // RFC 8091
}

/** Returns a body's format as a sequence whose schema is a list. Before 3.2 other schemas may describe each item. */
export function sequenceFor(model: Model, mediaType: string, media: MediaType): Sequence | undefined {
  if (!media.schema || !shapeOf(model, media.schema).kinds.includes('array')) return undefined
  const sequence = sequenceOf(mediaType)
  return sequence === events ? streamsOf[itemsOfEvents(model, media)] : sequence
}

/**
 * Returns what the items of a stream of events are: events (OpenAPI 3.2.0, 4.14.4.2), or their data where the schema is a list
 * and that of an item has no `data`.
 */
export function itemsOfEvents(model: Model, { schema }: MediaType): ItemsOfEvents {
  if (!schema) return 'events'
  const { kinds, items } = shapeOf(model, schema)
  if (!kinds.includes('array')) return 'events'
  const { types, properties } = shapeOf(model, items)
  const names = [...properties.keys()]
  const isEvent = names.every(name => eventFields.test(name)) && /^$|data|event/.test(names.join())
  if (isEvent && (types.size === 0 || types.has('object'))) return 'events'
  return types.size === 1 && types.has('string') ? 'texts' : 'values'
}

/** The silence after which a stream of events sends a comment, in ms (HTML Living Standard, section 9.2.7). */
const silentFor = 15_000
/** The same before its first item, in ms: the client learns by it that the stream is open. */
const silentAtFirst = 100

/**
 * Returns a sequence as a stream that sends each item as it comes. It ends after a whole item, or between two, when a stop
 * begins. Leaving it ends the source.
 * @param silence longest time without an item or a comment, in ms, where the format has comments
 * @param asJson writes the JSON of an item
 */
export function streamOf(
  { write, silence: comment }: Sequence,
  items: Iterable<unknown> | AsyncIterable<unknown>,
  stopping: AbortSignal,
  silence = silentFor,
  asJson = plainly,
): Readable {
  const source = Symbol.asyncIterator in items ? items[Symbol.asyncIterator]() : items[Symbol.iterator]()
  const timers: NodeJS.Timeout[] = []
  let isAsked = false
  let isOver = false
  let sent = 0
  const stream = new Readable({
    read() {
      if (isAsked) return
      isAsked = true
      void ask()
    },
    destroy(error, done) {
      stop()
      void leave()
      done(error)
    },
  })
  function send(text: string): void {
    if (isOver) return
    sent++
    stream.push(text)
    timers[0]?.refresh()
  }
  function stop(): void {
    isOver = true
    for (const timer of timers) clearTimeout(timer)
    stopping.removeEventListener('abort', end)
  }
  function end(): void {
    stop()
    stream.push(null)
  }
  async function ask(): Promise<void> {
    try {
      const { done, value } = await source.next()
      isAsked = false
      if (!done) send(write(await value, asJson))
      else if (!isOver) end()
    } catch (error) {
      stream.destroy(error as Error) // as the source threw it
    }
  }
  /** Lets the source end. It may take its time, and nobody is left who could be told that it failed. */
  async function leave(): Promise<void> {
    try {
      await source.return?.()
    } catch {
      // see above
    }
  }
  if (comment !== undefined) {
    timers.push(setInterval(send, silence, comment).unref())
    timers.push(setTimeout(() => sent === 0 && send(comment), silentAtFirst).unref())
  }
  if (stopping.aborted) end()
  else stopping.addEventListener('abort', end)
  return stream
}

/** The most items in a body, as each costs time and memory. */
const itemsLimit = 10_000

/**
 * Returns the items of a body.
 * @param isExact whether a whole number beyond ±(2^53 − 1) becomes a bigint
 * @throws Unreadable with the faults of the items
 */
export function itemsIn(sequence: Sequence, text: string, isExact = false): unknown[] {
  const texts = sequence.split(text.replace(/^\ufeff/, ''))
  if (texts.length > itemsLimit)
    throw new Unreadable({ path: '', message: `holds more than ${itemsLimit} items` })
  const faults: Fault[] = []
  const items = texts.map((itemText, index) =>
    attempt(() => sequence.read(itemText, isExact), `/${index}`, faults),
  )
  if (faults.length > 0) throw new Unreadable(...faults)
  return items
}

/** The fields of an event (HTML Living Standard, section 9.2.5). */
const eventFields = /^(data|event|id|retry)$/

/** Writes an object with an event's fields as an event, and any other item as the event's data. */
function writeEvent(item: unknown, asJson = plainly): string {
  const isEvent = isObject(item) && 'data' in item && Object.keys(item).every(name => eventFields.test(name))
  const fields = Object.entries(isEvent ? item : { data: item }).flatMap(([name, value]) => {
    const text = typeof value === 'string' ? value : asJson(value ?? null)
    return text.split(/\r\n|\r|\n/).map(line => `${name}: ${line}\n`)
  })
  return `${fields.join('')}\n`
}

/** Reads the fields of an event, `retry` as a number. Several lines of data are one text (section 9.2.6). */
function readEvent(text: string): Readonly<Record<string, string | number>> {
  const event: Record<string, string | number> = {}
  for (const line of text.split(/\r\n|\r|\n/)) {
    const [, name = '', value = ''] = /^([^:]*)(?:: ?(.*))?$/.exec(line) ?? []
    if (name === 'data') event.data = 'data' in event ? `${event.data}\n${value}` : value
    else if (name === 'retry' && /^\d+$/.test(value)) event.retry = Number(value)
    else if (eventFields.test(name) && name !== 'retry') event[name] = value
  }
  const faults = badTexts(event, '')
  if (faults.length > 0) throw new Unreadable(...faults)
  return event
}
