/** What asks a process to stop. */
const signals = ['SIGINT', 'SIGTERM'] as const

/**
 * npm passes signals on to the program that it runs, which may have had them already: from the terminal, or from
 * whoever ends all processes of a service. Such a copy comes within this time, in ms, and is not meant as a second one.
 */
const copyMs = 250

/** Calls back at the first signal to stop; the next one ends the process at once, as if nobody listened. */
export function onSignal(stop: (signal: NodeJS.Signals) => void): void {
  let isFirst = true
  const listen = (signal: NodeJS.Signals) => {
    if (!isFirst) return
    isFirst = false
    const forget = () => {
      for (const name of signals) process.off(name, listen)
    }
    if (process.env.npm_lifecycle_event === undefined) forget()
    else setTimeout(forget, copyMs).unref()
    stop(signal)
  }
  for (const name of signals) process.on(name, listen)
}
