import type { Service } from 'spec-served'
import { type OpenDatabase, openMigrated } from 'spec-served/internal/database/connect'

/** A migrated embedded database without a row, in memory. */
export const emptyDatabase = ({ migrations }: Pick<Service, 'migrations'>): Promise<OpenDatabase> =>
  openMigrated({ kind: 'embedded', dataDir: null }, migrations)
