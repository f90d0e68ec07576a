import { readContract } from '../src/contract.ts'
import { openResources } from '../src/resources.ts'
import { buildServer } from '../src/server.ts'
import { Misuse, runCommand, wholeNumber } from './arguments.ts'
import { checkContract } from './contract/check.ts'
import { emptyDatabase } from './contract/empty-database.ts'
import type { Fault } from './contract/report.ts'

const usage = `Usage: npm run check:contract -- [--seed N] [--now DATE-TIME] [--operation ID]… [--bail]

Runs the service on an empty database and holds every reply against spec/openapi.yaml, with requests made from the
document alone. Another seed draws other requests; seed and time, printed with a fault, bring the same ones back.
--bail stops at the first fault.`

const options = {
  seed: { type: 'string', default: '1' },
  now: { type: 'string', default: new Date().toISOString() },
  operation: { type: 'string', multiple: true },
  bail: { type: 'boolean' },
} as const

function onSteps({ operation, message }: Fault, steps: string, isAgain: boolean): void {
  const what = isAgain ? 'the fewest requests that show it' : 'what had been asked before'
  console.error(`${operation}: ${message}\n    ${what}:\n    ${steps}`)
}

await runCommand({ usage, options }, async values => {
  const seed = wholeNumber('--seed', values.seed)
  const now = new Date(values.now)
  if (Number.isNaN(now.getTime())) throw new Misuse('--now is a date-time')
  const contract = await readContract()
  const { model } = contract
  const unknown = values.operation?.filter(id => !model.operation(id)) ?? []
  if (unknown.length > 0) throw new Misuse(`There is no operation ${unknown}`)
  const part = values.operation && { operations: new Set(values.operation), limits: false, known: model }

  const { db, close } = await emptyDatabase()
  const { faults, requests, declared, seen, unproven } = await checkContract({
    model,
    service: { contract, buildServer, openResources },
    database: db,
    seed,
    now,
    only: part,
    untilFault: values.bail === true,
    onFault({ operation, message, evidence }) {
      console.error(`${operation}: ${message}${evidence ? `\n    ${evidence}` : ''}`)
    },
    ...(!values.bail && { onSteps }),
    onProgress: what => process.stderr.isTTY && console.error(`… ${what}`),
  }).finally(close)
  console.log(
    `${requests} requests; ${seen} of ${declared} declared statuses, codes, headers, properties and values were seen`,
  )
  console.log(`unproven, as it is told in prose alone:${unproven.map(what => `\n  ${what}`).join('')}`)
  if (faults.length === 0) return 0
  console.error(`${faults.length} faults; again with --seed ${seed} --now ${now.toISOString()}`)
  return 1
})
