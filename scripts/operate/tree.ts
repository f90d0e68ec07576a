import { Misuse } from '../arguments.ts'
import { copies } from './backup.ts'
import type { Call } from './call.ts'
import { type Group, type Leaf, leaf, type Outcome } from './command.ts'
import { completionOf, shells } from './completion.ts'
import { keys } from './keys.ts'

async function migrate(
  name: 'migrate.status' | 'migrate.up' | 'migrate.down',
  call: Call,
  what?: string,
): Promise<Outcome> {
  const { moved, steps } = await call(name, {})
  const told = what === undefined ? [] : [moved.length > 0 ? `${what} ${moved.join(', ')}` : 'nothing to do']
  const lines = steps.map(({ name, takenAt }) => `${takenAt ?? 'not taken'.padEnd(24)}  ${name}`)
  return { json: { moved, steps }, lines: [...told, ...lines] }
}

async function listDeprecations(call: Call): Promise<Outcome> {
  const { days, operations } = await call('deprecations', {})
  const lines = operations.flatMap(({ operationId, method, path, sunset, daysLeft, successor, callers }) => {
    const when = daysLeft > 0 ? `ends on ${sunset}, ${daysLeft} days left` : `ended on ${sunset}`
    const instead = successor === null ? '' : `; use ${successor}`
    const told = callers.map(
      ({ id, name, calls, lastDay }) =>
        `  key ${id} (${name}): ${calls} calls in the last ${days} days, the last on ${lastDay}`,
    )
    return [
      `${operationId} (${method} ${path}): ${when}${instead}`,
      ...(told.length > 0 ? told : [`  no key called it in the last ${days} days`]),
    ]
  })
  return { json: operations, lines }
}

/** Everything that operators do from a shell. */
export const tree: Readonly<Record<string, Group | Leaf>> = {
  keys,
  migrate: {
    text: 'bring the database to the form of this version, or back',
    usual: 'up',
    commands: {
      status: leaf({
        text: 'show the steps, and which are taken',
        options: {},
        run: (_, __, call) => migrate('migrate.status', call),
      }),
      up: leaf({
        text: 'take all steps that are not taken yet, as each start does',
        options: {},
        run: (_, __, call) => migrate('migrate.up', call, 'took'),
      }),
      down: leaf({
        text: 'take the last step back, with the data that it holds',
        options: {},
        run: (_, __, call) => migrate('migrate.down', call, 'took back'),
      }),
    },
  },
  deprecations: leaf({
    text: 'list what is deprecated, how long it works, and which keys still call it',
    options: {},
    run: (_, __, call) => listDeprecations(call),
  }),
  ...copies,
  completion: leaf({
    text: 'print what a shell reads to complete these commands',
    argument: { name: 'SHELL', text: shells.join(' or '), choices: shells },
    options: {},
    more: 'For bash: source <(npm run --silent petstore -- completion bash)',
    async run(_, name) {
      const shell = shells.find(known => known === name)
      if (!shell) throw new Misuse(`Name a shell, ${shells.join(' or ')}`)
      const text = completionOf(shell, tree)
      return { json: text, lines: [text] }
    },
  }),
}
