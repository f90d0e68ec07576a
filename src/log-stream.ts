import { destination } from 'pino'

/** Where log lines go, one at a time. */
export interface LogStream {
  write(line: string): void
}

/**
 * The standard output, for log lines in JSON. `pretty`: for people, line by line.
 */
export async function openLogStream(format: 'pretty' | 'json'): Promise<LogStream> {
  if (format === 'json') return inChunks()
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

/** Characters that are written at once. */
const chunk = 16_384
/** How long a line waits for others, in ms. */
const longest = 100

/**
 * Lines are written some at a time, as each write costs more than what it writes. pino's destination could do so too, but
 * counts all that waits again at each line.
 */
function inChunks(): LogStream {
  const output = destination({ dest: 1, sync: false })
  let waiting = ''
  let timer: NodeJS.Timeout | undefined
  const write = () => {
    clearTimeout(timer)
    timer = undefined
    output.write(waiting)
    waiting = ''
  }
  process.once('exit', () => {
    if (waiting === '') return
    write()
    output.flushSync()
  })
  return {
    write(line) {
      waiting += line
      if (waiting.length >= chunk) write()
      else timer ??= setTimeout(write, longest)
    },
  }
}
