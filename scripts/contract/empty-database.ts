import { type OpenDatabase, openMigrated } from '../../src/database/connect.ts'

/** A migrated embedded database without a row, in memory. */
export const emptyDatabase = (): Promise<OpenDatabase> => openMigrated({ kind: 'embedded', dataDir: null })
