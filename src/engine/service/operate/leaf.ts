import type { Options, Values } from '../command/arguments.ts'
import type { Argument, Command, Outcome } from '../command/command.ts'
import type { Call } from './call.ts'

/** One of the operators' commands: it has a call for the database, and takes --json. */
export function leaf<const O extends Options = Record<never, never>>({
  argument,
  run,
  ...command
}: Pick<Command, 'text' | 'more' | 'example'> & {
  argument?: Argument
  options?: O
  run(values: Values<O>, argument: string | undefined, call: Call): Promise<Outcome>
}): Command {
  return {
    ...command,
    isData: true,
    isPrivate: true,
    arguments: argument ? [argument] : [],
    async load() {
      const { withCalls } = await import('./call.ts')
      return { run: (values: never, [positionals]) => withCalls(call => run(values, positionals, call)) }
    },
  }
}
