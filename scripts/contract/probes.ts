import { lifetimesOf, rateLimitsOf, textOf } from '../../src/engine/extensions.ts'
import { showsSecret } from '../document/facts.ts'
import { fields } from './conventions.ts'
import { type Endpoint, type Interface, isOpenRead } from './interface.ts'
import { effectsOf } from './laws/effects.ts'
import { probeAdministrators } from './probes/administrators.ts'
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
import { probeEffects } from './probes/effects.ts'
import { probeBroken, probeElsewhere, probeNames, probeServedDocument } from './probes/elsewhere.ts'
import { probeEntitlements } from './probes/entitlements.ts'
import { probeHealth } from './probes/health.ts'
import { probeHindrances } from './probes/hindrances.ts'
import { probeLifecycle } from './probes/lifecycle.ts'
import { callsAreTold, probeWarnings, repliesAreKept } from './probes/lifetimes.ts'
import { probeLimits } from './probes/limits.ts'
import { probeMethods } from './probes/methods.ts'
import { probeKnownContent, probeVersions } from './probes/preconditions.ts'
import { probeQueries } from './probes/queries.ts'
import { probeReading } from './probes/reading.ts'
import { probeLast, probeRefusals } from './probes/refusals.ts'
import { probeRequests } from './probes/requests.ts'
import { probeRetries } from './probes/retries.ts'
import { probeSequences } from './probes/sequences.ts'
import { probeStarts } from './probes/starts.ts'
import { probeTargets } from './probes/targets.ts'
import { probeTogether } from './probes/together.ts'
import { probeUnique, uniqueCodesOf } from './probes/unique.ts'
import { probeUsage } from './probes/usage.ts'
import type { Session } from './session.ts'
import type { Hands, Setting } from './world.ts'

/**
 * Where identifiers begin, so that lists lead over a power of two, beyond which 32 bits hold none: numbers that are kept,
 * cut or counted in another size than the document's show there.
 */
const firstId = 2 ** 32 - 20

/** The services that probes look at, each with an empty database of its own. */
export const services = {
  requests: {},
  'refusals and conditions': {},
  'queries and sequences': { firstId },
  'bans and lengths of time': {},
  /** whose only record is the caller's own key */
  'last records': { alone: true },
  limits: {},
  elsewhere: { redisUrl: 'redis://127.0.0.1:1', requestTimeoutMs: 1_000 },
} as const satisfies Record<string, Setting & { alone?: true }>

export type ServiceName = keyof typeof services

/** A look from one side. */
export interface Probe {
  on: ServiceName
  /** what it can't do without; some parts of it may need more */
  needs?: readonly (keyof Hands | 'writes')[]
  /** whether it has only the session's laws to go by, so that each reply is an assertion */
  byLaws?: true
  /** what part of the interface it is about; operations unless told */
  about?: 'limits' | 'elsewhere'
  /** whether the document asks for what it looks at */
  isDue(contract: Interface, endpoints: readonly Endpoint[]): boolean
  run(session: Session, endpoints: readonly Endpoint[]): Promise<void>
}

/** A probe that looks at one operation after the other: what keeps it from one is no reason to leave out the rest. */
const each = (
  on: ServiceName,
  isDue: (endpoint: Endpoint, contract: Interface) => boolean,
  run: (session: Session, endpoint: Endpoint) => Promise<void>,
  more: Partial<Probe> = {},
): Probe => ({
  on,
  ...more,
  isDue: (contract, endpoints) => endpoints.some(endpoint => isDue(endpoint, contract)),
  async run(session, endpoints) {
    for (const endpoint of endpoints)
      if (isDue(endpoint, session.contract)) await session.attempt(() => run(session, endpoint))
  },
})

const all = () => true
const declares =
  (status: number) =>
  ({ statuses }: Endpoint) =>
    statuses.includes(status)
const has = (name: string) => (endpoint: Endpoint) =>
  endpoint.parameters.some(one => one.in === 'header' && one.name.toLowerCase() === name)
