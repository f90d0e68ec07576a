import { writeSync } from 'node:fs'

/** The output of log lines. A call writes one or more lines, each with its line end. */
export interface LogStream {
  write(lines: string): void
}

/** The approximate bytes of one write, and of the queue for an output that takes none. */
const [chunk, longestQueue] = [65_536, 1_048_576]
/** Longest wait of a JSON line for others, in ms. */
const longestDelay = 100
/** Pause of the queue for a busy reader, and after any other error, in ms. */
const [retryBusy, retryFailed] = [10, 1_000]
/** Longest wait for a busy reader at the end of the process, in all and between two tries, in ms. */
const [lastWait, lastPause] = [500, 5]

/**
 * The standard output, for log lines in JSON or pretty for people; without a format, pretty on a terminal. Nothing
 * waits for it. Lines that it does not take wait in a bounded queue. Lines that do not fit are dropped and counted.
 */
export async function openLogStream(format: 'pretty' | 'json' | undefined): Promise<LogStream> {
  // Node makes pipes, sockets and terminals non-blocking at their first read. A write that would have to wait
  // then fails with EAGAIN. Source: libuv, uv_pipe_open.
  const { stdout } = process
  if ((format ?? (stdout.isTTY ? 'pretty' : 'json')) === 'json') return queueLines(stdout.fd, longestDelay)
  const { prettyFactory } = await import('pino-pretty') // only people need it
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

/** Writes a text to the standard error, and drops the part that it does not take at once. */
export function writeError(text: string): void {
  const { stderr } = process // non-blocking from here on, as the standard output
  try {
    writeSync(stderr.fd, text)
  } catch {}
}

const linesIn = (text: string) => text.split('\n').length - 1

/** Writes lines in groups, as each write costs more than its text. A line waits up to `delay` ms for others. */
function queueLines(fd: number, delay: number): LogStream {
  /** in UTF-8, each byte as a character, so that it can be cut wherever the output stops */
  let waiting = ''
  let dropped = 0
  let isFaultTold = false
  /** whether the output did not take all of the last write */
  let isBlocked = false
  let timer: NodeJS.Timeout | undefined

  function tellFault(reason: string): void {
    const rest = 'Up to 1 MiB of lines waits until it can, all others are dropped.'
    if (!isFaultTold) writeError(`The log can't be written (${reason}). ${rest}\n`)
    isFaultTold = true
  }

  /** Writes as much as the output takes. @returns the error that stopped it */
  function writeAll(): NodeJS.ErrnoException | undefined {
    try {
      while (waiting !== '') waiting = waiting.slice(writeSync(fd, waiting.slice(0, chunk), null, 'latin1'))
      return undefined
    } catch (error) {
      return error as NodeJS.ErrnoException // the system throws these errors
    }
  }

  function flush(): void {
    clearTimeout(timer)
    timer = undefined
    const error = writeAll()
    isBlocked = error !== undefined
    if (!error) process.off('exit', writeLast)
    if (error) {
      if (error.code !== 'EAGAIN') tellFault(error.message)
      timer = setTimeout(flush, error.code === 'EAGAIN' ? retryBusy : retryFailed).unref()
    } else if (isFaultTold) {
      writeError(`The log can be written again. ${dropped} lines were dropped.\n`)
      isFaultTold = false
      dropped = 0
    }
  }

  function writeLast(): void {
    const end = performance.now() + lastWait
    let error = writeAll()
    while (error?.code === 'EAGAIN' && dropped === 0 && performance.now() < end) {
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, lastPause) // nothing else waits in an exiting process
      error = writeAll()
    }
    const lost = dropped + linesIn(waiting)
    const reason = error ? `: ${error.message}` : '.'
    if (lost > 0) writeError(`The process ends and ${lost} lines of the log are lost${reason}\n`)
  }

  return {
    write(lines) {
      const bytes = Buffer.from(lines).toString('latin1')
      if (isBlocked && waiting.length + bytes.length > longestQueue) {
        dropped += linesIn(lines)
        tellFault('its reader does not read')
        return
      }
      if (waiting === '') process.once('exit', writeLast)
      waiting += bytes
      if (isBlocked) return
      if (delay === 0 || waiting.length >= chunk) flush()
      else timer ??= setTimeout(flush, delay).unref()
    },
  }
}
