import type * as engine from 'spec-served'
import type { operations as facts } from '../generated/operations.ts'
import type { components, operations } from '../generated/schema.ts'
import type { Tables } from '../store/tables.ts'

export interface Own {
  operations: operations
  facts: typeof facts
  components: components
  tables: Tables
}

export type OperationId = engine.OperationIdOf<Own>
export type Reply<Id extends OperationId> = engine.Reply<Own, Id>
export type Handlers = engine.Handlers<Own>

/**
 * Handles one operation. It knows nothing of HTTP except the declared statuses.
 * `Handler<'getUsage', 'limits' | 'caller'>` uses those two tools. Its callers need no others.
 */
export type Handler<Id extends OperationId, Uses extends engine.ToolName<Own, Id> = 'db'> = engine.Handler<
  Own,
  Id,
  Uses
>
