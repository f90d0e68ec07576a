import { type Command, commandsOf, optionsOf } from './command.ts'
import { packageName } from './project.ts'

/** The shells that completion is written for. */
export const shells = ['bash', 'zsh'] as const

const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`

/** Words as `compgen -W` takes them: it runs what is not quoted, and a document names plans and scopes. */
const listed = (words: readonly string[]) =>
  quoted(words.map(word => (/^[\w.:-]+$/.test(word) ? word : quoted(word))).join(' '))

/** Each command by the words that lead to it. Those that the project's document names are absent outside of a project. */
async function walk(command: Command, path = ''): Promise<Walked[]> {
  const below = Object.entries(await commandsOf(command).catch(() => ({})))
  const all = await Promise.all(below.map(([name, subcommand]) => walk(subcommand, `${path} ${name}`.trim())))
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
 * Returns the script by which a shell completes a program's commands under its own name: `spec-served`, as in
 * `source <(npx spec-served completion bash)`. Where no such program is in the PATH, npx runs the project's.
 */
export async function completionOf(shell: (typeof shells)[number], root: Command): Promise<string> {
  const all = await walk(root)
  const pathsOf = (some: typeof all) => some.map(({ path }) => quoted(path)).join('|')
  const lines = [
    `command -v ${packageName} > /dev/null || ${packageName}() { npx ${packageName} "$@"; }`,
    '_spec_served() {',
    `  local current="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD-1]}" at= next= words= i=1`,
    '  while [ "$i" -lt "$COMP_CWORD" ]; do',
    `    next="\${at:+$at }\${COMP_WORDS[i]}"`,
    `    case "$next" in ${pathsOf(all)}) at="$next" ;; esac`,
    '    i=$((i + 1))',
    '  done',
    '  case "$at:$before" in',
    ...all.flatMap(valueCases),
    '    *) case "$at" in',
    ...all.map(node => `      ${quoted(node.path)}) words=${listed(nextWords(node))} ;;`),
    '    esac ;;',
    '  esac',
    `  COMPREPLY=( $(compgen -W "$words" -- "$current") )`,
    `  case "$at" in ${pathsOf(all.filter(({ command }) => command.arguments?.[0]?.isDirectory))})`,
    `    COMPREPLY+=( $(compgen -d -- "$current") ) ;;`,
    '  esac',
    '}',
    `complete -F _spec_served ${packageName}`,
  ]
  const zsh = ['autoload -Uz compinit bashcompinit', '(( $+functions[compdef] )) || compinit', 'bashcompinit']
  return [...(shell === 'zsh' ? zsh : []), ...lines].join('\n')
}
