import { resolve } from 'node:path'
import { type Command, commandsOf, optionsOf } from './command.ts'
import { isOwnRepository, packageName } from './project.ts'

/** The shells that completion is written for. */
export const shells = ['bash', 'zsh'] as const

const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`

/** Words as `compgen -W` takes them: it runs what is not quoted, and a document names plans and scopes. */
const listed = (words: readonly string[]) =>
  quoted(words.map(word => (/^[\w.:-]+$/.test(word) ? word : quoted(word))).join(' '))

/** Each command by the words that lead to it. */
async function walk(command: Command, path = ''): Promise<Walked[]> {
  const below = Object.entries(await commandsOf(command))
  const all = await Promise.all(below.map(([name, one]) => walk(one, `${path} ${name}`.trim())))
  return [{ path, command, names: below.map(([name]) => name) }, ...all.flat()]
}

/** A command, the words that lead to it, and the names of those below it. */
interface Walked {
  path: string
  command: Command
  names: string[]
}

/** Returns the words that may follow a command. */
function nextWords({ command, names }: Walked): string[] {
  const options = Object.keys(optionsOf(command)).map(name => `--${name}`)
  return [...names, ...(command.arguments?.[0]?.choices ?? []), ...options]
}

/** The cases of `command:option` whose value is no free text, and one for each option whose value is. */
function valueCases({ path, command }: Walked): string[] {
  const options = Object.entries(optionsOf(command)).filter(([, { type }]) => type === 'string')
  return options.map(
    ([name, { choices = [] }]) => `    ${quoted(`${path}:--${name}`)}) words=${listed(choices)} ;;`,
  )
}

/**
 * Returns the script by which a shell completes the command `petstore`, for example for
 * `source <(npm run --silent petstore -- completion bash)`.
 */
export async function completionOf(shell: (typeof shells)[number], root: Command): Promise<string> {
  const all = await walk(root)
  const pathsOf = (some: typeof all) => some.map(({ path }) => quoted(path)).join('|')
  const program = isOwnRepository ? 'node_modules/.bin/node src/engine/test/cli.ts' : `npx ${packageName}`
  const lines = [
    `petstore() { (cd ${quoted(resolve('.'))} && ${program} "$@"); }`,
    '_petstore() {',
    `  local current="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD-1]}" at= next= words= i=1`,
    '  while [ "$i" -lt "$COMP_CWORD" ]; do',
    `    next="\${at:+$at }\${COMP_WORDS[i]}"`,
    `    case "$next" in ${pathsOf(all)}) at="$next" ;; esac`,
    '    i=$((i + 1))',
    '  done',
    '  case "$at:$before" in',
    ...all.flatMap(valueCases),
    '    *) case "$at" in',
    ...all.map(one => `      ${quoted(one.path)}) words=${listed(nextWords(one))} ;;`),
    '    esac ;;',
    '  esac',
    `  COMPREPLY=( $(compgen -W "$words" -- "$current") )`,
    `  case "$at" in ${pathsOf(all.filter(({ command }) => command.arguments?.[0]?.isDirectory))})`,
    `    COMPREPLY+=( $(compgen -d -- "$current") ) ;;`,
    '  esac',
    '}',
    'complete -F _petstore petstore',
  ]
  const zsh = ['autoload -Uz compinit bashcompinit', '(( $+functions[compdef] )) || compinit', 'bashcompinit']
  return [...(shell === 'zsh' ? zsh : []), ...lines].join('\n')
}
