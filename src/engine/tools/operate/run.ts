import { Misuse, Refused } from '../../service/runtime/command.ts'
import { failureText, visibleLine, visibleText } from '../../service/runtime/visible-text.ts'
import { known, readArguments } from '../command/arguments.ts'
import { type Command, helpOf, optionsOf } from './command.ts'
import { root } from './tree.ts'

/**
 * A command's output, fit for a terminal whatever names it holds. Its exit code is 0 for done, and 1 for refused or
 * failed. It is 2 for wrong use, after which nothing was done.
 */
interface Told {
  code: number
  stdout: string
  stderr: string
}

/** Runs an operator's command; never throws. */
export async function runPetstore(args: string[]): Promise<Told> {
  const found = find(args)
  try {
    return { ...(await run(found)), stderr: '' }
  } catch (error) {
    const isMisuse = error instanceof Misuse
    const message = failureText(error)
    const code = isMisuse ? 2 : 1
    if (args.includes('--json')) {
      const body = error instanceof Refused ? error.body : { code: isMisuse ? 'misuse' : 'failed', message }
      return { code, stdout: jsonOf(body), stderr: '' }
    }
    const help = isMisuse ? `\n\n${helpOf(found.path, found.command)}` : ''
    return { code, stdout: '', stderr: visibleText(message) + help }
  }
}

/** A command, the words that name it, and the arguments that follow them. */
interface Found {
  path: string[]
  command: Command
  rest: string[]
}

/** Finds the command that the first arguments name, as far as they name one. */
function find(args: readonly string[]): Found {
  const path: string[] = []
  let command = root
  let rest = [...args]
  while (command.commands) {
    const [word] = rest
    if (word === undefined || word.startsWith('-')) {
      if (command.usual === undefined || rest.includes('--help')) break
      rest.unshift(command.usual)
      continue
    }
    const next = Object.hasOwn(command.commands, word) ? command.commands[word] : undefined
    if (!next) break
    path.push(word)
    command = next
    rest = rest.slice(1)
  }
  return { path, command, rest }
}

/** @returns the output, and the exit code */
async function run({ path, command, rest }: Found): Promise<{ stdout: string; code: number }> {
  const [word = '-'] = rest
  if (command.commands && !word.startsWith('-'))
    throw new Misuse(`There is no command ${word}${known(word, Object.keys(command.commands))}`)
  const { values, positionals } = readArguments(optionsOf(command), command.argument ? 1 : 0, rest)
  if (values.help) return { stdout: helpOf(path, command), code: 0 }
  const start = command.run?.bind(command)
  if (!start) throw new Misuse('Name a command')
  const { withCalls } = await import('./call.ts') // a wrong use and --help need no database
  // The values are as the command's options say.
  const { json, lines, code = 0 } = await withCalls(call => start(values as never, positionals[0], call))
  return { stdout: values.json ? jsonOf(json) : lines.map(visibleLine).join('\n'), code }
}

/** For programs, and for the people who look what these are given. */
const jsonOf = (value: unknown) => visibleText(JSON.stringify(value, null, 2))
