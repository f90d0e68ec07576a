import type { Lifetimes } from 'spec-served-document/contract/extensions'
import { showsSecret } from 'spec-served-document/reading/facts'
import { fields, health, usage } from '../records/conventions.ts'
import { type Effect, effectsOf } from '../records/effects.ts'
import {
  type Endpoint,
  type Interface,
  isOpenRead,
  needsNothing,
  secondsOf,
  takesField,
} from '../records/interface.ts'
import { uniqueCodesOf } from '../records/unique-codes.ts'
import { probeAdministrators } from './probes/administrators.ts'
import { probeAgents } from './probes/agents.ts'
import { probeBans } from './probes/bans.ts'
import { probeBodies } from './probes/bodies.ts'
import { probeChanges } from './probes/changes.ts'
import { probeCodings } from './probes/codings.ts'
import {
  probeCallers,
  probeFailures,
  probeHead,
  probeHeaders,
  probeLongUrl,
  probeQuota,
} from './probes/conditions.ts'
import { probeCosts } from './probes/costs.ts'
import { probeCredentials } from './probes/credentials.ts'
import { probeDocs } from './probes/docs.ts'
import { probeEffects } from './probes/effects.ts'
import { probeBroken, probeElsewhere, probeNames, probeServedDocument } from './probes/elsewhere.ts'
import { probeEntitlements } from './probes/entitlements.ts'
import { filtersOf, probeFilters } from './probes/filters.ts'
import { probeHealth } from './probes/health.ts'
import { probeHindrances } from './probes/hindrances.ts'
import { probeLifecycle } from './probes/lifecycle.ts'
import { probeDeprecatedCalls, probeWarnings, repliesAreKept } from './probes/lifetimes.ts'
import { isPlainList, parentOf, probeListed } from './probes/listed.ts'
import { probeMethods } from './probes/methods.ts'
import { probeOpenDocument, probeOrigins } from './probes/origins.ts'
import { probeOverlaps } from './probes/overlaps.ts'
import { probeOwnership } from './probes/ownership.ts'
import { probeKnownContent, probeVersions, probeVersionsTogether } from './probes/preconditions.ts'
import { probeQueries } from './probes/queries.ts'
import { probeEnds, probeLimits } from './probes/rate-limits.ts'
import { probeReading } from './probes/reading.ts'
import { probeLast, probeRefusals } from './probes/refusals.ts'
import { probeRequests } from './probes/requests.ts'
import { probeRetries } from './probes/retries.ts'
import { probeSequences, unshownIn } from './probes/sequences.ts'
import { probeSharing } from './probes/sharing.ts'
import { probeSizes } from './probes/sizes.ts'
import { probeStarts } from './probes/starts.ts'
import { probeTargets } from './probes/targets.ts'
import { probeTexts } from './probes/texts.ts'
import {
  probeChangesTogether,
  probeReadsTogether,
  probeTogether,
  selectionsOf,
  sharedProperties,
} from './probes/together.ts'
import { probeUnique } from './probes/unique.ts'
import { probeShownUses, probeUsage, showsUse } from './probes/usage.ts'
import { type PromiseName, replays, sizeOf } from './promises.ts'
import type { Session } from './session.ts'
import type { Hands, Setting } from './world.ts'

/** A look from one side. */
export interface Probe {
  /** the promise that it looks at; a document that does not make it is not asked for it */
  promise: PromiseName
  /** the controls that it needs; some parts of it may need more */
  needs?: readonly (keyof Hands)[]
  /** whether it has only the session's invariants to go by, so that each reply is an assertion */
  byInvariants?: true
  /** whether it waits for time to pass, and others may go on meanwhile with a service that runs elsewhere */
  waits?: true
  /** whether nobody else may write meanwhile */
  undisturbed?: true
  /** the part of the interface that it is about; operations unless told */
  about?: 'limits' | 'elsewhere'
  /** whether the document has anything for it */
  isDue(contract: Interface, endpoints: readonly Endpoint[]): boolean
  run(session: Session, endpoints: readonly Endpoint[]): Promise<void>
}

/** A service with an empty database of its own, and the probes that look at it, in their order. */
export interface ServiceLook {
  setting?: Setting
  /** whether its only record is the caller's own key */
  alone?: boolean
  probes: Readonly<Record<string, Probe>>
}

type IsDue = (endpoint: Endpoint, contract: Interface) => boolean
type More = Partial<Pick<Probe, 'needs' | 'byInvariants' | 'about' | 'waits' | 'undisturbed'>>

