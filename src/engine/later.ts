/** A value that is there already, or will be: what is asked on each request and mostly known waits for no promise. */
export type Later<T> = T | Promise<T>

/** Goes on with a value as soon as it is there: at once, where it is. */
export function andThen<T, U>(value: Later<T>, next: (value: T) => Later<U>): Later<U> {
  return value instanceof Promise ? value.then(next) : next(value)
}
