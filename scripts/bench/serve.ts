import { readDocument } from '../../src/contract.ts'
import { openDatabase } from '../../src/database/connect.ts'
import { migrateToLatest } from '../../src/database/migrate.ts'
import { hashKey, mintKey, previewKey } from '../../src/keys/api-key.ts'
import { openResources } from '../../src/resources.ts'
import { buildServer } from '../../src/server.ts'
import { insertApiKey } from '../../src/store/api-keys.ts'
import { loadSampleStore } from '../../src/store/sample.ts'

/** Serves the sample store from memory until its parent ends it; with `ungated`, without keys and limits. */
const { db } = await openDatabase({ kind: 'embedded', dataDir: null })
await migrateToLatest(db)
await loadSampleStore(db)
const key = mintKey()
await insertApiKey(db, {
  name: 'Bench',
  preview: previewKey(key),
  hash: hashKey(key),
  plan: 'Enterprise',
  quotas: { minute: 1_000_000, day: 1_000_000_000 },
  scopes: ['read', 'write'],
  createdAt: new Date(),
  expiresAt: null,
})
const app = await buildServer(await readDocument(), await openResources(db), {
  ungated: process.argv[2] === 'ungated',
})
const url = await app.listen({ host: '127.0.0.1', port: 0 })
process.send?.({ url, key })
process.once('disconnect', () => process.kill(process.pid))
