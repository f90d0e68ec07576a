import { parseArgs } from 'node:util'
import { readDocument } from '../src/contract/document.ts'
import { openDatabase } from '../src/database/connect.ts'
import { migrateToLatest } from '../src/database/migrate.ts'
import { openResources } from '../src/resources.ts'
import { buildServer } from '../src/server.ts'
import { checkContract } from './contract/check.ts'
import type { OpenApi } from './document/model.ts'

const usage = `Usage: npm run check:contract -- [--seed N] [--now DATE-TIME] [--operation ID]…

Runs the service on a database in memory and holds every reply against spec/openapi.yaml, with requests made from the
document alone. Another seed draws other requests; seed and time, printed with a fault, bring the same ones back.`

const { seed, now, operation } = readArguments()

function readArguments() {
  try {
    const { values } = parseArgs({
      options: {
        seed: { type: 'string', default: '1' },
        now: { type: 'string', default: new Date().toISOString() },
        operation: { type: 'string', multiple: true },
      },
    })
    const read = { ...values, seed: Number(values.seed), now: new Date(values.now) }
    if (!Number.isSafeInteger(read.seed) || Number.isNaN(read.now.getTime()))
      throw new TypeError('--seed is an integer, --now a date-time')
    return read
  } catch (error) {
    console.error(`${(error as Error).message}\n\n${usage}`) // parseArgs and the line above throw Errors
    process.exit(2)
  }
}

const document = await readDocument()
const known = document.value as unknown as OpenApi // the types are generated from it
const { db, close } = await openDatabase({ kind: 'embedded', dataDir: null })
await migrateToLatest(db)
const { faults, requests, declared, seen } = await checkContract({
  document: known,
  service: { document, buildServer, openResources },
  database: db,
  seed,
  now,
  only: operation && { operations: new Set(operation), limits: false, known },
  onFault: fault =>
    console.error(`${fault.operation}: ${fault.message}${fault.evidence ? `\n    ${fault.evidence}` : ''}`),
  onProgress: what => process.stderr.isTTY && console.error(`… ${what}`),
})
await close()
console.log(
  `${requests} requests; ${seen} of ${declared} declared statuses, headers, properties and values were seen`,
)
if (faults.length > 0) {
  console.error(`${faults.length} faults; again with --seed ${seed} --now ${now.toISOString()}`)
  process.exitCode = 1
}
