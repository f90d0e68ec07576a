import 'spec-served/internal/command/compile-cache'
import { main } from 'spec-served/internal/command/run'
import { rootWith } from 'spec-served/internal/command/tree'
import { labCommands } from './commands.ts'

// The commands that prove and measure the packages.
await main(rootWith({ commands: labCommands, program: 'npm run lab --' }))
