import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import {
  checkCredential,
  didYouMean,
  Misuse,
  type Values,
  wholeNumber,
} from 'spec-served/internal/command/arguments'
import { ownDocument } from 'spec-served/internal/command/project'
import { type Model, modelOf, withoutBigints } from 'spec-served-document/model'
import { visibleLine, visibleText } from 'spec-served-document/visible-text'
import { callersFrom, linesOf } from './check/auth.ts'
import { announcedWrites, mayWrite } from './check/consent.ts'
import { readExamples } from './check/examples.ts'
import { createProgress } from './check/progress.ts'
import { type ReporterName, reporters, unanswered } from './check/reporters.ts'
import { openRunning } from './check/running.ts'
import { openSecondOracle } from './check/second-oracle.ts'
import { type CheckOutcome, checkContract, conclude } from './check/service.ts'
import { type Fault, faultKind } from './check/summary.ts'
import type { contractOptions } from './commands.ts'
import { demanded } from './lint/demand.ts'
import type { Called } from './mock/calls.ts'
import { readWithOverlays } from './project-document.ts'
import { readInterface } from './records/interface.ts'

type Wishes = Values<typeof contractOptions> & { json: boolean }

/** The options that mean nothing without a URL. */
const ofRunning = [
  ...(['spec', 'overlay', 'root', 'auth', 'auth-file', 'key', 'key-file'] as const),
  ...(['yes', 'writes', 'read-only', 'examples'] as const),
]

/** Prints texts for people. What a service or a document has sent can't change how a terminal shows them. */
const say = {
  log: (text: string) => console.log(visibleText(text)),
  error: (text: string) => console.error(visibleText(text)),
}

/** Prints what calls have shown. */
function printOutcome({ faults, undeclared, unfit, requests }: Called): number {
  for (const fault of faults) say.error(fault)
  say.log(`${requests} requests, made from the document, to the operations whose handlers are written`)
  for (const [status, operations] of undeclared)
    say.log(`note: ${status} is a reply but not declared by ${shortList([...operations])}`)
  for (const text of unfit) say.log(`note: ${text}`)
  if (faults.length > 0) say.error(`${faults.length} faults`)
  return faults.length > 0 ? 1 : 0
}

function shortList(names: readonly string[]): string {
  const shown = names.slice(0, 5).join(', ')
  return names.length > 5 ? `${shown} and ${names.length - 5} more` : shown
}

function onSteps({ operation, message }: Fault, steps: string, isAgain: boolean): void {
  const what = isAgain ? 'the fewest requests that show it' : 'what had been asked before'
  say.error(`${operation}: ${visibleLine(message)}\n    ${what}:\n    ${steps}`)
}