const isChange = ({ method, mediaTypes, record }: Endpoint) =>
  method !== 'GET' && (mediaTypes.length > 0 || record !== undefined)
const isRead = ({ method }: Endpoint) => method === 'GET'
const hasLimits = ({ model }: Interface) => rateLimitsOf(model.document) !== undefined
/** Whether the document is written by the rules of this project, whose guide tells what is kept of HTTP. */
export const hasGuide = hasLimits
const tellsHealth = (endpoint: Endpoint, contract: Interface) =>
  isOpenRead(endpoint) && declares(503)(endpoint) && hasGuide(contract)
const hasSecrets = ({ model, endpoints }: Interface) => endpoints.some(one => showsSecret(model, one))
const makes = ({ makers }: Interface, endpoints: readonly Endpoint[]) =>
  [...makers.values()].some(maker => endpoints.includes(maker))
const hasEffects = (endpoints: readonly Endpoint[], name: 'of' | 'unless') =>
  endpoints.flatMap(effectsOf).some(effect => name === 'of' || (effect.unless ?? effect.without))
const lifetimes = ({ model }: Interface) => lifetimesOf(model.document)
const isEnding = ({ operation }: Endpoint) =>
  operation.deprecated === true && textOf(operation, 'x-deprecated-sunset') !== undefined

