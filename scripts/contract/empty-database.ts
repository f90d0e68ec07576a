import { type OpenDatabase, openMigrated } from '../../src/engine/database/connect.ts'
import type { Service } from '../../src/engine/index.ts'

/** A migrated embedded database without a row, in memory. */
export const emptyDatabase = ({ migrations }: Pick<Service, 'migrations'>): Promise<OpenDatabase> =>
  openMigrated({ kind: 'embedded', dataDir: null }, migrations)