/** Formats the figures of each probe in columns. */
function tableOf(rows: CheckOutcome['rows']): string {
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

/** Prints what became of the promises of a document. */
function promisesOf({ promises }: CheckOutcome): string {
  const lines = promises.map(({ of, by, state, why }) => {
    const left =
      why.length > 0 ? `; left out: ${why.slice(0, 6).join('; ')}${why.length > 6 ? '; …' : ''}` : ''
    return `  ${state.padEnd(13)} ${of} (${by})${left}`
  })
  return `promises of the document, by what makes them:\n${lines.join('\n')}`
}

/** Prints what the check has shown. @returns the exit code */
function toldOf(outcome: CheckOutcome, again: string, { strict, json, reporter }: Wishes): number {
  const { faults, rows, requests, declared, missing, unproven, silent, isUnanswered, undeclared, notes } =
    outcome
  const form = json ? 'json' : reporter
  const isSilent = `operations that never answered 2xx: ${silent.length > 0 ? silent.join(', ') : 'none'}`
  if (form === 'text') {
    say.log(tableOf(rows))
    say.log(
      `${requests} requests; ${declared - missing.length} of ${declared} declared statuses, codes, headers, properties and values were seen`,
    )
    say.log(isSilent)
    if (undeclared.length > 0) say.log(`statuses that came and are not declared: ${undeclared.join(', ')}`)
    if (notes.length > 0) say.log(`to judge by people:${notes.map(note => `\n  ${note}`).join('')}`)
    say.log(promisesOf(outcome))
    say.log(`unproven, as it stands in prose alone:${unproven.map(what => `\n  ${what}`).join('')}`)
  } else say.log(reporters[form as ReporterName](outcome)) // the options have only these
  if (faults.length > 0) say.error(`${faults.length} faults; again with ${again}`)
  else if (isUnanswered) say.error(unanswered)
  else if (strict && silent.length > 0) say.error(`--strict: ${isSilent}`)
  return faults.length > 0 || isUnanswered || (strict && silent.length > 0) ? 1 : 0
}

const progress = createProgress()

function onFault({ operation, message, evidence }: Fault): void {
  progress.clear()
  say.error(`${operation}: ${visibleLine(message)}${evidence ? `\n    ${evidence}` : ''}`)
}

/** Hands out a signal for the first interruption; the second one ends the process. */
function interruption(): AbortSignal {
  const controller = new AbortController()
  process.once('SIGINT', () => {
    progress.clear()
    say.error('Interrupted: the report so far follows')
    controller.abort()
  })
  return controller.signal
}

/** The exit code of a process that was interrupted. */
const interrupted = 130

/** @throws Misuse for an operation that the document has not */
function partOf(model: Model, operation: readonly string[] | undefined) {
  const unknown = operation?.filter(id => !model.operation(id)) ?? []
  const [first] = unknown
  if (first !== undefined) {
    const ids = model.operations.map(({ id }) => id)
    throw new Misuse(`There is no operation ${unknown.join(', ')}${didYouMean(first, ids)}`)
  }
  return operation && { operations: new Set(operation), limits: false }
}

/** Checks a service that is running. */
async function checkRunning(url: URL, values: Wishes): Promise<number> {
  const spec = values.spec ?? ownDocument
  if (!existsSync(spec)) throw new Misuse(`There is no ${spec}: name the document by --spec FILE`)
  // A service that was asked before has the records of that draw.
  const seed = wholeNumber('--seed', values.seed ?? String(Date.now() % 1_000_000_000))
  const most = wholeNumber('--requests', values.requests, 1)
  // A URL with a path of its own says where the operations are.
  const basePath = url.pathname !== '/' ? '' : undefined
  const model = modelOf(
    (await readWithOverlays(spec, { overlays: values.overlay, folder: values.root })).document,
    basePath,
  )
  const part = partOf(model, values.operation)
  const contract = readInterface(model)
  const [keyFile, authFile] = [values['key-file'], values['auth-file']]
  const keys = [
    ...(keyFile ? (await readFile(keyFile, 'utf8')).split(/\s+/).filter(Boolean) : []),
    ...(values.key ?? []),
  ]
  const authLines = [...(authFile ? linesOf(authFile) : []), ...(values.auth ?? [])]
  const { API_KEY: environmentKey } = process.env
  if (environmentKey && keys.length + authLines.length === 0) keys.push(environmentKey)
  for (const key of keys) checkCredential(key)
  const callers = [...callersFrom(model, authLines, process.env), ...keys]
  const examples = values.examples === undefined ? undefined : await readExamples(values.examples, contract)
  const writeList = announcedWrites(contract.endpoints.filter(({ id }) => part?.operations.has(id) ?? true))
  const isAgreed = values.yes || values.writes
  const writes =
    !values['read-only'] && writeList.length > 0 && (await mayWrite(url.href, writeList, isAgreed))
  const signal = interruption()
  const world = await openRunning({ contract, url, keys: callers, writes, most, signal })
  const outcome = await checkContract({
    ...{ model, seed, only: part && { ...part, seen: model }, untilFault: values.bail, onFault, examples },
    oracle: await openSecondOracle(spec),
    open: async () => world,
    onProgress: (service, probe) => progress.tell(service, `${probe} (${world.sent()} requests)`),
  }).finally(world.end)
  progress.clear()
  const code = toldOf(outcome, `--seed ${seed}`, values)
  return signal.aborted ? interrupted : code
}

/** Checks the service of the project that this command is run in. */
async function checkOwn(values: Wishes): Promise<number> {
  const [
    { loadService, ownContract },
    { unwrittenOf },
    { emptyDatabase },
    { checkCalls },
    { lookOnThreads },
  ] = await Promise.all([
    import('spec-served/internal/command/project'),
    import('spec-served/internal/process/server'),
    import('./check/empty-database.ts'),
    import('./mock/calls.ts'),
    import('./check/threads.ts'),
  ])
  const seed = wholeNumber('--seed', values.seed ?? '1')
  const now = new Date(values.now)
  if (Number.isNaN(now.getTime())) throw new Misuse('--now is a date-time')
  const contract = await ownContract()
  const model = withoutBigints(contract.model) // values are drawn, and sent as JSON
  const part = partOf(model, values.operation)
  const project = await loadService()
  const unwritten = new Set(unwrittenOf(contract, project.handlers))
  if (unwritten.size > 0 || demanded() !== 'full') {
    const written = model.operations.filter(
      ({ id }) => !unwritten.has(id) && (values.operation?.includes(id) ?? true),
    )
    const { db, close } = await emptyDatabase(project)
    return checkCalls(project, contract, db, written).then(printOutcome).finally(close)
  }
  const shown = new Set<string>()
  const signal = interruption()
  const draw = { seed, now, only: part, untilFault: values.bail }
  const looks = await lookOnThreads(
    draw,
    ({ fault, steps, probe }) => {
      if (probe) progress.tell(probe.service, probe.name)
      if (fault && !shown.has(faultKind(fault))) onFault(fault)
      if (fault) shown.add(faultKind(fault))
      if (steps) onSteps(steps.fault, steps.text, steps.isAgain)
    },
    signal,
  )
  progress.clear()
  const only = part && { ...part, seen: model }
  const outcome = conclude({ model, only, onFault, ...(signal.aborted && { services: [] }) }, looks)
  const code = toldOf(outcome, `--seed ${seed} --now ${now.toISOString()}`, values)
  return signal.aborted ? interrupted : code
}

/** Holds the service of the project, or one that runs at a URL, to its document. @returns the exit code */
export async function run(values: Wishes): Promise<number> {
  const { url } = values
  if (url === undefined) {
    const names = ofRunning.filter(name => values[name])
    if (names.length > 0)
      throw new Misuse(`--${names.join(' and --')} only with --url: add --url URL, or leave that out`)
    wholeNumber('--requests', values.requests, 1)
    return checkOwn(values)
  }
  const place = URL.parse(url)
  if (!place || !/^https?:$/.test(place.protocol)) throw new Misuse(`--url needs a URL: ${url} is none`)
  return checkRunning(place, values)
}
