import { codesOf, type Model } from 'spec-served-document/model'
import { codes } from '../records/conventions.ts'
import { effectsOf } from '../records/effects.ts'
import { type Endpoint, type Interface, isGuided, readInterface } from '../records/interface.ts'
import { createCoverage, declaredBy } from './coverage.ts'
import type { Examples } from './examples.ts'
import { type Probe, type ServiceLook, type ServiceName, services } from './probes.ts'
import { lookedAt, type PromiseRow, promises } from './promises.ts'
import type { SecondOracle } from './second-oracle.ts'
import { openSession, type Session } from './session.ts'
import { leadingTo, showSteps, shrink } from './shrink.ts'
import { createReport, Enough, type Fault, faultKind, type Row } from './summary.ts'
import { createTurns, inTurns } from './turns.ts'
import { need, type Setting, type World } from './world.ts'

export interface Task {
  /** the document that the service is held against */
  model: Model
  /** Opens the service; one that the check starts has an empty database each time. */
  open(setting: Setting): Promise<World>
  /** the same seed draws the same requests */
  seed: number
  /** judges replies and examples as well */
  oracle?: SecondOracle | undefined
  /** only a part of the interface; absent: all of it */
  only?: InterfacePart | undefined
  /** the services that are to be looked at; absent: all. Some alone need not see all there is. */
  services?: readonly ServiceName[] | undefined
  /** whether one fault is enough to know */
  untilFault?: boolean
  onFault?: (fault: Fault) => void
  /** told of the fewest requests that show a fault; `isAgain`: whether they alone have shown it again */
  onSteps?: (fault: Fault, steps: string, isAgain: boolean) => void
  /** told of the work under way, for those who wait: a service, and the probe that looks at it */
  onProgress?: (service: string, probe: string) => void
  examples?: Examples | undefined
}

/** A part of the interface, for those who know that the rest is as it was. */
export interface InterfacePart {
  operations: ReadonlySet<string>
  /** whether x-rate-limits belongs to it */
  limits: boolean
  /** the document whose declarations need not be seen again */
  seen: Model
}

/** The findings of a look at some services. */
export interface Look {
  faults: readonly Fault[]
  /** what could not be brought about, as faults */
  unreached: readonly Fault[]
  /** the figures of each probe */
  rows: ReadonlyMap<string, Row>
  /** the declarations that replies have shown */
  seen: ReadonlySet<string>
  /** the operations that have answered with a success */
  succeeded: ReadonlySet<string>
  /** statuses that operations answered with and do not declare */
  undeclared: ReadonlySet<string>
  /** the facts that people have to judge */
  notes: ReadonlySet<string>
}

export interface CheckOutcome {
  faults: readonly Fault[]
  /** the figures of each probe */
  rows: ReadonlyMap<string, Row>
  /** requests sent */
  requests: number
  /** statuses, headers, properties and values that the document declares, and how many of them were seen */
  declared: number
  /** those that were not */
  missing: readonly string[]
  /** the declarations that no reply can show */
  unproven: readonly string[]
  /** the operations that never answered with a success */
  silent: readonly string[]
  /** whether none has that declares a success, so that nothing is shown of the service */
  isUnanswered: boolean
  /** statuses that operations answered with and do not declare */
  undeclared: readonly string[]
  /** the facts that may be meant, and may be faults */
  notes: readonly string[]
  /** what became of each kind of promise */
  promises: readonly PromiseRow[]
}

/** The number of faults for which the check looks for the fewest requests. */
const shrunk = 3
/** How many probes look at once at a service that runs elsewhere: each waits for some reply most of the time. */
const probesAtOnce = 2
/** More than all that the probes let pass, in ms. */
const patience = 400 * 86_400_000

export const serviceNames = Object.keys(services) as ServiceName[]
/**
 * The order for one after the other: a check that is interrupted has sent each form of request. Lists come before, where
 * they are looked at in full, as each request makes them longer. The first has a probe that waits beside the others.
 */
function oneByOne({ model }: Pick<Task, 'model'>): ServiceName[] {
  const first: ServiceName[] = isGuided(model)
    ? ['limits', 'queries and sequences', 'requests']
    : ['requests']
  return [...new Set([...first, ...serviceNames])]
}

/**
 * Holds a service against a document, with nothing but the document to go by. Each probe looks from another side. A
 * declared part that no reply has shown in the end is a fault, too.
 */
export async function checkContract(task: Task): Promise<CheckOutcome> {
  return conclude(task, [await lookAt(task, task.services ?? oneByOne(task))])
}

const endpointsOf = ({ only }: Pick<Task, 'only'>, { endpoints }: Interface) =>
  endpoints.filter(({ id }) => only?.operations.has(id) ?? true)

