import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyBaseLogger } from 'fastify'

/** Signals that stop a process. A terminal sends SIGHUP when it closes. */
const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** A terminal and systemd signal npm and its program, and npm repeats the signal to its program: within this time, in ms. */
const repeatedWithin = 1_000

/**
 * Calls back at the first signal to stop, except for `except`. The next one ends the process as without a listener,
 * unless it is npm's repetition of the first.
 */
export function onSignal(
  stop: (signal: NodeJS.Signals) => void,
  except: readonly NodeJS.Signals[] = [],
): void {
  const names = signals.filter(name => !except.includes(name))
  let first: NodeJS.Signals | undefined
  let position = 0
  const listen = (signal: NodeJS.Signals) => {
    if (first === undefined) {
      first = signal
      position = performance.now()
      stop(signal)
    } else if (signal !== first || performance.now() - position > repeatedWithin) {
      for (const name of names) process.off(name, listen)
      process.kill(process.pid, signal)
    }
  }
  for (const name of names) process.on(name, listen)
}

/** Calls back for each rejection and exception that nothing handles. Node would end the process without a log line. */
export function onLostFailure(tell: (error: unknown) => void): void {
  process.on('unhandledRejection', tell)
  process.on('uncaughtException', tell)
}

/** Lets a process serve for a time (in ms) after it is asked to stop, until load balancers have seen that. */
export async function goOn(
  delayMs: number,
  reason: string,
  { log, retire }: { log: Pick<FastifyBaseLogger, 'info'>; retire(): void },
): Promise<void> {
  retire()
  if (delayMs === 0) return
  log.info(`${reason}: stopping in ${delayMs} ms (SHUTDOWN_DELAY_MS), and serving until then`)
  await sleep(delayMs)
}

/**
 * Stops a process, and logs it. After the timeout it ends: a dead database can't be asked to let go.
 * @param kill ends processes that would outlive this one
 */
export async function stopWithin(
  timeoutMs: number,
  reason: string,
  log: Pick<FastifyBaseLogger, 'info' | 'error'>,
  stop: () => Promise<void>,
  kill: () => void = () => {},
): Promise<void> {
  log.info(`${reason}: stopping`)
  setTimeout(() => {
    log.error(`The stop takes longer than SHUTDOWN_TIMEOUT_MS (${timeoutMs}): ending now`)
    kill()
    process.exit(1)
  }, timeoutMs).unref()
  await stop()
  log.info('stopped')
}