/** All probes, in the order in which they look. */
export const probes: Readonly<Record<string, Probe>> = {
  'forms of requests': each('requests', all, probeRequests, { byLaws: true }),

  'rules of the business': each('refusals and conditions', isChange, probeRefusals, {
    byLaws: true,
    needs: ['writes'],
  }),
  callers: each('refusals and conditions', all, probeCallers),
  'cost and end of quota': each('refusals and conditions', (_, contract) => hasLimits(contract), probeQuota, {
    needs: ['keys', 'clock'],
  }),
  'long URLs': each('refusals and conditions', declares(414), probeLongUrl),
  bodies: each(
    'refusals and conditions',
    endpoint => endpoint.mediaTypes.length > 0 && declares(415)(endpoint),
    probeBodies,
  ),
  'header parameters': each(
    'refusals and conditions',
    ({ parameters }) => parameters.some(one => one.in === 'header'),
    probeHeaders,
  ),
  'repeated requests': each('refusals and conditions', has(fields.retryKey), probeRetries),
  'known content': each('refusals and conditions', has('if-none-match'), probeKnownContent),
  'versions of records': each('refusals and conditions', has('if-match'), probeVersions),
  HEAD: each('refusals and conditions', isRead, probeHead),
  'failures of the database': each('refusals and conditions', all, probeFailures, { needs: ['database'] }),

  'query parameters': {
    on: 'queries and sequences',
    isDue: (_, endpoints) => endpoints.some(one => one.parameters.some(({ in: place }) => place === 'query')),
    run: probeQueries,
  },
  'lives of records': {
    on: 'queries and sequences',
    needs: ['writes'],
    isDue: (contract, endpoints) => makes(contract, endpoints) || endpoints.some(isChange),
    run: probeSequences,
  },
  'what is unique': {
    on: 'queries and sequences',
    needs: ['writes'],
    isDue: (contract, endpoints) => endpoints.some(one => uniqueCodesOf(contract, one).length > 0),
    run: probeUnique,
  },
  'requests at once': {
    on: 'queries and sequences',
    needs: ['writes'],
    isDue: makes,
    run: probeTogether,
  },
  changes: each(
    'queries and sequences',
    ({ method, record }, { makers }) => /^(PUT|PATCH)$/.test(method) && makers.has(record ?? ''),
    probeChanges,
    { byLaws: true, needs: ['writes'] },
  ),
  effects: {
    on: 'queries and sequences',
    needs: ['writes'],
    byLaws: true,
    isDue: (_, endpoints) => hasEffects(endpoints, 'of'),
    run: (session, endpoints) => session.thoroughly(() => probeEffects(session, endpoints)),
  },
  'starts of effects': each(
    'queries and sequences',
    endpoint => effectsOf(endpoint).some(({ of }) => !String(Object.values(of)[0]).startsWith('reply.')),
    (session, endpoint) => session.thoroughly(() => probeStarts(session, endpoint)),
    { byLaws: true, needs: ['writes'] },
  ),
  hindrances: {
    on: 'queries and sequences',
    needs: ['writes'],
    isDue: (_, endpoints) => hasEffects(endpoints, 'unless'),
    run: (session, endpoints) => session.thoroughly(() => probeHindrances(session, endpoints)),
  },
  'ends of operations': each('queries and sequences', isEnding, probeLifecycle, { needs: ['clock'] }),
  'lives of credentials': {
    on: 'queries and sequences',
    needs: ['writes'],
    isDue: hasSecrets,
    run: probeCredentials,
  },
  entitlements: {
    on: 'queries and sequences',
    needs: ['writes'],
    isDue: hasSecrets,
    run: probeEntitlements,
  },

  bans: {
    on: 'bans and lengths of time',
    needs: ['keys', 'clock'],
    isDue: hasLimits,
    run: probeBans,
  },
  health: each('bans and lengths of time', tellsHealth, (session, endpoint) =>
    probeHealth(session, endpoint),
  ),
  'warnings of ends': {
    on: 'bans and lengths of time',
    needs: ['clock'],
    isDue: (contract, endpoints) =>
      lifetimes(contract).sunsetWarnings !== undefined && endpoints.some(isEnding),
    run: probeWarnings,
  },
  'strict reading': each('bans and lengths of time', declares(400), probeReading),
  codings: each(
    'bans and lengths of time',
    (endpoint, contract) => isRead(endpoint) && hasGuide(contract),
    probeCodings,
  ),
  'kept replies': each(
    'bans and lengths of time',
    (endpoint, contract) =>
      has(fields.retryKey)(endpoint) && lifetimes(contract).idempotentReplies !== undefined,
    repliesAreKept,
    { needs: ['clock'] },
  ),
  'told calls': {
    on: 'bans and lengths of time',
    needs: ['clock', 'keys'],
    isDue: (contract, endpoints) =>
      lifetimes(contract).deprecatedCalls !== undefined && endpoints.some(isEnding),
    run: callsAreTold,
  },

  'last records': each(
    'last records',
    ({ record, method }) => record !== undefined && method !== 'GET',
    probeLast,
    { byLaws: true, needs: ['emptiness'] },
  ),
  administrators: {
    on: 'last records',
    needs: ['emptiness', 'clock'],
    isDue: hasSecrets,
    run: probeAdministrators,
  },

  usage: { on: 'limits', about: 'limits', needs: ['keys', 'clock'], isDue: hasLimits, run: probeUsage },
  costs: { on: 'limits', about: 'limits', needs: ['keys', 'clock'], isDue: hasLimits, run: probeCosts },
  limits: { on: 'limits', about: 'limits', needs: ['keys', 'clock'], isDue: hasLimits, run: probeLimits },

  'health without Redis': each(
    'elsewhere',
    tellsHealth,
    (session, endpoint) => probeHealth(session, endpoint, 'degraded'),
    { needs: ['settings'] },
  ),
  'names of the document': { on: 'elsewhere', about: 'elsewhere', isDue: hasGuide, run: probeNames },
  'the document itself': { on: 'elsewhere', about: 'elsewhere', isDue: hasGuide, run: probeServedDocument },
  'unknown paths and fields': { on: 'elsewhere', about: 'elsewhere', isDue: hasGuide, run: probeElsewhere },
  methods: { on: 'elsewhere', about: 'elsewhere', isDue: hasGuide, run: probeMethods },
  'targets and Hosts': {
    on: 'elsewhere',
    about: 'elsewhere',
    needs: ['direct'],
    isDue: hasGuide,
    run: probeTargets,
  },
  'broken requests': {
    on: 'elsewhere',
    about: 'elsewhere',
    needs: ['direct', 'settings'],
    isDue: hasGuide,
    run: probeBroken,
  },
}
