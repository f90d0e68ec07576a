/**
 * The public interface of the engine, and the only way into it. Everything else may change with any release.
 */

export type { Contract } from 'spec-served-document/contract/contract'
export type { Caller, WindowState } from './callers/caller.ts'
export type { Checker, Checkers } from './callers/security.ts'
export { unlessViolated } from './database/failures.ts'
export type { Migration, Migrations } from './database/migration.ts'
export { afterAllIds, beforeAllIds, type PageSize, pageSizeFor, rowIs } from './database/pages.ts'
export {
  type Arrays,
  anyOf,
  type ColumnsOf,
  changedColumns,
  isAccepted,
  type Parameter,
  rowsOf,
  statementsOn,
} from './database/statements.ts'
export type { DbOf, Tables as ServiceTables } from './database/tables.ts'
export { type Refusal, refusal, refusalError } from './errors/api-error.ts'
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
export { etagOf, type Versions } from './replies/etag.ts'
