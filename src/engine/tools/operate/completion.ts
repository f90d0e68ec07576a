import { resolve } from 'node:path'
import { type Command, optionsOf } from './command.ts'

/** The shells that completion is written for. */
export const shells = ['bash', 'zsh'] as const

const home = resolve(import.meta.dirname, '../../../..')
const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`

/** Words as `compgen -W` takes them: it runs what is not quoted, and a document names plans and scopes. */
const listed = (words: readonly string[]) =>
  quoted(words.map(word => (/^[\w.:-]+$/.test(word) ? word : quoted(word))).join(' '))

/** Each command by the words that lead to it. */
function walk(command: Command, path = ''): [path: string, command: Command][] {
  const below = Object.entries(command.commands ?? {})
  return [[path, command], ...below.flatMap(([name, one]) => walk(one, `${path} ${name}`.trim()))]
}

/** Returns the words that may follow a command. */
function nextWords(command: Command): string[] {
  const options = Object.keys(optionsOf(command)).map(name => `--${name}`)
  return [...Object.keys(command.commands ?? {}), ...(command.argument?.choices ?? []), ...options]
}

/** The cases of `command:option` whose value is no free text, and one for each option whose value is. */
function valueCases([path, command]: [string, Command]): string[] {
  const options = Object.entries(optionsOf(command)).filter(([, { type }]) => type === 'string')
  return options.map(
    ([name, { choices = [] }]) => `    ${quoted(`${path}:--${name}`)}) words=${listed(choices)} ;;`,
  )
}

/**
 * Returns the script by which a shell completes the command `petstore`, for example for
 * `source <(npm run --silent petstore -- completion bash)`.
 */
export function completionOf(shell: (typeof shells)[number], root: Command): string {
  const all = walk(root)
  const pathsOf = (some: typeof all) => some.map(([path]) => quoted(path)).join('|')
  const lines = [
    `petstore() { (cd ${quoted(home)} && node_modules/.bin/node src/engine/tools/petstore.ts "$@"); }`,
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
    ...all.map(([path, command]) => `      ${quoted(path)}) words=${listed(nextWords(command))} ;;`),
    '    esac ;;',
    '  esac',
    `  COMPREPLY=( $(compgen -W "$words" -- "$current") )`,
    `  case "$at" in ${pathsOf(all.filter(([, { argument }]) => argument?.isDirectory))})`,
    `    COMPREPLY+=( $(compgen -d -- "$current") ) ;;`,
    '  esac',
    '}',
    'complete -F _petstore petstore',
  ]
  const zsh = ['autoload -Uz compinit bashcompinit', '(( $+functions[compdef] )) || compinit', 'bashcompinit']
  return [...(shell === 'zsh' ? zsh : []), ...lines].join('\n')
}
