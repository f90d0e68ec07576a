import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { openMigrated } from '../../src/engine/service/database/connect.ts'
import type { Migrations } from '../../src/engine/service/database/migration.ts'
import { templateFor } from '../../src/engine/service/database/template.ts'

/** Keeps an embedded database without rows, of which a first start makes its own. */
export async function keepTemplate(migrations: Migrations): Promise<void> {
  const template = templateFor(migrations)
  if (existsSync(template)) return
  const folder = dirname(template)
  rmSync(folder, { recursive: true, force: true }) // those of earlier migrations
  mkdirSync(folder, { recursive: true })
  const dataDir = mkdtempSync(join(folder, 'new-'))
  const { close } = await openMigrated({ kind: 'embedded', dataDir }, migrations)
  await close()
  renameSync(join(dataDir, 'postgres'), template) // whole, or not at all
  rmSync(dataDir, { recursive: true })
}
