/**
 * The pet store, which is the first user of the engine. The engine's tests reach it here alone; `store.ts` starts it in
 * their process.
 */
export { migrations } from '../../../../migrations/index.ts'
export { startOptions } from '../../../../scripts/start/options.ts'
export { linkPackages } from '../../../../test/support/copy.ts'
export { failToStart, type RunningServer, startProcess } from '../../../../test/support/process.ts'
export { apply, commandsOf, type Step, stepsOf, writtenIn } from '../../../../test/support/recipes.ts'
export { operations, rateLimits } from '../../../generated/operations.ts'
export type { paths } from '../../../generated/schema.ts'
export type { Handlers, Own } from '../../../handlers/handler.ts'
export { default as service } from '../../../server.ts'
export { findCategory, insertCategory } from '../../../store/categories.ts'
export { type Database, type Db, prepared, type Tables } from '../../../store/tables.ts'
export { foldName } from '../../../store/text.ts'
