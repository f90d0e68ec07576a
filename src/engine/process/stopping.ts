import type { FastifyBaseLogger } from 'fastify'

/** Signals that stop a process. A terminal sends SIGHUP when it closes. */
const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** Calls back at the first signal to stop, except for `except`. The next one ends the process as without a listener. */
export function onSignal(stop: (signal: NodeJS.Signals) => void, except: readonly NodeJS.Signals[]): void {
  const names = signals.filter(name => !except.includes(name))
  const listen = (signal: NodeJS.Signals) => {
    for (const name of names) process.off(name, listen)
    stop(signal)
  }
  for (const name of names) process.on(name, listen)
}

/**
 * Stops a process, and logs it. After the timeout it ends: a dead database can't be told to let go.
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
