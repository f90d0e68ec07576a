import { loadEnvFile, readConfig } from '../src/config.ts'
import { openDatabase } from '../src/database/connect.ts'
import { DirectoryInUse } from '../src/database/lock.ts'
import { migrateToLatest } from '../src/database/migrate.ts'
import { operations } from '../src/generated/operations.ts'
import { daysUntil, type LifecycleFacts } from '../src/http/lifecycle.ts'
import { callersOf, told } from '../src/store/deprecated-calls.ts'

/** Every operation may be deprecated one day, whatever the document says today. */
const lifecycles: Record<string, LifecycleFacts & { method: string; path: string }> = operations

/** Lists each deprecated operation, how long it still works, and which keys still call it. */
async function main(): Promise<void> {
  loadEnvFile()
  const now = new Date()
  const { db, close } = await openDatabase(readConfig(process.env).database)
  try {
    await migrateToLatest(db)
    for (const [id, { method, path, deprecation }] of Object.entries(lifecycles)) {
      if (!deprecation) continue
      const left = daysUntil(deprecation.sunset, now)
      const when =
        left > 0 ? `ends on ${deprecation.sunset}, ${left} days left` : `ended on ${deprecation.sunset}`
      const instead = deprecation.successor ? `; use ${deprecation.successor.operationId}` : ''
      console.log(`${id} (${method} ${path}): ${when}${instead}`)
      const callers = await callersOf(db, id, now)
      if (callers.length === 0) console.log(`  no key called it in the last ${told} days`)
      for (const { id: keyId, name, calls, lastDay } of callers)
        console.log(
          `  key ${keyId} (${name}): ${calls} calls in the last ${told} days, the last on ${lastDay}`,
        )
    }
  } finally {
    await close()
  }
}

main().catch((error: unknown) => {
  if (error instanceof DirectoryInUse)
    console.error(
      'The server is running on the embedded database, which one process at a time can open: stop it first.',
    )
  else console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
})
