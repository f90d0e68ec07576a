/**
 * The public interface of the engine, and the only way into it. Everything else may change with any release.
 */
export type { Caller, WindowState } from './service/callers/caller.ts'
export type { Checker, Checkers } from './service/callers/security.ts'
export type { Contract } from './service/contract/contract.ts'
export { unlessViolated } from './service/database/failures.ts'
export type { Migration, Migrations } from './service/database/migration.ts'
export { afterAllIds, beforeAllIds, type PageSize, pageSizeFor, rowIs } from './service/database/pages.ts'
export {
  anyOf,
  type ColumnsOf,
  changedColumns,
  isAccepted,
  type Parameter,
  rowsOf,
  statementsOn,
} from './service/database/statements.ts'
export type { DbOf, Tables as ServiceTables } from './service/database/tables.ts'
export { type Refusal, refusal, refusalError } from './service/errors/api-error.ts'
export {
  type Answer,
  type Handler,
  type Handlers,
  type Input,
  inOneStatement,
  type OperationIdOf,
  type Reply,
  type ReplyWith,
  type ReturnStatusAndBody,
  stub,
  type ToolName,
  type Tools,
  type ToolsOf,
  type Types,
} from './service/handler.ts'
export { createService, type Settings, servicePlugin } from './service/process/create.ts'
export {
  defineService,
  type Service,
  type ServiceParts,
  type ShownTable,
  type ShownTables,
} from './service/process/definition.ts'
export { serve } from './service/process/service.ts'
export { etagOf, type Versions } from './service/replies/etag.ts'
