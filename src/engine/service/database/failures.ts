import { type QueryExecutorProvider, sql } from 'kysely'
import { OutcomeUnknown } from '../errors/api-error.ts'

/**
 * Runs a write. If it violates the named constraint, the given outcome is returned. Any other failure is thrown. Only
 * the database can say, without a race, whether a name is free or a record exists. A transaction goes on after the
 * violation, without the write.
 * Source: PostgreSQL error codes, class 23.
 */
export async function unlessViolated<T, const Outcome>(
  db: QueryExecutorProvider & { readonly isTransaction: boolean },
  constraint: string,
  outcome: Outcome,
  write: () => Promise<T>,
): Promise<T | Outcome> {
  // A failure undoes all of a transaction except what came before a savepoint.
  if (db.isTransaction) await sql`savepoint before_write`.execute(db)
  try {
    const written = await write()
    if (db.isTransaction) await sql`release savepoint before_write`.execute(db)
    return written
  } catch (error) {
    const violated = (error as { constraint?: unknown }).constraint // a property of both drivers' errors
    if (!codeOf(error).startsWith('23') || violated !== constraint) throw error
    if (db.isTransaction) await sql`rollback to savepoint before_write`.execute(db)
    return outcome
  }
}

/** Why a database that answers stores nothing, by SQLSTATE. Source: PostgreSQL, errcode_for_file_access. */
const storageFaults: Readonly<Record<string, string>> = {
  '53100': 'its disk is full',
  '25006': 'it can only be read', // another server is the primary now, or an operator froze it
  '42501': 'it may not write there',
  '58000': 'its files can’t be used',
  '58P01': 'its files are gone',
  '58P02': 'its files are gone', // it recreates missing files, over those that it has open
  '58030': 'its disk fails',
}

export const undefinedTable = '42P01'
/** A schema, table, column, function or type that is not there. */
const missingPart = /^(3F000|42P01|42703|42883|42704)$/

/** Whether a statement names a part that the database lacks: somebody removed it, or the statement is wrong. */
export const lacksPart = (error: unknown): boolean => missingPart.test(codeOf(error))

/** Serialisation failures and deadlocks. */
const conflict = /^(40001|40P01)$/
const sequenceAtEnd = '2200H'
/** SQLSTATE query_canceled */
export const canceled = '57014'
/** Classes 08 (connection), 53 (resources) and 57 (operator intervention). */
const transient = /^(08|53|57)[0-9A-Z]{3}$/

/** Returns the code in both drivers' errors; '' if there is none. */
export function codeOf(error: unknown): string {
  const { code } = (error ?? {}) as { code?: unknown } // absent on plain Errors
  return typeof code === 'string' ? code : ''
}

/** Whether PostgreSQL ended or refused a connection. */
const isFatal = (error: object) => 'severity' in error && error.severity === 'FATAL'

/** Whether a statement has waited too long for a lock: SQLSTATE lock_not_available. */
export const isLocked = (error: unknown): boolean => codeOf(error) === '55P03'

/** Whether a statement was refused for its name before it ran: its table changed, or the session lacks the name. */
export function isRefusedByName(error: unknown): boolean {
  const { code, routine } = (error ?? {}) as { code?: unknown; routine?: unknown } // properties of PostgreSQL's errors
  return routine === 'RevalidateCachedQuery' || code === '26000' || code === '42P05'
}

/** Whether a transaction failed for another one, or for a name, and may succeed if it is run again. */
const isConflict = (error: unknown): boolean => conflict.test(codeOf(error)) || isRefusedByName(error)

/** The code of a wait in vain: the system's for a connection, and here also for an answer. */
export const timedOut = 'ETIMEDOUT'
const taken = 'ALL_TAKEN'

/**
 * A database that can't be asked: no connection was made, one was lost, or all are closed. pg, its pool and PGlite say so by
 * words alone. So this is thrown where the service takes, uses and closes their connections.
 */
export class DatabaseUnavailable extends Error {
  override readonly name = 'DatabaseUnavailable'
  /** the cause's, of the system or of PostgreSQL; '': none */
  readonly code: string

  constructor(message: string, { cause, code = codeOf(cause) }: { cause?: unknown; code?: string } = {}) {
    super(message, { cause })
    this.code = code
  }
}

/** Returns the error of a wait for a connection: the database may well answer. @param waited in ms */
export const allTaken = (waited: number): Error =>
  new DatabaseUnavailable(
    `All connections were in use for ${waited} ms: raise DATABASE_POOL_SIZE, or see which statements take long`,
    { code: taken },
  )

/** Returns the error of a connection that was not made. @param isLate whether its time was over */
export function unreachable(cause: unknown, isLate: boolean): unknown {
  if (isDatabaseUnavailable(cause)) return cause
  return isLate
    ? new DatabaseUnavailable('The database let nobody in before the timeout', { cause, code: timedOut })
    : new DatabaseUnavailable('The service got no connection to the database', { cause })
}

/** Returns what the system, a server or a library has said of a failure. */
export const causeOf = (error: unknown): unknown =>
  error instanceof DatabaseUnavailable ? (error.cause ?? error) : error

/** Returns the error for whoever asks a database that is closed. */
export const closed = (): Error => new DatabaseUnavailable('The service has closed the database')

/** Whether a failure means that the database can't answer now, so that a later try may succeed. */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (error instanceof OutcomeUnknown || error instanceof DatabaseUnavailable) return true
  if (!(error instanceof Error)) return false
  const code = codeOf(error)
  const isPassing = transient.test(code) || isConflict(error) || code === sequenceAtEnd
  return isPassing || isFatal(error) || Object.hasOwn(storageFaults, code)
}

/** Returns why the database stores nothing although it answers; undefined for any other failure. */
export function storageFaultOf(error: unknown): string | undefined {
  const code = codeOf(error)
  return Object.hasOwn(storageFaults, code) && !isFatal(Object(error)) ? storageFaults[code] : undefined
}

/** Returns the text for callers of a failure that `isDatabaseUnavailable` accepts. */
export function unavailableText(error: unknown): string {
  const code = codeOf(error)
  if (storageFaultOf(error) !== undefined) return 'The database can’t store anything now; retry soon.'
  if (code === sequenceAtEnd) return 'The database has no identifier left for another record; retry later.'
  if (isConflict(error)) return 'Another request was in the way; retry soon.'
  if (code === canceled) return 'The database was busy with this for too long; retry later.'
  if (code === taken) return 'Too much waits for the database; retry soon.'
  return 'The database does not answer; retry soon.'
}

/** Whether the database refuses a statement for its values (classes 22, 23). Another try would be refused too. */
export function isFaultOfData(error: unknown): boolean {
  const code = codeOf(error)
  return code !== sequenceAtEnd && /^2[23]/.test(code)
}
