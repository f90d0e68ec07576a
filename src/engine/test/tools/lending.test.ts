import { expect, test } from 'vitest'
import { runScript } from '../support/command.ts'

// `npm run petstore -- test:lending` does the same on the packed package, and much more.
test.each([['lint'], ['generate', '--check'], ['check:written'], ['check:routes'], ['check:database']])(
  'the lending library passes %s',
  async (...[name, ...args]) => {
    const { code, output } = await runScript(name ?? '', args, 'src/engine/test/lending')
    expect(code, output).toBe(0)
  },
)
