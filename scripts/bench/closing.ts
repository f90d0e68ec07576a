/** What is to be ended, whatever happens, last opened first. */
export interface Closing {
  add(step: () => unknown): void
  close(): Promise<void>
}

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** Runs `work` and takes away what it listens to signals with: it would end the process before all is closed. */
export async function deafened<T>(work: () => Promise<T>): Promise<T> {
  const before = new Set(signals.flatMap(signal => process.listeners(signal)))
  const result = await work()
  for (const signal of signals)
    for (const listener of process.listeners(signal)) if (!before.has(listener)) process.off(signal, listener)
  return result
}

/** Runs `work`; at its end, and at a signal, all that it opened is closed. */
export async function withClosing<T>(work: (closing: Closing) => Promise<T>): Promise<T> {
  const steps: (() => unknown)[] = []
  let closed: Promise<void> | undefined
  const close = () => {
    closed ??= (async () => {
      for (const step of steps.toReversed()) {
        try {
          await step()
        } catch {
          // the others are to be ended all the same
        }
      }
    })()
    return closed
  }
  const stop = () => {
    console.log('\nStopping …')
    void close().finally(() => process.exit(130))
  }
  for (const signal of signals) process.once(signal, stop)
  try {
    return await work({ add: step => steps.push(step), close })
  } finally {
    await close()
    for (const signal of signals) process.off(signal, stop)
  }
}
