/** Calls back at the first signal to stop; the next one ends the process at once, as if nobody listened. */
export function onSignal(stop: (signal: NodeJS.Signals) => void): void {
  const signals = ['SIGINT', 'SIGTERM'] as const
  const listen = (signal: NodeJS.Signals) => {
    for (const name of signals) process.off(name, listen)
    stop(signal)
  }
  for (const name of signals) process.on(name, listen)
}