/** A probe of the whole service. It is due where the document has something, or some operation is of a kind. */
const whole = (promise: PromiseName, isDue: Probe['isDue'], run: Probe['run'], more: More = {}): Probe => ({
  ...more,
  promise,
  isDue,
  run,
})
const where =
  (isDue: IsDue): Probe['isDue'] =>
  (contract, endpoints) =>
    endpoints.some(endpoint => isDue(endpoint, contract))

/** A probe that looks at all operations of a kind. */
const some = (
  promise: PromiseName,
  isDue: IsDue,
  run: (session: Session, endpoints: readonly Endpoint[]) => Promise<void>,
  more: More = {},
): Probe =>
  whole(
    promise,
    where(isDue),
    (session, endpoints) =>
      run(
        session,
        endpoints.filter(endpoint => isDue(endpoint, session.contract)),
      ),
    more,
  )

/**
 * A probe that looks at each operation. An obstacle to one does not keep it from the rest.
 * @param isApart whether it makes all that it looks at itself, so that several can be looked at at once
 */
const each = (
  promise: PromiseName,
  isDue: IsDue,
  run: (session: Session, endpoint: Endpoint) => Promise<void>,
  { isApart = false, ...more }: More & { isApart?: boolean } = {},
): Probe =>
  some(
    promise,
    isDue,
    async (session, endpoints) => {
      const work = (endpoint: Endpoint) => session.attempt(() => run(session, endpoint))
      if (isApart) await session.eachAtOnce(endpoints, work)
      else for (const endpoint of endpoints) await work(endpoint)
    },
    more,
  )

/** Has each request followed up in full that a probe sends. */
const thoroughly =
  <Of>(run: (session: Session, of: Of) => Promise<void>) =>
  (session: Session, of: Of) =>
    session.thoroughly(() => run(session, of))

const all = () => true
const isRead: IsDue = ({ method }) => method === 'GET'
const isReader: IsDue = ({ method, record }, { makers }) => method === 'GET' && makers.has(record ?? '')
const isWrite: IsDue = ({ method, record }) => method !== 'GET' && record !== undefined
const isChange: IsDue = ({ method, record, mediaTypes }) =>
  method !== 'GET' && (mediaTypes.length > 0 || record !== undefined)
const isChanger: IsDue = ({ method, record }, { makers }) =>
  /^(PUT|PATCH)$/.test(method) && makers.has(record ?? '')
/** The operations that change what a list filters by, where that list is not looked at. */
const filteredBeside = (contract: Interface, endpoints: readonly Endpoint[]) =>
  endpoints.filter(endpoint => {
    const { list } = contract.kindOf(endpoint.record) ?? {}
    const isBeside = list !== undefined && !endpoints.includes(list)
    return isBeside && isChanger(endpoint, contract) && filtersOf(contract, endpoint).length > 0
  })
const patchesSeveral: IsDue = (endpoint, contract) =>
  endpoint.method === 'PATCH' &&
  isChanger(endpoint, contract) &&
  sharedProperties({ contract }, endpoint).length > 1
const hasBody: IsDue = ({ mediaTypes, statuses }) => mediaTypes.length > 0 && statuses.includes(415)
const isListOfRecords: IsDue = (endpoint, contract) =>
  contract.kinds.some(({ list }) => list === endpoint) ||
  parentOf(contract, endpoint) !== undefined ||
  isPlainList(contract, endpoint)
const isReadTogether: IsDue = (endpoint, contract) =>
  isReader(endpoint, contract) || (needsNothing(endpoint) && selectionsOf(contract, endpoint).length > 0)
const isMaker: IsDue = ({ makes }) => makes !== undefined
const isEnding: IsDue = ({ sunset }) => sunset !== undefined
const declares =
  (status: number): IsDue =>
  ({ statuses }) =>
    statuses.includes(status)
const guards =
  (name: string, status: number): IsDue =>
  endpoint =>
    takesField(endpoint, name) && endpoint.statuses.includes(status)
const hasIn =
  (place: string): IsDue =>
  ({ parameters }) =>
    parameters.some(parameter => parameter.in === place)
const hasEffects =
  (isOne: (effect: Effect) => boolean): IsDue =>
  endpoint =>
    effectsOf(endpoint).some(isOne)
// A list of what the record was before is looked at by the probe of starts.
const hasHindrances = hasEffects(({ unless, without }) =>
  [unless ?? without ?? []]
    .flat()
    .some(candidate => !Object.values(candidate.with).some(operand => String(operand).startsWith('before.'))),
)
const startsSomewhere = hasEffects(({ of }) => !String(Object.values(of)[0]).startsWith('reply.'))
/** Whether it has an effect on a record of a kind that shows no secret. */
const actsOnRecords: IsDue = (endpoint, { kinds, model }) =>
  effectsOf(endpoint).some(({ of }) =>
    kinds.some(({ maker, parameter }) => parameter in of && !showsSecret(model, maker)),
  )
