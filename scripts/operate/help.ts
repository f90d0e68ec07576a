import { common, type Group, type Leaf, type Option } from './command.ts'

const aligned = (pairs: [string, string][]) => {
  const width = Math.max(...pairs.map(([name]) => name.length))
  return pairs.map(([name, text]) => `  ${name.padEnd(width)}  ${text}`)
}

const optionLines = (options: Readonly<Record<string, Option>>) =>
  aligned(
    Object.entries(options).map(([name, option]) => [
      option.type === 'string' ? `--${name} ${option.value}` : `--${name}`,
      option.text,
    ]),
  )

const commandLines = (commands: Readonly<Record<string, Group | Leaf>>) =>
  aligned(Object.entries(commands).map(([name, { text }]) => [name, text]))

const ending = `Every command takes --json and --help. Exit codes: 0 done; 1 refused or failed; 2 wrong use, nothing was done.
While a server runs on an embedded database it carries the command out itself; nothing has to be stopped.`

/** What a command takes. */
export function helpOf(path: readonly string[], command: Group | Leaf): string {
  const usage = `Usage: npm run petstore -- ${path.join(' ')}`
  if ('commands' in command) {
    const name = command.usual === undefined ? 'COMMAND' : `[COMMAND] (${command.usual} where none is named)`
    return [`${usage} ${name}`, '', ...commandLines(command.commands), '', ending].join('\n')
  }
  const { argument, text, more } = command
  return [
    `${usage}${argument ? ` ${argument.name}` : ''} [OPTIONS]`,
    '',
    `${text.charAt(0).toUpperCase()}${text.slice(1)}.${more ? ` ${more}` : ''}`,
    '',
    ...(argument ? aligned([[argument.name, argument.text]]) : []),
    ...optionLines({ ...command.options, ...common }),
  ].join('\n')
}

/** What there is. */
export function overview(tree: Readonly<Record<string, Group | Leaf>>): string {
  return [
    'Usage: npm run petstore -- COMMAND',
    '',
    ...commandLines(tree),
    '',
    `${ending} \`npm run petstore -- COMMAND --help\` tells more.`,
  ].join('\n')
}
