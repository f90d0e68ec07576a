import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { openMigrated } from '../database/connect.ts'
import type { Migrations } from '../database/migration.ts'
import { templateFor } from '../database/template.ts'

/** Keeps an embedded database without rows, of which each new one becomes a copy. Making it takes seconds. */
export async function keepTemplate(migrations: Migrations): Promise<void> {
  const template = templateFor(migrations)
  if (existsSync(template)) return
  mkdirSync(dirname(template), { recursive: true })
  const dataDir = mkdtempSync(join(dirname(template), 'new-'))
  try {
    const { close } = await openMigrated({ kind: 'embedded', dataDir }, migrations)
    await close()
    renameSync(join(dataDir, 'postgres'), template) // whole, or not at all
  } catch (error) {
    if (!existsSync(template)) throw error // another process was first
  } finally {
    rmSync(dataDir, { recursive: true, force: true })
  }
}
