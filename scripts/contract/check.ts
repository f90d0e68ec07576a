import type { Database } from '../../src/database/tables.ts'
import type { Model } from '../../src/document/model.ts'
import { textOf } from '../../src/engine/extensions.ts'
import { outOfReach } from './conventions.ts'
import { createCoverage } from './coverage.ts'
import { type Endpoint, readInterface } from './interface.ts'
import { probeAdministrators } from './probes/administrators.ts'
import { probeBans } from './probes/bans.ts'
import { probeChanges } from './probes/changes.ts'
import { probeCodings } from './probes/codings.ts'
import { probeConditions } from './probes/conditions.ts'
import { probeCosts } from './probes/costs.ts'
import { probeCredentials } from './probes/credentials.ts'
import { probeEffects } from './probes/effects.ts'
import { probeElsewhere, probeServedDocument } from './probes/elsewhere.ts'
import { probeEntitlements } from './probes/entitlements.ts'
import { probeHealth } from './probes/health.ts'
import { probeHindrances } from './probes/hindrances.ts'
import { probeLifecycle } from './probes/lifecycle.ts'
import { probeLifetimes, probeWarnings } from './probes/lifetimes.ts'
import { probeLimits } from './probes/limits.ts'
import { probeQueries } from './probes/queries.ts'
import { probeReading } from './probes/reading.ts'
import { probeLast, probeRefusals } from './probes/refusals.ts'
import { probeRequests } from './probes/requests.ts'
import { probeSequences } from './probes/sequences.ts'
import { probeTogether } from './probes/together.ts'
import { probeUnique } from './probes/unique.ts'
import { probeUsage } from './probes/usage.ts'
import { createReport, type Fault, type Report } from './report.ts'
import { type Exchange, openSession, type Session } from './session.ts'
import { leadingTo, showSteps, shrink } from './shrink.ts'
import { unprovenOf } from './unproven.ts'
import { openWorld, type Service, type Setting } from './world.ts'

export interface Task {
  /** what the service is held against */
  model: Model
  service: Service
  /** migrated; every row in it is removed */
  database: Database
  /** the same seed draws the same requests */
  seed: number
  /** where the service's clock begins */
  now: Date
  /** only a part of the interface; absent: all of it */
  only?: Part | undefined
  /** the probes that are to look, as `onProgress` names them; absent: all. Some alone need not see all there is. */
  probes?: ReadonlySet<string> | undefined
  /** whether one fault is enough to know */
  untilFault?: boolean
  onFault?: (fault: Fault) => void
  /** told of the fewest requests that show a fault; `isAgain`: whether they alone have shown it again */
  onSteps?: (fault: Fault, steps: string, isAgain: boolean) => void
  /** told of what is being done, for those who wait */
  onProgress?: (what: string) => void
}

/** A part of the interface, for those who know that the rest is as it was. */
export interface Part {
  operations: ReadonlySet<string>
  /** whether x-rate-limits belongs to it */
  limits: boolean
  /** whether what belongs to no operation does; absent: it does not */
  elsewhere?: boolean
  /** what this document declares too need not be seen */
  known: Model
}

export interface Outcome {
  faults: readonly Fault[]
  /** requests sent */
  requests: number
  /** statuses, headers, properties and values that the document declares, and how many of them were seen */
  declared: number
  /** those that were not */
  missing: readonly string[]
  /** what the document says and no reply can show */
  unproven: readonly string[]
}

/** Of so many faults the fewest requests are looked for. */
const shrunk = 3
/**
 * Where identifiers begin, so that lists lead over a power of two, beyond which 32 bits hold none: numbers that are kept,
 * cut or counted in another size than the document's show there.
 */
const firstId = 2 ** 32 - 20
/** More than all that the probes let pass, in ms. */
const patience = 400 * 86_400_000

/** Ends a check that has found what it was to find. */
class Enough extends Error {}

async function untilEnough(work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (!(error instanceof Enough)) throw error
  }
}

/**
 * Holds a running service against a document, with nothing but the document to go by. Each probe looks from another
 * side; what the document declares and no reply has shown in the end is a fault, too.
 */
