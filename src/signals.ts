/** Signals that ask a process to stop; SIGHUP is what a terminal sends that is closed. */
const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/**
 * Calls back at the first signal to stop; the next one ends the process at once, as if nobody listened.
 * @param except the signals that mean something else to this process
 */
export function onSignal(
  stop: (signal: NodeJS.Signals) => void,
  { except = [] }: { except?: readonly NodeJS.Signals[] } = {},
): void {
  const names = signals.filter(name => !except.includes(name))
  const listen = (signal: NodeJS.Signals) => {
    for (const name of names) process.off(name, listen)
    stop(signal)
  }
  for (const name of names) process.on(name, listen)
}
