import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { PGlite } from '@electric-sql/pglite'
import { Kysely, PGliteDialect } from 'kysely'
import type { TestProject } from 'vitest/node'
import { migrateToLatest } from '../../src/database/migrate.ts'
import { newlyCreatedDatabase } from './data-directory.ts'
import { temporaryDirectory } from './temporary.ts'

/** Makes one migrated embedded database whose contents every test file begins with: loading is faster than creating. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const directory = temporaryDirectory()
  const file = join(directory, 'migrated.tar')
  const pglite = await PGlite.create({
    loadDataDir: new Blob([await readFile(await newlyCreatedDatabase())]),
  })
  await migrateToLatest(new Kysely({ dialect: new PGliteDialect({ pglite }) }))
  await writeFile(file, Buffer.from(await (await pglite.dumpDataDir('none')).arrayBuffer()))
  await pglite.close()
  project.provide('database', { kind: 'pglite', contents: file })
  return () => rm(directory, { recursive: true })
}
