import { known, Misuse } from '../../tools/command/arguments.ts'

/** The options of a command that plays scenarios. */
export const scenarioOptions = {
  short: { type: 'boolean' },
  only: { type: 'string', default: '' },
  record: { type: 'boolean' },
} as const

/**
 * The names that begin with what `--only` says; all where it is not given.
 * @throws Misuse
 */
export function chosenFrom(names: readonly string[], only: string): string[] {
  const chosen = names.filter(name => name.startsWith(only))
  if (chosen.length === 0) throw new Misuse(`There is no scenario ${only}${known(only, names)}`)
  return chosen
}