const hasLimits = ({ limits }: Interface) => limits !== undefined
const always = () => true
const hasSecrets = ({ model, endpoints }: Interface) =>
  endpoints.some(endpoint => showsSecret(model, endpoint))
const tellsHealth: IsDue = endpoint => isOpenRead(endpoint) && endpoint.statuses.includes(503)
const lasts = ({ model }: Interface, name: keyof Lifetimes) => secondsOf(model.document, name) !== undefined

/** Whether an operation ends, and this one is looked at, or the one that shows it in a property. */
const whereEnds =
  (lifetime: keyof Lifetimes, property: string): Probe['isDue'] =>
  (contract, endpoints) =>
    lasts(contract, lifetime) &&
    contract.endpoints.some(endpoint => isEnding(endpoint, contract)) &&
    endpoints.some(endpoint => isEnding(endpoint, contract) || property in (endpoint.gives.properties ?? {}))

const apart = { isApart: true } as const
const writes: More = { needs: ['writes'] }
const byInvariants: More = { byInvariants: true, needs: ['writes'] }
const undisturbed = { undisturbed: true } as const
const aboutLimits: More = { about: 'limits', needs: ['keys', 'clock'] }
const elsewhere: More = { about: 'elsewhere' }

/**
 * All probes, by the services that they look at, of which the one that takes longest comes first. The first identifiers let lists lead over a power of two, beyond
 * which 32 bits hold none. Numbers of another size than the document's show there, whether kept, cut or counted.
 */
