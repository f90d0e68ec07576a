import { readContract } from '../src/contract.ts'
import { DirectoryInUse } from '../src/database/lock.ts'
import type { Db } from '../src/database/tables.ts'
import type { Contract } from '../src/engine/contract.ts'
import { daysUntil } from '../src/engine/replies/lifecycle.ts'
import { callersOf, told } from '../src/store/deprecated-calls.ts'
import { runCommand } from './arguments.ts'
import { withDatabase } from './with-database.ts'

const usage = `Usage: npm run deprecations

Lists each deprecated operation, how long it still works, and which keys still call it.`

async function list({ facts }: Contract, db: Db, now: Date): Promise<void> {
  for (const [id, { method, path, deprecation }] of facts) {
    if (!deprecation?.sunset) continue
    const left = daysUntil(deprecation.sunset, now)
    const when =
      left > 0 ? `ends on ${deprecation.sunset}, ${left} days left` : `ended on ${deprecation.sunset}`
    const instead = deprecation.successor ? `; use ${deprecation.successor.operationId}` : ''
    console.log(`${id} (${method} ${path}): ${when}${instead}`)
    const callers = await callersOf(db, id, now)
    if (callers.length === 0) console.log(`  no key called it in the last ${told} days`)
    for (const { id: keyId, name, calls, lastDay } of callers)
      console.log(`  key ${keyId} (${name}): ${calls} calls in the last ${told} days, the last on ${lastDay}`)
  }
}

await runCommand({ usage }, async () => {
  const contract = await readContract()
  await withDatabase(db => list(contract, db, new Date())).catch((error: unknown) => {
    if (!(error instanceof DirectoryInUse)) throw error
    throw new Error(
      'The server is running on the embedded database, which one process at a time can open: stop it first.',
    )
  })
  return 0
})
