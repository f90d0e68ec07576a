import { visibleLine } from '../../service/runtime/visible-text.ts'
import { aligned, flag, type Options, optionLines, type Values } from '../command/arguments.ts'
import { operate } from '../command/project.ts'
import type { Call } from './call.ts'

/** The result of a command, the same for programs and for people. */
export interface Outcome {
  json: unknown
  lines: string[]
  /** the exit code; 0 where it says none */
  code?: number
}

/** One of the operators' commands: it runs, or holds others. */
export interface Command {
  text: string
  /** Explains what no line of --help can. */
  more?: string
  argument?: { name: string; text: string; choices?: readonly string[]; isDirectory?: boolean }
  options?: Options
  commands?: Readonly<Record<string, Command>>
  /** the one of them that is meant where none is named */
  usual?: string
  run?(values: never, argument: string | undefined, call: Call): Promise<Outcome>
}

/** Gives the values of a command's options their types. */
export function leaf<const O extends Options = Record<never, never>>(
  command: Omit<Command, 'options' | 'run'> & {
    options?: O
    run(values: Values<O>, argument: string | undefined, call: Call): Promise<Outcome>
  },
): Command {
  return command
}

/** The options that a command takes, those of every one too. */
export const optionsOf = (command: Command): Options => ({
  ...command.options,
  json: flag('print JSON, failures too'),
  help: flag('say what the command takes'),
})

const ending = `Every command takes --json and --help. Exit codes: 0 done; 1 refused or failed; 2 wrong use, nothing was done.
While a server runs on an embedded database it carries the command out itself; nothing has to be stopped.`

/** Returns the help of a command. @param path the words that lead to it */
export function helpOf(path: readonly string[], command: Command): string {
  const { argument, commands, more, text, usual } = command
  const usage = [`Usage: ${operate}`, ...path].join(' ')
  if (commands) {
    const name = usual === undefined ? 'COMMAND' : `[COMMAND] (${usual} where none is named)`
    const lines = aligned(Object.entries(commands).map(([name, { text }]) => [name, text]))
    return [`${usage} ${name}`, '', ...lines, '', ending].join('\n')
  }
  return [
    `${usage}${argument ? ` ${argument.name}` : ''} [OPTIONS]`,
    '',
    `${text.charAt(0).toUpperCase()}${text.slice(1)}.${more ? ` ${more}` : ''}`,
    '',
    ...(argument ? aligned([[argument.name, argument.text]]) : []),
    ...optionLines(optionsOf(command)),
  ].join('\n')
}

/** Rows under the names of their columns, each as wide as its widest value. */
export function table(columns: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const lines = [columns, ...rows].map(line => line.map(visibleLine))
  const widths = columns.map((_, index) => Math.max(...lines.map(line => line[index]?.length ?? 0)))
  return lines.map(line =>
    line
      .map((text, index) => text.padEnd(widths[index] ?? 0))
      .join('  ')
      .trimEnd(),
  )
}
