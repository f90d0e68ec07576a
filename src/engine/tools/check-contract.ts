import { readFile } from 'node:fs/promises'
import { modelOf } from '../document/model.ts'
import { unwrittenOf } from '../service/process/server.ts'
import { type Called, checkCalls } from './check/calls.ts'
import { emptyDatabase } from './check/empty-database.ts'
import { readInterface } from './check/interface.ts'
import { openRunning } from './check/running.ts'
import { openSecondOracle } from './check/second-oracle.ts'
import { checkContract, conclude, type Outcome } from './check/service.ts'
import { type Fault, kindOf } from './check/summary.ts'
import { lookOnThreads } from './check/threads.ts'
import { checkCredential, Misuse, runCommand, wholeNumber } from './command/arguments.ts'
import { loadService, ownContract } from './command/project.ts'
import { rules } from './lint/demand.ts'
import { readDocument } from './reading/read.ts'

const usage = `Usage: npm run check:contract -- [--seed N] [--now DATE-TIME] [--operation ID]… [--bail]
       npm run check:contract -- --url URL [--key-file FILE] [--key KEY]… [--writes] [--requests N] [--document FILE] …

Runs the service on an empty database and holds every reply against spec/openapi.yaml, with requests made from the
document alone. Another seed draws other requests; seed and time, printed with a fault, bring the same ones back.
--bail stops at the first fault. While handlers are still to be written, and for a document that is not held to all rules of this
project (rules in package.json), each operation is only called as the document allows and as it does not.

With --url it asks a service that is running, whatever it is written in; nobody else should write to it meanwhile. What needs
a clock, an empty database, a restart or settings is left out, and the summary says so.
  --key-file  a file with a credential a line; of several, the first that an operation lets in is used for its scope
  --key       a credential, which others on this machine can see in the list of processes
  --writes    lets it make, change and remove records; without it only GET, HEAD and OPTIONS are sent
  --requests  how many requests it sends at most (20000)
  --document  what the service is held against, in place of spec/openapi.yaml`

const options = {
  seed: { type: 'string' },
  now: { type: 'string', default: new Date().toISOString() },
  operation: { type: 'string', multiple: true },
  bail: { type: 'boolean' },
  url: { type: 'string' },
  key: { type: 'string', multiple: true },
  'key-file': { type: 'string' },
  writes: { type: 'boolean' },
  requests: { type: 'string', default: '20000' },
  document: { type: 'string' },
} as const

/** Tells what calls have shown. */
function told({ faults, undeclared, unfit, requests }: Called): number {
  for (const fault of faults) console.error(fault)
  console.log(`${requests} requests, made from the document, to the operations whose handlers are written`)
  for (const [status, operations] of undeclared)
    console.log(`note: ${status} is a reply but not declared by ${shortList([...operations])}`)
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

/** Formats the figures of each probe in columns. */
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

/** Tells what the check has shown. */
function toldOf({ faults, rows, requests, declared, missing, unproven }: Outcome, again: string): number {
  console.log(tableOf(rows))
  console.log(
    `${requests} requests; ${declared - missing.length} of ${declared} declared statuses, codes, headers, properties and values were seen`,
  )
  console.log(`unproven, as it is told in prose alone:${unproven.map(what => `\n  ${what}`).join('')}`)
  if (faults.length === 0) return 0
  console.error(`${faults.length} faults; again with ${again}`)
  return 1
}

await runCommand({ usage, options }, async values => {
  const { url, document } = values
  // A service that was asked before has the records of that draw.
  const seed = wholeNumber('--seed', values.seed ?? (url ? String(Date.now() % 1_000_000_000) : '1'))
  const now = new Date(values.now)
  if (Number.isNaN(now.getTime())) throw new Misuse('--now is a date-time')
  if (url === undefined && (values.key ?? values['key-file'] ?? document ?? (values.writes || undefined)))
    throw new Misuse('--key, --key-file, --writes and --document belong to --url')
  const contract = await ownContract()
  // A URL with a path of its own says where the operations are.
  const basePath = url !== undefined && (URL.parse(url)?.pathname ?? '/') !== '/' ? '' : undefined
  const read = document === undefined ? contract.model : await readDocument(document)
  const model = modelOf(read.document, basePath)
  const unknown = values.operation?.filter(id => !model.operation(id)) ?? []
  if (unknown.length > 0) throw new Misuse(`There is no operation ${unknown}`)
  const part = values.operation && { operations: new Set(values.operation), limits: false }
  const only = part && { ...part, known: model }
  const onFault = ({ operation, message, evidence }: Fault) => {
    console.error(`${operation}: ${message}${evidence ? `\n    ${evidence}` : ''}`)
  }
  if (url !== undefined) {
    if (!URL.canParse(url)) throw new Misuse(`--url needs a URL: ${url} is none`)
    const file = values['key-file']
    const listed = file ? (await readFile(file, 'utf8')).split(/\s+/).filter(Boolean) : []
    const keys = [...listed, ...(values.key ?? [])]
    for (const key of keys) checkCredential(key)
    const world = await openRunning({
      contract: readInterface(model),
      url: new URL(url),
      keys,
      writes: values.writes,
      most: wholeNumber('--requests', values.requests, 1),
    })
    const outcome = await checkContract({
      ...{ model, seed, only, untilFault: values.bail, onFault },
      oracle: await openSecondOracle(document ?? 'spec/openapi.yaml'),
      open: async () => world,
      onProgress: what => void (process.stderr.isTTY && console.error(`… ${what}`)),
    }).finally(world.end)
    return toldOf(outcome, `--seed ${seed}`)
  }

  const own = await loadService()
  const unwritten = new Set(unwrittenOf(contract, own.handlers))
  if (unwritten.size > 0 || rules !== 'full') {
    const written = model.operations.filter(
      ({ id }) => !unwritten.has(id) && (values.operation?.includes(id) ?? true),
    )
    const { db, close } = await emptyDatabase(own)
    return checkCalls(own, contract, db, written).then(told).finally(close)
  }
  const known = new Set<string>()
  const looks = await lookOnThreads(
    { seed, now, only: part, untilFault: values.bail === true },
    ({ fault, steps }) => {
      if (fault && !known.has(kindOf(fault))) onFault(fault)
      if (fault) known.add(kindOf(fault))
      if (steps) onSteps(steps.fault, steps.text, steps.isAgain)
    },
  )
  return toldOf(conclude({ model, only, onFault }, looks), `--seed ${seed} --now ${now.toISOString()}`)
})
