import { sql } from 'kysely'
import type { Db } from '../database/tables.ts'

/**
 * Runs a write; the violation of the constraint named becomes the outcome given, any other failure is thrown.
 * The database alone can tell, without a race, whether a name is free or a record exists. A transaction goes on after
 * the violation, without the write.
 * Source: PostgreSQL error codes, class 23.
 */
export async function unlessViolated<T, const Outcome>(
  db: Db,
  constraint: string,
  outcome: Outcome,
  write: () => Promise<T>,
): Promise<T | Outcome> {
  // A failure ends all of a transaction but what was done before a savepoint.
  if (db.isTransaction) await sql`savepoint before_write`.execute(db)
  try {
    const written = await write()
    if (db.isTransaction) await sql`release savepoint before_write`.execute(db)
    return written
  } catch (error) {
    const violation = error as { code?: unknown; constraint?: unknown } // what both drivers' errors carry
    if (!String(violation.code).startsWith('23') || violation.constraint !== constraint) throw error
    if (db.isTransaction) await sql`rollback to savepoint before_write`.execute(db)
    return outcome
  }
}

/**
 * Why a database that answers stores nothing: classes 53 (resources) and 58 (system errors: its files are gone, or can't be
 * read), files that its user may not change, and a server that takes no writes, as another one is the primary now.
 */
const unstored = /^(53|58)|^(42501|25006)$/
// Classes 08 (connection) and 57 (operator intervention), serialisation failures, deadlocks, and a sequence at its end.
const transientState = /^(08|57)|^(40001|40P01|2200H)$/
const transientSystem = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ENOENT',
])
const transientMessage =
  /^(Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error|PGlite is closed|driver has already been destroyed)/i

/** Whether a failure means that the database can't answer now, so that a later try may succeed. */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (error instanceof AggregateError) return error.errors.some(isDatabaseUnavailable)
  if (!(error instanceof Error)) return false
  const { code, severity } = error as { code?: unknown; severity?: unknown } // absent on plain Errors
  if (severity === 'FATAL') return true // PostgreSQL ends the connection, or refuses one
  if (typeof code === 'string')
    return transientState.test(code) || unstored.test(code) || transientSystem.has(code)
  return transientMessage.test(error.message)
}

/** Whether the database answers, and can store nothing. */
export function isStorageFault(error: unknown): boolean {
  if (error instanceof AggregateError) return error.errors.some(isStorageFault)
  const { code, severity } = (error ?? {}) as { code?: unknown; severity?: unknown } // what both drivers' errors carry
  return typeof code === 'string' && unstored.test(code) && severity !== 'FATAL'
}

/**
 * Whether the database refuses a statement for the values in it: another try would be refused too (classes 22, 23). A sequence
 * at its end (2200H) is no fault of the values.
 */
export function isFaultOfData(error: unknown): boolean {
  const { code } = (error ?? {}) as { code?: unknown } // what both drivers' errors carry
  return typeof code === 'string' && code !== '2200H' && /^2[23]/.test(code)
}
