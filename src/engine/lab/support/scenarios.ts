import { didYouMean, Misuse } from 'spec-served/internal/command/arguments'

/** The options of a command that plays scenarios. */
export interface ScenarioWishes {
  short: boolean
  /** the beginning of the names */
  only: string
  /** whether the figures of those that hold are kept */
  record: boolean
}

/** Ends the process as soon as its exit code is set: the callers of a scenario that broke off would go on. */
export const endSoon = () => setImmediate(() => process.exit())

/**
 * The names that begin with what `--only` says; all where it is not given.
 * @throws Misuse
 */
export function chosenFrom(names: readonly string[], only: string): string[] {
  const chosen = names.filter(name => name.startsWith(only))
  if (chosen.length === 0) throw new Misuse(`There is no scenario ${only}${didYouMean(only, names)}`)
  return chosen
}
