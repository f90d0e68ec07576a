import { CompiledQuery, type DatabaseConnection, type Driver, type TransactionSettings } from 'kysely'

/** The statement that begins a transaction. */
export function beginning({ isolationLevel, accessMode }: TransactionSettings): string {
  const level = isolationLevel ? ` isolation level ${isolationLevel}` : ''
  return `begin${level}${accessMode ? ` ${accessMode}` : ''}`
}

/**
 * PostgreSQL ends a transaction in which a statement has failed by a rollback, and says so in this word alone.
 * @param command what it answers to a commit
 * @throws Error
 */
export function expectCommitted(command: string | undefined): void {
  if (command === 'ROLLBACK')
    throw new Error('The transaction was rolled back: one of its statements had failed')
}

const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`

async function run(connection: DatabaseConnection, text: string): Promise<void> {
  await connection.executeQuery(CompiledQuery.raw(text))
}

/** The savepoints of a driver, by PostgreSQL's statements. */
export const savepoints = {
  savepoint: (connection, name) => run(connection, `savepoint ${quoted(name)}`),
  rollbackToSavepoint: (connection, name) => run(connection, `rollback to savepoint ${quoted(name)}`),
  releaseSavepoint: (connection, name) => run(connection, `release savepoint ${quoted(name)}`),
} satisfies Partial<Driver>
