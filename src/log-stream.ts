import { writeSync } from 'node:fs'

/** Where log lines go: one or several at a time, each with its end. */
export interface LogStream {
  write(lines: string): void
}

/** Characters that are written at once, about. */
const chunk = 65_536
/** How long a line in JSON waits for others, in ms. */
const longestDelay = 100

/**
 * The standard output, for log lines in JSON. `pretty`: for people, line by line. Neither serving nor stopping waits for
 * it: lines that it does not take wait in a bounded queue, and those that do not fit are dropped and counted.
 * @param format undefined: as the output is a terminal or not
 */
export async function openLogStream(format: 'pretty' | 'json' | undefined): Promise<LogStream> {
  // Node makes pipes, sockets and terminals non-blocking when these are first read. A write that would have to wait
  // then fails with EAGAIN. Source: libuv, uv_pipe_open.
  const { stdout } = process
  if ((format ?? (stdout.isTTY ? 'pretty' : 'json')) === 'json') return queueLines(stdout.fd, longestDelay)
  const { prettyFactory } = await import('pino-pretty') // programs need none of it
  const prettify = prettyFactory({
    colorize: stdout.isTTY === true && !process.env.NO_COLOR,
    singleLine: true,
    translateTime: 'SYS:HH:MM:ss.l',
    ignore: 'pid,hostname',
  })
  const queue = queueLines(stdout.fd, 0)
  return {
    write(lines) {
      for (const line of lines.trimEnd().split('\n')) queue.write(prettify(line))
    },
  }
}

/** Characters that wait for the output at most; about as many bytes. */
const longestQueue = 1_048_576
/** How long the queue waits for a reader that is busy, and after any other error, in ms. */
const retryAfter = { busy: 10, failed: 1_000 }
/** How long the end of the process waits for a reader that is busy, in ms. */
const lastWait = 500
const lastPause = 5

/** Writes a text to the standard error, or drops what that does not take at once. */
export function writeError(text: string): void {
  const { stderr } = process // non-blocking from here on, as the standard output
  attempt(() => writeSync(stderr.fd, text))
}

const tell = (text: string) => writeError(`${text}\n`)

/**
 * Writes lines some at a time, as each write costs more than its text; those that wait at the end are written on exit.
 * @param delay how long a line waits for others, in ms
 */
function queueLines(fd: number, delay: number): LogStream {
  const chunks: string[] = []
  /** the rest of a chunk of which a part is written */
  let begun: Buffer = Buffer.alloc(0)
  /** characters in `chunks` */
  let length = 0
  let dropped = 0
  let isFaultTold = false
  /** whether the output did not take all of the last write */
  let isBlocked = false
  let timer: NodeJS.Timeout | undefined

  function tellFault(reason: string): void {
    if (!isFaultTold)
      tell(
        `The log can't be written (${reason}). Up to 1 MiB of lines waits until it can, all others are dropped.`,
      )
    isFaultTold = true
  }

  /** Writes as much as the output takes. @returns why not all of it */
  function writeAll(): Error | undefined {
    return attempt(() => {
      while (begun.length > 0 || chunks.length > 0) {
        if (begun.length === 0) {
          const next = chunks.shift() ?? ''
          length -= next.length
          begun = Buffer.from(next)
        }
        begun = begun.subarray(writeSync(fd, begun))
      }
    })
  }

  function flush(): void {
    clearTimeout(timer)
    timer = undefined
    const error = writeAll()
    if (error) {
      if (!isBusy(error)) tellFault(error.message)
      timer = setTimeout(flush, isBusy(error) ? retryAfter.busy : retryAfter.failed).unref()
      isBlocked = true
      return
    }
    isBlocked = false
    if (!isFaultTold) return
    tell(`The log can be written again. ${dropped} lines were dropped.`)
    isFaultTold = false
    dropped = 0
  }

  function add(lines: string): void {
    const last = chunks.length - 1
    const text = chunks[last]
    if (text === undefined || text.length + lines.length > chunk) chunks.push(lines)
    else chunks[last] = text + lines
    length += lines.length
  }

  process.once('exit', () => {
    const end = performance.now() + lastWait
    let error = writeAll()
    while (error && isBusy(error) && dropped === 0 && performance.now() < end) {
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, lastPause) // nothing else waits in an exiting process
      error = writeAll()
    }
    const lost = dropped + linesIn(begun.toString()) + linesIn(chunks.join(''))
    if (lost > 0)
      tell(`The process ends and ${lost} lines of the log are lost${error ? `: ${error.message}` : '.'}`)
  })

  return {
    write(lines) {
      if (!isBlocked && length + lines.length > chunk) flush()
      if (isBlocked && length + begun.length + lines.length > longestQueue) {
        dropped += linesIn(lines)
        tellFault('its reader does not read')
        return
      }
      add(lines)
      if (isBlocked) return
      if (delay === 0 || length >= chunk) flush()
      else timer ??= setTimeout(flush, delay).unref()
    },
  }
}

const linesIn = (text: string) => text.split('\n').length - 1

const isBusy = (error: NodeJS.ErrnoException) => error.code === 'EAGAIN'

/** Does what may fail. @returns the error, if any */
function attempt(act: () => unknown): Error | undefined {
  try {
    act()
    return undefined
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error))
  }
}