export async function checkContract(task: Task): Promise<Outcome> {
  const contract = readInterface(task.model)
  const endpoints = contract.endpoints.filter(({ id }) => task.only?.operations.has(id) ?? true)
  const report = createReport(fault => {
    task.onFault?.(fault)
    if (task.untilFault) throw new Enough()
  })
  const coverage = createCoverage(contract)
  let requests = 0

  /** Runs probes in a service of its own. */
  async function during(
    what: string,
    { alone = false, ...setting }: Setting & { alone?: boolean },
    probe: (session: Session) => Promise<void>,
  ): Promise<void> {
    if (task.untilFault && report.faults.length > 0) return
    if (task.probes?.has(what) === false) return
    task.onProgress?.(what)
    const world = await openWorld(task.service, task.database, beforeSunsets(task), setting)
    try {
      await untilEnough(() =>
        report.attempt(async () => {
          const session = await openSession(contract, world, task.seed, coverage, { alone })
          await probe(session)
            .then(() => session.conclude(report))
            .finally(() => {
              requests += session.requests()
            })
        }),
      )
    } finally {
      await world.close()
    }
  }

  /** Looks for the fewest requests that show a fault, on an empty service of their own. */
  async function tellSteps(fault: Fault): Promise<void> {
    const last = fault.steps?.at(-1)
    const steps = last ? leadingTo(contract, fault.steps?.slice(0, -1) ?? [], last) : []
    const law = /\[[^\]]*\]$/.exec(fault.message)?.[0] ?? fault.message
    const open = async () => {
      const world = await openWorld(task.service, task.database, beforeSunsets(task))
      const coverage = createCoverage(contract)
      const session = await openSession(contract, world, task.seed, coverage, { thorough: true })
      return { session, close: () => world.close() }
    }
    const isShown = ({ faults }: Exchange) => faults.some(message => message.includes(law))
    const shortest = await shrink(steps, open, isShown)
    task.onSteps?.(fault, showSteps(shortest ?? steps), shortest !== undefined)
  }

  /** Runs a probe for one operation after the other: what keeps it from one is no reason to leave out the rest. */
  const forEach = async (
    probe: (session: Session, some: readonly Endpoint[], report: Report) => Promise<void>,
    session: Session,
  ) => {
    for (const endpoint of endpoints) await report.attempt(() => probe(session, [endpoint], report))
  }

  if (endpoints.length > 0) {
    await during('requests', {}, session => forEach(probeRequests, session))
    await during('refusals and conditions', {}, async session => {
      await forEach(probeRefusals, session)
      await forEach(probeConditions, session)
    })
    await during('queries and sequences', { firstId }, async session => {
      await probeQueries(session, endpoints, report)
      await probeSequences(session, endpoints, report)
      await probeUnique(session, endpoints, report)
      await probeTogether(session, endpoints, report)
      await forEach(probeChanges, session)
      await report.attempt(() => session.thoroughly(() => probeEffects(session, endpoints, report)))
      await report.attempt(() => session.thoroughly(() => probeHindrances(session, endpoints, report)))
      await forEach(probeLifecycle, session)
      if (!endpoints.some(({ secured }) => secured)) return
      await probeCredentials(session, report)
      await probeEntitlements(session, report)
    })
    await during('bans and lengths of time', {}, async session => {
      await report.attempt(() => probeBans(session, endpoints, report))
      await report.attempt(() => probeHealth(session, endpoints, report))
      await report.attempt(() => probeWarnings(session, report))
      await forEach(probeReading, session)
      await forEach(probeCodings, session)
      await probeLifetimes(session, endpoints, report)
    })
    await during('last records', { alone: true }, async session => {
      await forEach(probeLast, session)
      await report.attempt(() => probeAdministrators(session, report))
    })
  }
  if (task.only?.limits ?? true)
    await during('limits', {}, async session => {
      await report.attempt(() => probeUsage(session, report))
      await report.attempt(() => probeCosts(session, report))
      await probeLimits(session, report)
    })
  const away = { redisUrl: 'redis://127.0.0.1:1', requestTimeoutMs: 1_000 }
  await during('elsewhere', away, async session => {
    await report.attempt(() => probeHealth(session, endpoints, report, 'degraded'))
    if (task.only?.elsewhere ?? !task.only) {
      await probeServedDocument(session, report)
      await probeElsewhere(session, report)
    }
  })
  await untilEnough(async () => report.settle())
  for (const fault of task.onSteps ? report.faults.filter(({ steps }) => steps).slice(0, shrunk) : [])
    await tellSteps(fault)
  const known = task.only && readInterface(task.only.known)
  const before = new Set(known && createCoverage(known).missing(known.endpoints))
  const missing = coverage
    .missing(endpoints)
    .filter(what => !before.has(what) && !outOfReach.some(({ promise }) => promise.test(what)))
  // Where replies are wrong, much can't be seen: that would only hide why.
  if (report.faults.length === 0 && !task.probes)
    await untilEnough(async () => {
      for (const what of missing) report.add(undefined, unseen(what))
    })
  const declared = coverage.total(endpoints)
  return { faults: report.faults, requests, declared, missing, unproven: unprovenOf(contract) }
}

/** The fault of a promise that no reply has kept. */
export const unseen = (what: string) => `no reply has shown ${what}`

/** The time to begin at: no operation has ended yet, nor will before the check lets it. */
function beforeSunsets({ model, now }: Task): Date {
  const sunsets = readInterface(model)
    .endpoints.flatMap(({ operation }) => textOf(operation, 'x-deprecated-sunset') ?? [])
    .map(sunset => Date.parse(`${sunset}T00:00:00Z`) - patience)
  return new Date(Math.min(now.getTime(), ...sunsets))
}
