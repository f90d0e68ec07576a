import type { Service } from '../../index.ts'
import { type OpenDatabase, openMigrated } from '../../service/database/connect.ts'

/** A migrated embedded database without a row, in memory. */
export const emptyDatabase = ({ migrations }: Pick<Service, 'migrations'>): Promise<OpenDatabase> =>
  openMigrated({ kind: 'embedded', dataDir: null }, migrations)