/** Puts together what looks at different services have shown. */
export function conclude(
  task: Pick<Task, 'model' | 'only' | 'services' | 'onFault'>,
  looks: readonly Look[],
): CheckOutcome {
  const contract = readInterface(task.model)
  const faults = new Map(looks.flatMap(look => look.faults).map(item => [faultKind(item), item]))
  const rows = new Map(looks.flatMap(look => [...look.rows]))
  const seen = new Set(looks.flatMap(look => [...look.seen]))
  const onlyInterface = task.only && readInterface(task.only.seen)
  const before = onlyInterface && declaredBy(onlyInterface, onlyInterface.endpoints)
  const declared = declaredBy(contract, endpointsOf(task, contract))
  const missing = [...declared].filter(what => !seen.has(what) && !before?.has(what))
  // The faults of an operation keep much from being seen, of which a list would only hide why.
  const faulty = new Set([...faults.values()].map(({ operation }) => operation))
  const isExplained = ({ operation, evidence }: Fault) =>
    faulty.has(operation) || (faulty.size > 0 && evidence === undefined)
  const due = looks.flatMap(look => look.unreached).filter(fault => !isExplained(fault))
  const isWhole = !task.services && [...rows.values()].every(({ left }) => left.size === 0)
  if (contract.guided && faults.size + due.length === 0 && isWhole)
    for (const what of missing) due.push({ operation: 'the service', message: `no reply has shown ${what}` })
  for (const fault of due) {
    if (!faults.has(faultKind(fault))) task.onFault?.(fault)
    faults.set(faultKind(fault), fault)
  }
  const requests = [...rows.values()].reduce((sum, row) => sum + row.requests, 0)
  const unproven = unprovenOf(contract)
  const succeeded = new Set(looks.flatMap(look => [...look.succeeded]))
  const asked = endpointsOf(task, contract)
  const silent = asked.flatMap(({ id }) => (succeeded.has(id) ? [] : [id]))
  const answering = asked.filter(({ success }) => success > 0)
  const isUnanswered = answering.length > 0 && !answering.some(({ id }) => succeeded.has(id))
  const all = Object.values(services).flatMap(({ probes }) => Object.entries<Probe>(probes))
  const made = lookedAt(
    contract,
    all.map(([name, { promise }]) => ({ promise, row: rows.get(name) })),
  )
  const found = { faults: [...faults.values()], rows, requests, declared: declared.size, missing, unproven }
  const undeclared = [...new Set(looks.flatMap(look => [...look.undeclared]))]
  const notes = [...new Set(looks.flatMap(look => [...look.notes]))]
  return { ...found, silent, isUnanswered, undeclared, notes, promises: made }
}

/** In a document of others, what reads comes after what makes something to read, and what removes it comes last. */
function inOrder({ guided }: Interface, endpoints: readonly Endpoint[]): readonly Endpoint[] {
  const rank = ({ method, makes }: Endpoint) =>
    makes ? 0 : method === 'DELETE' ? 3 : method === 'GET' ? 2 : 1
  return guided ? endpoints : endpoints.toSorted((a, b) => rank(a) - rank(b))
}

