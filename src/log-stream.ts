import { writeSync } from 'node:fs'

/** Where log lines go, one at a time. */
export interface LogStream {
  write(line: string): void
}

/** The most bytes of one write that a pipe keeps together among those of other processes. Source: Linux, PIPE_BUF. */
const atomicWrite = 4_096
/** Characters that are written at once, about. */
const largestWrite = 65_536
/** How long a line in JSON waits for others, in ms. */
const longestDelay = 100

/**
 * The standard output, for log lines in JSON. `pretty`: for people, line by line. Neither serving nor stopping waits for
 * it: lines that it does not take wait in a bounded queue, and those that do not fit are dropped and counted.
 * @param format undefined: as the output is a terminal or not
 * @param isShared whether other processes write to the same output
 */
export async function openLogStream(
  format: 'pretty' | 'json' | undefined,
  isShared = false,
): Promise<LogStream> {
  // Node makes pipes, sockets and terminals non-blocking when these are first read. A write that would have to wait
  // then fails with EAGAIN. Source: libuv, uv_pipe_open.
  const { stdout, stderr } = process
  const tell = (text: string) => {
    if (stderr.writable) attempt(() => writeSync(stderr.fd, `${text}\n`)) // it may be full, too
  }
  const chunk = isShared ? atomicWrite : largestWrite
  if ((format ?? (stdout.isTTY ? 'pretty' : 'json')) === 'json')
    return queueLines(stdout.fd, { chunk, delay: longestDelay, tell })
  const { prettyFactory } = await import('pino-pretty') // programs need none of it
  const prettify = prettyFactory({
    colorize: stdout.isTTY === true && !process.env.NO_COLOR,
    singleLine: true,
    translateTime: 'SYS:HH:MM:ss.l',
    ignore: 'pid,hostname',
  })
  const queue = queueLines(stdout.fd, { chunk, delay: 0, tell })
  return { write: line => queue.write(prettify(line)) }
}

/** Characters that wait for the output at most; about as many bytes. */
const longestQueue = 1_048_576
/** How long the queue waits for a reader that is busy, and after any other error, in ms. */
const retryAfter = { busy: 10, failed: 1_000 }
/** How long the end of the process waits for a reader that is busy, in ms. */
const lastWait = 500
const lastPause = 5

interface QueueOptions {
  /** characters of one write at most, unless one line has more */
  chunk: number
  /** how long a line waits for others, in ms */
  delay: number
  /** Tells an operator that lines are lost. */
  tell(text: string): void
}

/** Writes lines some at a time, as each write costs more than its text; those that wait at the end are written on exit. */
function queueLines(fd: number, { chunk, delay, tell }: QueueOptions): LogStream {
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

  function add(line: string): void {
    const last = chunks.length - 1
    const text = chunks[last]
    if (text === undefined || text.length + line.length > chunk) chunks.push(line)
    else chunks[last] = text + line
    length += line.length
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
    write(line) {
      if (!isBlocked && length + line.length > chunk) flush()
      if (isBlocked && length + begun.length + line.length > longestQueue) {
        dropped++
        tellFault('its reader does not read')
        return
      }
      add(line)
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
