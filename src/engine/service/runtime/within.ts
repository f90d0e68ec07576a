/** Awaits work for some time (in ms), and then returns `otherwise`. The work itself goes on. */
export async function within<T, F>(milliseconds: number, work: Promise<T>, otherwise: F): Promise<T | F> {
  const { promise, resolve } = Promise.withResolvers<F>()
  const timer = setTimeout(resolve, Math.max(0, milliseconds), otherwise)
  try {
    return await Promise.race([work, promise])
  } finally {
    clearTimeout(timer)
  }
}
