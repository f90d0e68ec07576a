/** An event of a stream (HTML Living Standard, section 9.2.5). */
export interface ServerSentEvent {
  data?: string
  event?: string
  id?: string
  retry?: number
}

/** A stream that broke off before its end: what came may not be all. */
export class StreamCut extends Error {
  override name = 'StreamCut'
  /** the last event that came, from which the service can go on; undefined: it has sent none */
  readonly lastEventId: string | undefined

  constructor(cause: unknown, lastEventId?: string) {
    super('The stream was cut before its end.', { cause })
    this.lastEventId = lastEventId
  }
}

/** The ends of items by media type (HTML Living Standard, section 9.2.5; RFC 7464). */
const ends: readonly [type: string, end: RegExp | string][] = [
  ['text/event-stream', /\r\n\r\n|\n\n|\r\r/],
  ['json-seq', '\x1e'],
  ['', '\n'],
]

export const isOfEvents = (type: string): boolean => type.includes('text/event-stream')

/**
 * The texts of the items of a body, as they come.
 * @throws StreamCut when it breaks off; the reason of the signal when that is aborted
 */
export async function* textsIn(
  body: ReadableStream<Uint8Array>,
  type: string,
  signal?: AbortSignal,
): AsyncGenerator<string, void, undefined> {
  const [, end = ''] = ends.find(([name]) => type.includes(name)) ?? []
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let rest = ''
  try {
    for (let isOver = false; !isOver; ) {
      const { done, value } = await reader.read().catch(cause => {
        signal?.throwIfAborted()
        throw new StreamCut(cause)
      })
      isOver = done
      const texts = `${rest}${decoder.decode(value, { stream: !done })}`.split(end)
      rest = done || texts.length === 0 ? '' : (texts.pop() ?? '')
      for (const text of texts) if (text.trim() !== '') yield text
    }
  } finally {
    await reader.cancel().catch(() => {}) // it may have broken off
  }
}

export function readEvent(text: string): ServerSentEvent {
  const event: ServerSentEvent = {}
  for (const line of text.split(/\r\n|\n|\r/)) {
    const [, name = '', value = ''] = /^(data|event|id|retry)(?:: ?(.*))?$/.exec(line) ?? []
    if (name === 'data') event.data = event.data === undefined ? value : `${event.data}\n${value}`
    else if (name === 'event') event.event = value
    else if (name === 'id' && !value.includes('\0')) event.id = value
    else if (name === 'retry' && /^\d+$/.test(value)) event.retry = Number(value)
  }
  return event
}
