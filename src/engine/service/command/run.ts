import { failureText, visibleText } from 'spec-served-document/visible-text'
import { Misuse, Refused } from '../runtime/command.ts'
import { missingPart } from '../runtime/installed.ts'
import { didYouMean, readArguments } from './arguments.ts'
import { type Command, commandsOf, exitCodes, helpOf, optionsOf } from './command.ts'
import { operate } from './project.ts'

/** A command's output, fit for a terminal whatever names it holds, and its exit code. */
export interface CommandResult {
  code: number
  stdout: string
  stderr: string
}

/** Runs the command that the arguments of the process name. It prints the output and sets the exit code. */
export async function main(root: Command): Promise<void> {
  const { code, stdout, stderr } = await perform(root, process.argv.slice(2), () => void process.umask(0o077))
  if (stdout !== '') console.log(stdout)
  if (stderr !== '') console.error(stderr)
  process.exitCode = code
}

/**
 * Runs the command that arguments name; never throws. A long one prints some of its output itself.
 * @param keepPrivate is called before a command whose files are for the owner alone
 */
export async function perform(
  root: Command,
  args: readonly string[],
  keepPrivate: () => void = () => {},
): Promise<CommandResult> {
  let found: Found = { path: [], command: root, rest: [] }
  try {
    found = await find(root, args)
    if (found.command.isPrivate) keepPrivate()
    return await run(found, root)
  } catch (error) {
    const isMisuse = error instanceof Misuse
    const message = missingPart(error) ?? failureText(error)
    const code = isMisuse ? exitCodes.misuse : exitCodes.failed
    const { command } = found
    // No command that is one of several was found: whoever asks for JSON gets it.
    if ((optionsOf(command).json || command.commands) && args.includes('--json')) {
      const body = error instanceof Refused ? error.body : { code: isMisuse ? 'misuse' : 'failed', message }
      return { code, stdout: jsonOf(body), stderr: '' }
    }
    const line = [root.program ?? operate, ...found.path, '--help'].join(' ')
    const help = isMisuse ? `\n\`${line}\` lists ${command.commands ? 'the commands' : 'what it takes'}.` : ''
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
async function find(root: Command, args: readonly string[]): Promise<Found> {
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
    const below = await commandsOf(command)
    const next = Object.hasOwn(below, word) ? below[word] : undefined
    if (!next) break
    path.push(word)
    command = next
    rest = rest.slice(1)
  }
  return { path, command, rest }
}

async function run({ path, command, rest }: Found, { program, missing }: Command): Promise<CommandResult> {
  const [word = '-'] = rest
  if (command.commands && !word.startsWith('-')) {
    const similar = didYouMean(word, Object.keys(await commandsOf(command)))
    throw new Misuse(`There is no command ${word}${similar}${missing ? `. ${missing}` : ''}`)
  }
  const { values, positionals } = readArguments(optionsOf(command), command.arguments?.length ?? 0, rest)
  if (values.help) return { code: exitCodes.done, stdout: await helpOf(path, command, program), stderr: '' }
  if (!command.load) throw new Misuse('Name a command')
  const work = await command.load() // a wrong use and --help need nothing of it
  // The values are as the command's options say.
  const outcome = await work.run(values as never, positionals)
  if (typeof outcome === 'number') return { code: outcome, stdout: '', stderr: '' }
  const { json, lines, errors = [], code = exitCodes.done } = outcome
  if (values.json) return { code, stdout: jsonOf(json), stderr: '' }
  return { code, stdout: visibleText(lines.join('\n')), stderr: visibleText(errors.join('\n')) }
}

/** For programs, and for the people who look what these are given. */
const jsonOf = (value: unknown) => visibleText(JSON.stringify(value, null, 2))
