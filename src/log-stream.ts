import { destination } from 'pino'

/** Where log lines go, one at a time. */
export interface LogStream {
  write(line: string): void
}

/**
 * The standard output, for log lines in JSON. They are written some at a time, as each write costs more than what it
 * writes. `pretty`: for people, line by line.
 */
export async function openLogStream(format: 'pretty' | 'json'): Promise<LogStream> {
  if (format === 'json') return destination({ dest: 1, sync: false, minLength: 4_096, periodicFlush: 100 })
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
