// Written by `npm run generate`.
export { keyCommands } from '../commands/keys.ts'
