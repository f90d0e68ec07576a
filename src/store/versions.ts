import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Versions } from '../engine/replies/etag.ts'

/** Whether a row still has one of the versions given: part of the write itself, so that nothing comes in between. */
export function isOneOf(column: string, versions: Versions): RawBuilder<SqlBool> {
  return sql<SqlBool>`${sql.ref(column)} = any(${versions ?? []}::integer[])`
}