export const services = {
  'queries and sequences': {
    setting: { firstId: 2 ** 32 - 20 },
    probes: {
      'query parameters': whole('guide', where(hasIn('query')), probeQueries, undisturbed),
      'lives of records': whole(
        'records',
        where(
          (endpoint, contract) =>
            isMaker(endpoint, contract) ||
            isWrite(endpoint, contract) ||
            unshownIn(contract, endpoint).length > 0,
        ),
        probeSequences,
        byInvariants,
      ),
      'what is unique': whole(
        'codes',
        where((endpoint, contract) => {
          const { makers } = contract
          const maker = isChanger(endpoint, contract) ? makers.get(endpoint.record ?? '') : endpoint
          return maker !== undefined && uniqueCodesOf(maker).length > 0
        }),
        probeUnique,
        writes,
      ),
      // The probe of query parameters looks at changed records, too.
      'filters after changes': whole(
        'guide',
        (contract, endpoints) => filteredBeside(contract, endpoints).length > 0,
        (session, endpoints) => probeFilters(session, filteredBeside(session.contract, endpoints)),
        { ...writes, ...undisturbed },
      ),
      'sizes of lists': each(
        'sizes',
        (endpoint, contract) => sizeOf(contract, endpoint) !== undefined,
        probeSizes,
        undisturbed,
      ),
      'records in lists': each('lists', isListOfRecords, probeListed, undisturbed),
      changes: each('records', isChanger, probeChanges, { ...byInvariants, ...apart }),
      effects: whole('effects', where(hasEffects(all)), thoroughly(probeEffects), byInvariants),
      'starts of effects': each('effects', startsSomewhere, probeStarts, { ...byInvariants, ...apart }),
      hindrances: whole('effects', where(hasHindrances), thoroughly(probeHindrances), writes),
      'ends of operations': each('ends', isEnding, probeLifecycle, { needs: ['clock'] }),
      'lives of credentials': whole('guide', hasSecrets, probeCredentials, writes),
      entitlements: whole('guide', hasSecrets, probeEntitlements, writes),
    },
  },
  'at once': {
    setting: { onPostgres: true },
    probes: {
      'requests at once': whole('guide', where(isMaker), probeTogether, writes),
      'versions at once': each('versions', guards('if-match', 412), probeVersionsTogether, {
        ...writes,
        ...apart,
      }),
      'reads at once': each('guide', isReadTogether, probeReadsTogether, { ...writes, ...undisturbed }),
      'changes at once': each('guide', patchesSeveral, probeChangesTogether, { ...writes, ...apart }),
      'credentials at once': whole('guide', hasSecrets, probeSharing, writes),
      'changes that meet': whole('effects', where(actsOnRecords), probeOverlaps, writes),
    },
  },
  requests: {
    probes: {
      'forms of requests': each('schemas', all, probeRequests, { byInvariants: true, ...apart }),
      'shown uses': whole('guide', where(showsUse), probeShownUses, { needs: ['clock', 'database'] }),
    },
  },
  'refusals and conditions': {
    probes: {
      'rules of the business': each('records', isChange, probeRefusals, { ...byInvariants, ...apart }),
      callers: each('security', all, probeCallers, apart),
      'callers beside each other': whole(
        'security',
        (contract, endpoints) =>
          !contract.guided && contract.kinds.some(({ maker }) => maker.secured && endpoints.includes(maker)),
        probeOwnership,
        writes,
      ),
      'cost and end of quota': each('limits', all, probeQuota, {
        needs: ['keys', 'clock'],
      }),
      'long URLs': each('guide', declares(414), probeLongUrl, apart),
      bodies: each('guide', hasBody, probeBodies, apart),
      'header parameters': each('guide', hasIn('header'), probeHeaders),
      'repeated requests': each('retries', replays, probeRetries, apart),
      'known content': some('versions', guards('if-none-match', 304), probeKnownContent, undisturbed),
      'versions of records': each('versions', guards('if-match', 412), probeVersions, apart),
      HEAD: each('guide', isRead, probeHead, undisturbed),
      'failures of the database': each('guide', all, probeFailures, { needs: ['database'] }),
    },
  },
  'bans and lengths of time': {
    probes: {
      bans: whole('limits', hasLimits, probeBans, { needs: ['keys', 'clock'] }),
      health: each('guide', tellsHealth, (session, endpoint) => probeHealth(session, endpoint)),
      'warnings of ends': whole('lifetimes', whereEnds('sunsetWarnings', health.warnings), probeWarnings, {
        needs: ['clock'],
      }),
      'the document for all pages': whole('guide', always, probeOpenDocument, {
        ...elsewhere,
        needs: ['settings'],
      }),
      'tools of agents': whole('guide', always, probeAgents, {
        ...elsewhere,
        ...undisturbed,
        needs: ['keys', 'writes'],
      }),
      'strict reading': each('guide', declares(400), probeReading, apart),
      codings: some('guide', isRead, probeCodings, undisturbed),
      'kept replies': each(
        'lifetimes',
        (endpoint, contract) => takesField(endpoint, fields.retryKey) && lasts(contract, 'idempotentReplies'),
        repliesAreKept,
        { needs: ['clock'] },
      ),
      'told calls': whole('lifetimes', whereEnds('deprecatedCalls', usage.deprecated), probeDeprecatedCalls, {
        needs: ['clock', 'keys'],
      }),
    },
  },
  'last records': {
    alone: true,
    setting: { onPostgres: true },
    probes: {
      'last records': each('guide', isWrite, probeLast, { byInvariants: true, needs: ['emptiness'] }),
      administrators: whole('guide', hasSecrets, probeAdministrators, { needs: ['emptiness', 'clock'] }),
    },
  },
  limits: {
    probes: {
      usage: whole('limits', hasLimits, probeUsage, aboutLimits),
      costs: whole('limits', hasLimits, probeCosts, aboutLimits),
      limits: whole('limits', hasLimits, probeLimits, aboutLimits),
      'ends of windows': whole('limits', hasLimits, probeEnds, {
        about: 'limits',
        needs: ['keys'],
        waits: true,
      }),
    },
  },
  elsewhere: {
    setting: { redisUrl: 'redis://127.0.0.1:1', requestTimeoutMs: 1_000, corsOrigins: '*' },
    probes: {
      'health without Redis': each(
        'guide',
        tellsHealth,
        (session, endpoint) => probeHealth(session, endpoint, 'degraded'),
        { needs: ['settings'] },
      ),
      'names of the document': whole('guide', always, probeNames, elsewhere),
      'the document itself': whole('guide', always, probeServedDocument, elsewhere),
      'unknown paths and fields': whole('guide', always, probeElsewhere, elsewhere),
      methods: whole('guide', always, probeMethods, elsewhere),
      'texts of the docs': whole('guide', always, probeTexts, elsewhere),
      'addresses of the docs': whole('guide', always, probeDocs, elsewhere),
      'pages of other origins': whole('guide', always, probeOrigins, {
        ...elsewhere,
        needs: ['settings'],
      }),
      'targets and Hosts': whole('guide', always, probeTargets, { ...elsewhere, needs: ['direct'] }),
      'broken requests': whole('guide', always, probeBroken, { ...elsewhere, needs: ['direct', 'settings'] }),
    },
  },
} satisfies Record<string, ServiceLook>

export type ServiceName = keyof typeof services
