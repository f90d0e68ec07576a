import { Misuse } from '../runtime/command.ts'
import { flag } from './arguments.ts'
import { type Command, leaf } from './command.ts'
import { completionOf, shells } from './completion.ts'
import { operate, packageName, version } from './project.ts'

/** The parts of a program. */
interface Program extends Pick<Command, 'groups' | 'missing'> {
  commands: Readonly<Record<string, Command>>
  /** how it is called */
  program?: string
}

/** Returns the root of commands, with one that completes them. */
export function rootWith({ commands, program = operate, ...more }: Program): Command {
  const root: Command = {
    program,
    ...more,
    ...leaf({
      text: 'serves an OpenAPI document',
      more: `This is ${packageName} ${version}.`,
      options: { version: flag('says the version') },
      load: async () => ({
        async run(values) {
          if (!values.version) throw new Misuse('Name a command')
          return { json: version, lines: [version] }
        },
      }),
    }),
    commands: {
      ...commands,
      completion: leaf({
        text: 'prints a script by which a shell completes these commands',
        example: 'completion bash',
        arguments: [{ name: 'SHELL', text: shells.join(' or '), choices: shells }],
        more: `For bash: source <(${program} completion bash).`,
        isData: true,
        load: async () => ({
          async run(_, [name]) {
            const shell = shells.find(shellName => shellName === name)
            if (!shell) throw new Misuse(`Name a shell, ${shells.join(' or ')}`)
            const text = await completionOf(shell, root)
            return { json: text, lines: text.split('\n') }
          },
        }),
      }),
    },
  }
  return root
}
