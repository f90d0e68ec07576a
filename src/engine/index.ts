/**
 * The public interface of the engine, and the only way into it. Everything else may change with any release.
 */
export type { Caller, WindowState } from './access/caller.ts'
export type { Checker, Checkers } from './access/security.ts'
export type { Contract } from './contract.ts'
export type { Migration, Migrations } from './database/migration.ts'
export type { DbOf, Tables as ServiceTables } from './database/tables.ts'
export {
  type Answer,
  type Handler,
  type Handlers,
  type Input,
  inOneStatement,
  type OperationIdOf,
  type Reply,
  stub,
  type ToolName,
  type ToolsOf,
  type Types,
} from './handler.ts'
export { createService, type Settings, servicePlugin } from './process/create.ts'
export {
  defineService,
  type Service,
  type ServiceParts,
  type ShownTable,
  type ShownTables,
} from './process/definition.ts'
export { serve } from './process/service.ts'
export { type Refusal, refusal, refusalError } from './replies/api-error.ts'
export { etagOf, type Versions } from './replies/etag.ts'
export { unlessViolated } from './storage/failures.ts'
export { afterAllIds, beforeAllIds, type PageSize, pageSizeFor, rowIs } from './storage/pages.ts'
export {
  anyOf,
  type ColumnsOf,
  changedColumns,
  isAccepted,
  type Parameter,
  rowsOf,
  statementsOn,
} from './storage/statements.ts'
