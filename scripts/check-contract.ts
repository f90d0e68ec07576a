import { readContract } from '../src/contract.ts'
import { openResources } from '../src/resources.ts'
import { buildServer, unwrittenOf } from '../src/server.ts'
import { Misuse, runCommand, wholeNumber } from './arguments.ts'
import { type Called, checkCalls } from './contract/calls.ts'
import { beforeSunsets, checkContract, type Outcome, type Task } from './contract/check.ts'
import { emptyDatabase } from './contract/empty-database.ts'
import { checkInHalves } from './contract/halves.ts'
import type { Fault } from './contract/report.ts'
import { openStarted } from './contract/world.ts'
import { rules } from './document/rules.ts'

const usage = `Usage: npm run check:contract -- [--seed N] [--now DATE-TIME] [--operation ID]… [--bail]

Runs the service on an empty database and holds every reply against spec/openapi.yaml, with requests made from the
document alone. Another seed draws other requests; seed and time, printed with a fault, bring the same ones back.
--bail stops at the first fault. While handlers are still to be written, and for a document that is not held to all rules of this
project (scripts/document/rules.ts), each operation is only called as the document allows and as it does not.`

const options = {
  seed: { type: 'string', default: '1' },
  now: { type: 'string', default: new Date().toISOString() },
  operation: { type: 'string', multiple: true },
  bail: { type: 'boolean' },
} as const

/** Tells what calls have shown. */
function told({ faults, undeclared, unfit, requests }: Called): number {
  for (const fault of faults) console.error(fault)
  console.log(`${requests} requests, made from the document, to the operations whose handlers are written`)
  for (const [status, operations] of undeclared)
    console.log(`note: ${status} is answered and not declared by ${shortList([...operations])}`)
  for (const text of unfit) console.log(`note: ${text}`)
  if (faults.length > 0) console.error(`${faults.length} faults`)
  return faults.length > 0 ? 1 : 0
}

function shortList(names: readonly string[]): string {
  const shown = names.slice(0, 5).join(', ')
  return names.length > 5 ? `${shown} and ${names.length - 5} more` : shown
}

function onSteps({ operation, message }: Fault, steps: string, isAgain: boolean): void {
  const what = isAgain ? 'the fewest requests that show it' : 'what had been asked before'
  console.error(`${operation}: ${message}\n    ${what}:\n    ${steps}`)
}

/** What each probe has done, in columns. */
function tableOf(rows: Outcome['rows']): string {
  const width = Math.max(...[...rows.keys()].map(name => name.length))
  const line = (cells: readonly (string | number)[], left = '') =>
    `${cells.map((cell, i) => (i === 0 ? String(cell).padEnd(width) : String(cell).padStart(10))).join('  ')}  ${left}`
  return [
    line(['probe', 'requests', 'records', 'assertions'], 'left out, in part or whole'),
    ...[...rows].map(([name, { requests, records, assertions, left }]) =>
      line([name, requests, records, assertions], [...left].join('; ')),
    ),
  ]
    .map(text => text.trimEnd())
    .join('\n')
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
  const unwritten = new Set(unwrittenOf(contract))
  if (unwritten.size > 0 || rules !== 'full') {
    const written = model.operations.filter(
      ({ id }) => !unwritten.has(id) && (values.operation?.includes(id) ?? true),
    )
    return checkCalls(contract, db, written).then(told).finally(close)
  }
  const service = { contract, buildServer, openResources }
  const check = part || values.bail ? checkContract : (task: Task) => checkInHalves(task, now)
  const { faults, rows, requests, declared, missing, unproven } = await check({
    model,
    open: setting => openStarted(service, db, beforeSunsets(model, now), setting),
    seed,
    only: part,
    untilFault: values.bail === true,
    onFault({ operation, message, evidence }) {
      console.error(`${operation}: ${message}${evidence ? `\n    ${evidence}` : ''}`)
    },
    ...(!values.bail && { onSteps }),
    onProgress: what => process.stderr.isTTY && console.error(`… ${what}`),
  }).finally(close)
  console.log(tableOf(rows))
  console.log(
    `${requests} requests; ${declared - missing.length} of ${declared} declared statuses, codes, headers, properties and values were seen`,
  )
  console.log(`unproven, as it is told in prose alone:${unproven.map(what => `\n  ${what}`).join('')}`)
  if (faults.length === 0) return 0
  console.error(`${faults.length} faults; again with --seed ${seed} --now ${now.toISOString()}`)
  return 1
})
