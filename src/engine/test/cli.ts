import '../tools/command/compile-cache.ts'
import { main } from '../tools/command/run.ts'
import { rootWith } from '../tools/commands.ts'
import { ownCommands } from './commands.ts'

// All commands of the repository: those of the package, and those that prove and measure the engine.
await main(rootWith(ownCommands, 'npm run petstore --'))
