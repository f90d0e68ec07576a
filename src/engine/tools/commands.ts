import { aligned, known } from './command/arguments.ts'
import { packageName, version } from './command/project.ts'

/** A command: the module that runs it, and what it says of itself. */
type Command = readonly [load: () => Promise<unknown>, text: string]

const operate = () => import('./petstore.ts')

const commands: Readonly<Record<string, Command>> = {
  init: [() => import('./init.ts'), 'makes a project from a document'],
  dev: [() => import('./dev.ts'), 'serves the document while it is worked on'],
  generate: [() => import('./generate.ts'), 'writes types, facts and stubs from the document'],
  check: [
    () => (rest.some(one => /^--url(=|$)/.test(one)) ? import('./check-contract.ts') : import('./check.ts')),
    'holds code and document against each other, or with --url a running service to its document',
  ],
  'check:contract': [
    () => import('./check-contract.ts'),
    'holds a service, also one that runs at a URL, to its document',
  ],
  'check:breaking': [
    () => import('./check-breaking.ts'),
    'says what changes of the document mean for clients',
  ],
  mock: [() => import('./mock.ts'), 'serves a document with nothing behind it'],
  mcp: [() => import('./mcp.ts'), 'gives an agent the operations of a document as tools'],
  client: [() => import('./client.ts'), 'writes an npm package for clients'],
  add: [() => import('./add.ts'), 'writes an operation into the document'],
  deprecate: [() => import('./deprecate.ts'), 'writes the end of an operation into the document'],
  release: [() => import('./release.ts'), 'freezes the document as the contract of its version'],
  keys: [operate, 'makes, shows and changes API keys'],
  migrate: [operate, 'migrates the database to this version, or back'],
  deprecations: [operate, 'lists what ends, and who still calls it'],
  backup: [operate, 'copies the embedded database'],
  restore: [operate, 'puts a copy in its place'],
}

const usage = `Usage: ${packageName} COMMAND [OPTIONS]

${aligned(Object.entries(commands).map(([name, [, text]]) => [name, text])).join('\n')}

Each takes --help. This is version ${version}.`

const [, , name, ...rest] = process.argv
const command = name !== undefined && Object.hasOwn(commands, name) ? commands[name] : undefined
if (command) {
  const [load] = command
  // A command reads the arguments behind its name; operators' commands are told apart by theirs.
  process.argv.splice(2, process.argv.length, ...(load === operate ? [name ?? ''] : []), ...rest)
  await load()
} else if (name === undefined || name === '--help') console.log(usage)
else if (name === '--version') console.log(version)
else {
  console.error(`There is no command ${name}${known(name, Object.keys(commands))}\n\n${usage}`)
  process.exitCode = 2
}
