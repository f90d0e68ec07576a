import { CompiledQuery, type DatabaseConnection, type Driver } from 'kysely'

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
