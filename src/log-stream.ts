import { destination } from 'pino'

/** Where log lines go, one at a time. */
export interface LogStream {
  write(line: string): void
}

/** What a write into a pipe may have to stay in one piece among those of other processes, in bytes. Source: Linux, PIPE_BUF. */
const wholeWrite = 4_096

/**
 * The standard output, for log lines in JSON. `pretty`: for people, line by line.
 * @param format undefined: as the output is a terminal or not
 * @param isShared whether other processes write to the same output
 */
export async function openLogStream(
  format: 'pretty' | 'json' | undefined,
  isShared = false,
): Promise<LogStream> {
  if ((format ?? (process.stdout.isTTY ? 'pretty' : 'json')) === 'json')
    return inChunks(isShared ? wholeWrite : undefined)
  const { default: pretty } = await import('pino-pretty') // programs need none of it
  return pretty({
    destination: 1,
    sync: true,
    colorize: process.stdout.isTTY === true && !process.env.NO_COLOR,
    singleLine: true,
    translateTime: 'SYS:HH:MM:ss.l',
    ignore: 'pid,hostname',
  })
}

/** Characters that are written at once, about. */
const chunk = 65_536
/** How long a line waits for others, in ms. */
const longest = 100

/**
 * Lines are written some at a time, as each write costs more than what it writes. pino's destination could do so too, but
 * counts all that waits again at each line.
 * @param most bytes in one write, unless one line has more; absent: it does not matter
 */
function inChunks(most?: number): LogStream {
  // pino would write a chunk in four.
  const output = destination({ dest: 1, sync: false, maxWrite: most ?? 2 * chunk })
  let waiting = ''
  let timer: NodeJS.Timeout | undefined
  const write = () => {
    clearTimeout(timer)
    timer = undefined
    output.write(waiting)
    waiting = ''
  }
  process.once('exit', () => {
    output.flushSync()
    // Nothing that is only begun here would be ended.
    if (waiting !== '') destination({ dest: 1, sync: true }).write(waiting)
  })
  return {
    write(line) {
      // Characters are bytes here: what is logged of a request is ASCII.
      if (most !== undefined && waiting !== '' && waiting.length + line.length > most) write()
      waiting += line
      if (waiting.length >= chunk) write()
      else timer ??= setTimeout(write, longest).unref() // what waits at the end is written on exit
    },
  }
}
