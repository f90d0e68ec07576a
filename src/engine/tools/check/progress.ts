import { visibleLine } from 'spec-served-document/visible-text'

/** Shows progress: on a terminal in one line that moves. */
interface Stream {
  isTTY?: boolean
  columns?: number
  write(text: string): boolean
}

/** Tells those who wait what is under way. */
export interface Progress {
  /** @param step a line of its own where nothing moves @param detail what is told of it on a terminal */
  tell(step: string, detail?: string): void
  /** Makes room for other lines. */
  clear(): void
}

/** @param least how long a terminal shows a line before the next one, in ms */
export function createProgress(stream: Stream = process.stderr, least = 100): Progress {
  const shown = new Set<string>()
  let last = 0
  let isThere = false
  const clear = () => {
    if (isThere) stream.write('\r\x1b[K')
    isThere = false
  }
  return {
    tell(step, detail = '') {
      if (stream.isTTY) {
        if (Date.now() - last < least) return
        last = Date.now()
        const line = visibleLine(`… ${step}${detail && `: ${detail}`}`)
        stream.write(`\r\x1b[K${line.slice(0, (stream.columns || 80) - 1)}`)
        isThere = true
      } else if (!shown.has(step)) stream.write(`${visibleLine(`… ${step}`)}\n`)
      shown.add(step)
    },
    clear,
  }
}
