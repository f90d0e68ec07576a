import { resolve } from 'node:path'
import { common, type Group, type Leaf } from './command.ts'

type Commands = Readonly<Record<string, Group | Leaf>>

/** The shells that completion is written for. */
export const shells = ['bash', 'zsh'] as const

const home = resolve(import.meta.dirname, '../..')
const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`
const optionsOf = (command: Group | Leaf) => ({
  ...('options' in command ? command.options : {}),
  ...common,
})

/** Each command by the words that lead to it; '' is where none is given yet. */
function* walk(commands: Commands, path = ''): Generator<{ path: string; command: Group | Leaf }> {
  for (const [name, command] of Object.entries(commands)) {
    const here = `${path} ${name}`.trim()
    yield { path: here, command }
    if ('commands' in command) yield* walk(command.commands, here)
  }
}

/** What may stand next where a command has been named. */
function nextWords(command: Group | Leaf): string {
  const options = Object.keys(optionsOf(command)).map(name => `--${name}`)
  const first = 'commands' in command ? Object.keys(command.commands) : (command.argument?.choices ?? [])
  return [...first, ...options].join(' ')
}

/** The cases of `command:option` whose value is no free text, and one for each option whose value is. */
function valueCases({ path, command }: { path: string; command: Group | Leaf }): string[] {
  return Object.entries(optionsOf(command)).flatMap(([name, option]) =>
    option.type === 'string'
      ? [`    ${quoted(`${path}:--${name}`)}) words=${quoted((option.choices ?? []).join(' '))} ;;`]
      : [],
  )
}

/**
 * What a shell reads to know the command `petstore` and what may follow it, for example by
 * `source <(npm run --silent petstore -- completion bash)`.
 */
export function completionOf(shell: (typeof shells)[number], tree: Commands): string {
  const all = [...walk(tree)]
  const paths = all.map(({ path }) => quoted(path)).join('|')
  const directories = all.filter(({ command }) => 'argument' in command && command.argument?.isDirectory)
  const lines = [
    `petstore() { (cd ${quoted(home)} && node_modules/.bin/node scripts/petstore.ts "$@"); }`,
    '_petstore() {',
    `  local current="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD-1]}" at= next= words= i=1`,
    '  while [ "$i" -lt "$COMP_CWORD" ]; do',
    `    next="\${at:+$at }\${COMP_WORDS[i]}"`,
    `    case "$next" in ${paths}) at="$next" ;; esac`,
    '    i=$((i + 1))',
    '  done',
    '  case "$at:$before" in',
    ...all.flatMap(valueCases),
    '    *) case "$at" in',
    `      '') words=${quoted([...Object.keys(tree), '--help'].join(' '))} ;;`,
    ...all.map(({ path, command }) => `      ${quoted(path)}) words=${quoted(nextWords(command))} ;;`),
    '    esac ;;',
    '  esac',
    `  COMPREPLY=( $(compgen -W "$words" -- "$current") )`,
    ...(directories.length > 0
      ? [
          `  case "$at" in ${directories.map(({ path }) => quoted(path)).join('|')}) COMPREPLY+=( $(compgen -d -- "$current") ) ;; esac`,
        ]
      : []),
    '}',
    'complete -F _petstore petstore',
  ]
  const zsh = ['autoload -Uz compinit bashcompinit', '(( $+functions[compdef] )) || compinit', 'bashcompinit']
  return [...(shell === 'zsh' ? zsh : []), ...lines].join('\n')
}