/** Runs the probes that look at some services, one service after the other. */
export async function lookAt(task: Task, names: readonly ServiceName[]): Promise<Look> {
  const contract = readInterface(task.model)
  const endpoints = inOrder(contract, endpointsOf(task, contract))
  const report = createReport(fault => {
    task.onFault?.(fault)
    if (task.untilFault) throw new Enough()
  }, contract.guided)
  const coverage = createCoverage(contract)
  let lastWorld: World | undefined

  const isDueHere = ({ promise, about, isDue }: Probe) =>
    promises[promise].isMade(contract) &&
    (about === undefined ? endpoints.length > 0 : !task.only || (about === 'limits' && task.only.limits)) &&
    isDue(contract, endpoints)

  /** Each example fits its schema, as both judges see it: the lint goes by the engine's. */
  async function lookAtExamples(oracle: SecondOracle): Promise<void> {
    const { judged, faults } = await oracle.examples()
    for (let count = 0; count < judged - faults.length; count++) report.holdOf(undefined, '', true)
    for (const fault of faults) report.holdOf(undefined, `the two judges disagree: ${fault}`, false)
  }

  /** The session with a service that runs elsewhere: one for all, as it finds the records of those before it. */
  let lasting: Promise<Session> | undefined
  /** the probes that wait while others go on, each with the error by which it ends the check */
  const waiting: Promise<unknown>[] = []

  /** Runs the probes that look at a service. */
  async function lookAtOne(on: ServiceName): Promise<void> {
    const { alone = false, setting = {}, probes }: ServiceLook = services[on]
    const dueProbes = Object.entries(probes).filter(([, probe]) => isDueHere(probe))
    if (dueProbes.length === 0) return
    const world = await task.open(setting)
    lastWorld = world
    const isLasting = !world.hands.emptiness
    const lookOnce = async () => {
      let session = isLasting ? lasting : undefined
      const runOne = async ([name, { needs = [], run, byInvariants, waits }]: (typeof dueProbes)[number]) => {
        const work = async () => {
          task.onProgress?.(on, name)
          for (const hand of needs) need(world, hand)
          const way = { alone, oracle: task.oracle, examples: task.examples }
          session ??= openSession(contract, world, task.seed, coverage, report, way)
          if (isLasting) lasting = session
          const own = await session
          // Those that go on beside others have records of their own.
          if (isLasting) await own.eachAtOnce([endpoints], some => run(own, some))
          else await run(own, endpoints)
        }
        const probing = report.probe(name, work, byInvariants)
        if (isLasting && waits) waiting.push(probing.catch((error: unknown) => error))
        else await probing
      }
      const turns = createTurns()
      await inTurns(dueProbes, isLasting && contract.guided ? probesAtOnce : 1, due =>
        due[1].undisturbed ? turns.alone(() => runOne(due)) : turns.beside(() => runOne(due)),
      )
      if (!isLasting) await report.attempt(async () => (await session)?.conclude())
    }
    await report.attempt(lookOnce).finally(() => world.close())
  }

  /** Looks for the fewest requests that show a fault, on an empty service of their own. */
  async function tellSteps(fault: Fault): Promise<void> {
    const steps = leadingTo(contract, fault.steps ?? [])
    const invariant = /\[[^\]]*\]$/.exec(fault.message)?.[0] ?? fault.message
    const during = async <T>(work: (session: Session) => Promise<T>) => {
      const world = await task.open({})
      const way = { thorough: true }
      return openSession(contract, world, task.seed, createCoverage(contract), createReport(), way)
        .then(work)
        .finally(() => world.close())
    }
    const shortest = await shrink(steps, during, last =>
      last.faults.some(message => message.includes(invariant)),
    )
    task.onSteps?.(fault, showSteps(shortest ?? steps), shortest !== undefined)
  }

  async function look(): Promise<void> {
    for (const name of names) await lookAtOne(name)
    for (const error of await Promise.all(waiting)) if (error) throw error
    await report.attempt(async () => (await lasting)?.conclude())
    for (const { name, exchange } of lastWorld?.unopened?.() ?? [])
      report.add(undefined, `the credential ${name} opened nothing: no secured operation let it in`, exchange)
    const { oracle } = task
    if (oracle && !task.only && isGuided(task.model) && names.includes('requests'))
      await report.probe('examples', () => lookAtExamples(oracle))
  }

  await look().catch((error: unknown) => {
    if (!(error instanceof Enough)) throw error
  })
  const { faults, rows } = report
  for (const fault of task.onSteps ? faults.filter(({ steps }) => steps).slice(0, shrunk) : [])
    await tellSteps(fault)
  return {
    faults,
    unreached: report.unreached(),
    rows,
    seen: coverage.seen,
    succeeded: coverage.succeeded,
    undeclared: coverage.undeclared,
    notes: report.notes,
  }
}

/** The time to begin at: no operation has ended yet, nor will before the check lets it. */
export function beforeSunsets(model: Model, now: Date): Date {
  const sunsets = readInterface(model).endpoints.flatMap(({ sunset }) => sunset ?? [])
  return new Date(Math.min(now.getTime(), ...sunsets.map(sunset => sunset.getTime() - patience)))
}

/** Lists, in words, what the document says and no program can check. Its readers have to. */
function unprovenOf({ endpoints }: Interface): string[] {
  const engineCodes = new Set<string>(Object.values(codes).map(({ code }) => code))
  const lines: string[] = []
  for (const endpoint of endpoints) {
    const { id, responses } = endpoint
    const effects = effectsOf(endpoint)
    const effectCodes = new Set(effects.map(({ otherwise }) => otherwise))
    const prose = [...responses.values()]
      .flatMap(codesOf)
      .filter(code => !engineCodes.has(code) && !effectCodes.has(code))
    if (prose.length > 0) lines.push(`when ${id} answers ${prose.join(', ')}`)
    const open = effects.flatMap(({ becomes = {} }) =>
      Object.entries(becomes).flatMap(([name, value]) => (value === 'any' ? [name] : [])),
    )
    if (open.length > 0) lines.push(`what ${id} makes of ${open.join(', ')}`)
  }
  return lines
}
