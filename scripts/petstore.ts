import '../src/engine/tools/command/compile-cache.ts'
import { existsSync } from 'node:fs'
import { option } from '../src/engine/tools/command/arguments.ts'
import { leaf } from '../src/engine/tools/command/command.ts'
import { main } from '../src/engine/tools/command/run.ts'
import { rootWith } from '../src/engine/tools/commands.ts'

const demo = leaf({
  text: 'drives a running store, and prints what happens',
  more: `Its client knows nothing but the generated types. The variable API_KEY, or the file api-key in DATA_DIR, holds the key.`,
  options: {
    url: option('URL', 'where the store is; else the variable PORT says so'),
    key: option('KEY', 'an API key in their place; others on this machine can see it'),
    animals: option('N', 'how many are added', { default: '40' }),
  },
  load: () => import('./demo.ts'),
})

// An image for production has no tests, and none of the commands that prove and measure the engine.
const place = new URL('../src/engine/test/commands.ts', import.meta.url)
const { ownCommands } = existsSync(place) ? await import('../src/engine/test/commands.ts') : {}
await main(rootWith({ demo, ...ownCommands }, 'npm run petstore --'))
