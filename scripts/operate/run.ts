import { Misuse, Refused } from '../../src/commands/command.ts'
import { failureText, visibleLine, visibleText } from '../../src/visible-text.ts'
import { known, readArguments } from '../arguments.ts'
import { common, type Group, type Leaf } from './command.ts'
import { helpOf, overview } from './help.ts'
import { tree } from './tree.ts'

type Commands = Readonly<Record<string, Group | Leaf>>

/** The words that name a command, and the arguments that follow them. @throws WrongUse */
function find(args: readonly string[]): {
  path: string[]
  command: Group | Leaf | undefined
  rest: string[]
} {
  const path: string[] = []
  let command: Group | Leaf | undefined
  let commands: Commands | undefined = tree
  let rest = [...args]
  while (commands) {
    const [word] = rest
    if (word === undefined || word.startsWith('-')) {
      const usual = command && 'commands' in command ? command.usual : undefined
      if (usual === undefined || rest.includes('--help')) break
      rest.unshift(usual)
      continue
    }
    const next: Group | Leaf | undefined = Object.hasOwn(commands, word) ? commands[word] : undefined
    if (!next)
      throw new WrongUse(
        `There is no command ${word}${known(word, Object.keys(commands))}`,
        helpAt(path, command),
      )
    path.push(word)
    command = next
    rest = rest.slice(1)
    commands = 'commands' in next ? next.commands : undefined
  }
  return { path, command, rest }
}

/**
 * What a command has to say, fit for a terminal whatever names it holds, and its exit code: 0 done; 1 refused or failed;
 * 2 wrong use, nothing was done.
 */
interface Told {
  code: number
  stdout: string
  stderr: string
}

/** Runs an operator's command; never throws. */
export async function runPetstore(args: string[]): Promise<Told> {
  try {
    return { ...(await run(args)), stderr: '' }
  } catch (error) {
    const isMisuse = error instanceof Misuse
    const text = visibleText(failureText(error))
    const code = isMisuse ? 2 : 1
    if (!args.includes('--json'))
      return { code, stdout: '', stderr: error instanceof WrongUse ? `${text}\n\n${error.help}` : text }
    const body =
      error instanceof Refused
        ? error.body
        : { code: isMisuse ? 'misuse' : 'failed', message: failureText(error) }
    return { code, stdout: jsonOf(body), stderr: '' }
  }
}

/** @returns what is to be printed, and the exit code */
async function run(args: string[]): Promise<{ stdout: string; code: number }> {
  const { path, command, rest } = find(args)
  const isLeaf = command && !('commands' in command)
  const options = isLeaf ? { ...command.options, ...common } : common
  try {
    const { values, positionals } = readArguments(options, isLeaf && command.argument ? 1 : 0, rest)
    if (values.help) return { stdout: helpAt(path, command), code: 0 }
    if (!isLeaf) throw new Misuse('Name a command')
    const { withCalls } = await import('./call.ts') // a wrong use and --help need no database
    // The values are as the command's options say.
    const {
      json,
      lines,
      code = 0,
    } = await withCalls(call => command.run(values as never, positionals[0], call))
    return { stdout: values.json ? jsonOf(json) : lines.map(visibleLine).join('\n'), code }
  } catch (error) {
    throw error instanceof Misuse ? new WrongUse(error.message, helpAt(path, command)) : error
  }
}

/** For programs, and for the people who look what these are given. */
const jsonOf = (value: unknown) => visibleText(JSON.stringify(value, null, 2))

const helpAt = (path: string[], command: Group | Leaf | undefined) =>
  command ? helpOf(path, command) : overview(tree)

/** A misuse, and the help of the command that it is about. */
class WrongUse extends Misuse {
  readonly help: string
  constructor(message: string, help: string) {
    super(message)
    this.help = help
  }
}
