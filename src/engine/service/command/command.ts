import { visibleLine } from 'spec-served-document/visible-text'
import { aligned, flag, type Options, optionLines, type Values } from './arguments.ts'
import { operate } from './project.ts'

/** The exit codes of all commands. An unreadable file is a failure. */
export const exitCodes = { done: 0, failed: 1, misuse: 2 } as const

/** The result of a command, the same for programs and for people. */
export interface Outcome {
  json: unknown
  lines: readonly string[]
  /** lines about what is wrong */
  errors?: readonly string[]
  /** the exit code; 0 where it says none */
  code?: number
}

/** An argument that is no option. */
export interface Argument {
  name: string
  text?: string
  choices?: readonly string[]
  isDirectory?: boolean
}

/** The commands below a command; they may be made of the project's document. */
type Commands = Readonly<Record<string, Command>>

/** A command: it runs, or holds others. Its work is loaded when it runs, so that `--help` needs none of it. */
export interface Command {
  text: string
  /** how the root of all is called */
  program?: string
  /** what the root says besides of a command that it has not */
  missing?: string | undefined
  /** Explains what no line of --help can. */
  more?: string
  /** a use of it, without the program's name */
  example?: string
  /** the headings under which help lists its commands, each with their names; others come last */
  groups?: Readonly<Record<string, readonly string[]>>
  /** the words behind the name, if they are not its arguments and options */
  usages?: readonly string[]
  arguments?: readonly Argument[]
  options?: Options
  /** whether its result is data, for `--json` */
  isData?: boolean
  commands?: Commands | (() => Promise<Commands>)
  /** the one of them that is meant where none is named */
  usual?: string
  /** whether the files that it writes are for the owner alone */
  isPrivate?: boolean
  load?(): Promise<{ run(values: never, given: string[]): Promise<Outcome | number> }>
}

/** Gives the values of a command's options their types. */
export function leaf<const O extends Options = Record<never, never>>(
  command: Omit<Command, 'options' | 'load'> & {
    options?: O
    load(): Promise<{
      run(values: Values<O> & { json: boolean }, given: string[]): Promise<Outcome | number>
    }>
  },
): Command {
  return command
}

/** Returns the commands below a command. */
export async function commandsOf({ commands = {} }: Command): Promise<Commands> {
  return typeof commands === 'function' ? commands() : commands
}

/** Returns the options that a command takes, those of every one too. */
export const optionsOf = ({ options, isData }: Command): Options => ({
  ...options,
  ...(isData && { json: flag('prints JSON, failures too') }),
  help: flag('says what the command takes'),
})

const ending =
  'Every command takes --help. Exit codes: 0 done; 1 refused or failed; 2 wrong use, nothing was done.'

/** Returns the help of a command. @param path the words that lead to it */
export async function helpOf(path: readonly string[], command: Command, program = operate): Promise<string> {
  const { arguments: positionals = [], more, text, usual, usages } = command
  const usage = [`Usage: ${program}`, ...path].join(' ')
  const paragraph = `${text.charAt(0).toUpperCase()}${text.slice(1)}.${more ? `${more.includes('\n') ? '\n' : ' '}${more}` : ''}`
  if (command.commands) {
    const name = usual === undefined ? 'COMMAND' : `[COMMAND] (${usual} where none is named)`
    const lines = groupsOf(await commandsOf(command), command.groups ?? {})
    return [`${usage} ${name}`, '', ...lines, '', more ?? ending, ...(more ? [ending] : [])].join('\n')
  }
  const forms = usages ?? [[...positionals.map(({ name }) => name), '[OPTIONS]'].join(' ')]
  return [
    ...forms.map((form, index) => `${index === 0 ? usage : usage.replace('Usage:', '      ')} ${form}`),
    '',
    paragraph,
    '',
    ...aligned(
      positionals.flatMap(({ name, text: description }) =>
        description === undefined ? [] : [[name, description] as const],
      ),
    ),
    ...optionLines(optionsOf(command)),
    ...(command.example === undefined ? [] : ['', `Example: ${program} ${command.example}`]),
  ].join('\n')
}

/** The lines of commands, under their headings if there are some. */
function groupsOf(commands: Commands, groups: NonNullable<Command['groups']>): string[] {
  const named = Object.values(groups).flat()
  const rest = Object.keys(commands).filter(name => !named.includes(name))
  const all: [string, readonly string[]][] = Object.entries(groups)
  if (all.length > 0 && rest.length > 0) all.push(['Others', rest])
  const shown = all.length > 0 ? all.map(([, names]) => names) : [rest]
  const texts = aligned(shown.flat().map(name => [name, commands[name]?.text ?? '']))
  return shown.flatMap((names, index) => {
    const lines = texts.splice(0, names.length)
    const [heading] = all[index] ?? []
    return heading === undefined ? lines : [...(index > 0 ? [''] : []), `${heading}:`, ...lines]
  })
}

/** Returns the result of a check by what it has found. */
export const faultsOutcome = (faults: readonly string[]): Outcome => ({
  json: faults,
  lines: [],
  errors: faults,
  code: faults.length > 0 ? exitCodes.failed : exitCodes.done,
})

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
