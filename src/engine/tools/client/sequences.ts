/** The end of an item and its reader, by media type (HTML Living Standard, section 9.2.5; RFC 7464). */
const sequences: readonly [type: string, end: RegExp | string, read?: (text: string) => unknown][] = [
  ['text/event-stream', /\r\n\r\n|\n\n|\r\r/, readEvent],
  ['json-seq', '\x1e'],
  ['', '\n'],
]

/** The items of a body, as they come. */
export async function* itemsIn(
  body: ReadableStream<Uint8Array>,
  type: string,
  parse: (text: string) => unknown = JSON.parse,
): AsyncGenerator<unknown, void, undefined> {
  const [, end = '', read = parse] = sequences.find(([name]) => type.includes(name)) ?? []
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let rest = ''
  try {
    for (let isOver = false; !isOver; ) {
      const { done, value } = await reader.read()
      isOver = done
      const texts = `${rest}${decoder.decode(value, { stream: !done })}`.split(end)
      rest = done || texts.length === 0 ? '' : (texts.pop() ?? '')
      for (const text of texts)
        if (text.trim() !== '' && (read !== readEvent || /^data(:|$)/m.test(text))) yield read(text)
    }
  } finally {
    await reader.cancel()
  }
}

function readEvent(text: string): object {
  const event: Record<string, string | number> = {}
  for (const line of text.split(/\r\n|\n|\r/)) {
    const [, name = '', value = ''] = /^(data|event|id|retry)(?:: ?(.*))?$/.exec(line) ?? []
    if (name === 'data' && 'data' in event) event.data += `\n${value}`
    else if (name !== '') event[name] = name === 'retry' ? Number(value) : value
  }
  return event
}
