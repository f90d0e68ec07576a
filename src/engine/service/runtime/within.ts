/**
 * Awaits work for some time (in ms), and then returns `otherwise`. The work itself goes on. Whatever has arrived by then
 * counts: a process that stood still itself has not read it yet.
 */
export async function within<T, F>(milliseconds: number, work: Promise<T>, otherwise: F): Promise<T | F> {
  const { promise, resolve } = Promise.withResolvers<F>()
  const timer = setTimeout(() => setImmediate(resolve, otherwise), Math.max(0, milliseconds))
  try {
    return await Promise.race([work, promise])
  } finally {
    clearTimeout(timer)
  }
}
