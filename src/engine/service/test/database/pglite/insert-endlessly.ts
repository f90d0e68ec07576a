import { writeSync } from 'node:fs'
import { service } from 'spec-served-lab/support/petstore'
import { openStore } from 'spec-served-lab/support/tables'
import { migrateToLatest } from '../../../database/migrate.ts'

// Run by directory.test.ts as a process of its own: stores categories until killed and reports each once it is stored.
const { db } = await openStore({ kind: 'embedded', dataDir: process.argv[2] ?? '' })
await migrateToLatest(db, service.migrations)
for (;;) {
  const name = crypto.randomUUID()
  const { id } = await db
    .insertInto('categories')
    .values({ name, name_key: name, description: null })
    .returning('id')
    .executeTakeFirstOrThrow()
  writeSync(1, `${id}\n`)
}
