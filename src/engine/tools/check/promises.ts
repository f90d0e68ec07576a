import { responseFor } from 'spec-served-document/model'
import { fields, pageSize } from '../records/conventions.ts'
import { effectsOf } from '../records/effects.ts'
import { type Endpoint, type Interface, isGuided, needsNothing, takesField } from '../records/interface.ts'
import type { Row } from './summary.ts'

/*
 * The rule of this check, which stands here and nowhere else: it asks a service only for what the document says, by
 * OpenAPI's own rules. All that this project asks for besides is a promise only where the document makes it.
 */

/** A kind of promise, and what in a document makes it. */
export interface Promised {
  /** the subject, for people */
  of: string
  /** what in the document makes it, for people */
  by: string
  isMade(contract: Interface): boolean
}

const some =
  (isOne: (endpoint: Endpoint) => boolean): Promised['isMade'] =>
  ({ endpoints }) =>
    endpoints.some(isOne)
const hasExtension = (name: `x-${string}`) => some(({ operation }) => name in operation)
const isGuide: Promised['isMade'] = ({ model }) => isGuided(model)

/** Whether replies of an operation declare a header field. @param name in lower case */
export const declaresField = (endpoint: Endpoint, name: string): boolean =>
  Object.keys(responseFor(endpoint, endpoint.success)?.headers ?? {}).some(
    candidate => candidate.toLowerCase() === name,
  )

/** Whether an operation repeats a reply to the same Idempotency-Key, and says so. */
export const replays = (endpoint: Endpoint) =>
  takesField(endpoint, fields.retryKey) && declaresField(endpoint, fields.replayed)

/** The parameter that says how many items a list of records may have. */
export const sizeOf = ({ kinds }: Interface, endpoint: Endpoint) =>
  kinds.some(({ list }) => list === endpoint) ? sizeParameter(endpoint) : undefined

/** The parameter that is called as a number of items. */
export const sizeParameter = ({ parameters }: Endpoint) =>
  parameters.find(({ in: place, name }) => place === 'query' && pageSize.test(name))

/** Whether an operation reads with parameters, and needs none. */
const takesQuery = (endpoint: Endpoint) =>
  needsNothing(endpoint) && endpoint.parameters.some(({ in: place }) => place === 'query')

/** All kinds of promises. Each probe names the one that it looks at. */
export const promises = {
  schemas: {
    of: 'requests and replies have the forms of the document',
    by: 'parameters, bodies and responses',
    isMade: () => true,
  },
  security: {
    of: 'secured operations need a credential',
    by: 'security',
    isMade: some(({ secured }) => secured),
  },
  records: {
    of: 'what was made can be read, and what was removed can not',
    by: 'a POST beside operations on one of its records',
    isMade: ({ kinds }) => kinds.length > 0,
  },
  sizes: {
    of: 'a list has no more items than its parameter limit says',
    by: 'a limit of a list whose records a POST makes',
    isMade: contract => contract.endpoints.some(endpoint => sizeOf(contract, endpoint) !== undefined),
  },
  lists: {
    of: 'a list has each record once, and its parameters select what they are called',
    by: 'a list whose records a POST makes, in a document of others',
    isMade: ({ kinds, guided, endpoints }) =>
      !guided && (kinds.some(({ list }) => list !== undefined) || endpoints.some(takesQuery)),
  },
  effects: {
    of: 'requests change records as x-effects says, and nothing else',
    by: 'x-effects',
    isMade: hasExtension('x-effects'),
  },
  codes: {
    of: 'refusals have the codes of their responses',
    by: 'x-codes',
    isMade: ({ endpoints }) =>
      endpoints.some(({ responses }) => [...responses.values()].some(response => 'x-codes' in response)),
  },
  versions: {
    of: 'versions of records guard reads and changes',
    by: 'If-Match with 412, or If-None-Match with 304',
    isMade: some(
      endpoint =>
        (takesField(endpoint, 'if-match') && endpoint.statuses.includes(412)) ||
        (takesField(endpoint, 'if-none-match') && endpoint.statuses.includes(304)),
    ),
  },
  retries: {
    of: 'a repeated request has the reply of the first',
    by: `the parameter Idempotency-Key, and the header Idempotent-Replayed of its replies`,
    isMade: some(replays),
  },
  ends: {
    of: 'operations end on their day',
    by: 'x-deprecated-sunset',
    isMade: hasExtension('x-deprecated-sunset'),
  },
  lifetimes: {
    of: 'what is kept lasts as long as it is to',
    by: 'x-lifetimes',
    isMade: ({ model }) => 'x-lifetimes' in model.document,
  },
  limits: { of: 'plans, quotas and bans', by: 'x-rate-limits', isMade: isGuide },
  guide: {
    of: 'the rules of HTTP in this project’s guide: lists, filters, pointers of refusals, header fields of every reply, ETags, strict reading, codings',
    by: 'x-rate-limits',
    isMade: isGuide,
  },
} as const satisfies Record<string, Promised>

export type PromiseName = keyof typeof promises

/** Whether replies tell something that only documents of this project's rules, or with effects, say of other records. */
export const declaresEffects = (contract: Interface) =>
  isGuided(contract.model) || contract.endpoints.some(endpoint => effectsOf(endpoint).length > 0)

/** The outcome of a kind of promise in a run. */
export interface PromiseRow {
  of: string
  by: string
  state: 'looked at' | 'not looked at' | 'not made'
  /** the number of assertions */
  assertions: number
  /** why it was not looked at, or not in all parts */
  why: readonly string[]
}

/** Puts together by promises what probes have done. @param probes each probe's promise, and its figures if it ran */
export function lookedAt(
  contract: Interface,
  probes: readonly { promise: PromiseName; row: Row | undefined }[],
): PromiseRow[] {
  return Object.entries(promises).map(([name, { of, by, isMade }]) => {
    const rows = probes.flatMap(({ promise, row }) => (promise === name && row ? [row] : []))
    const assertions = rows.reduce((sum, row) => sum + row.assertions, 0)
    const seen = assertions > 0 ? 'looked at' : 'not looked at'
    const why = [...new Set(rows.flatMap(({ left }) => [...left]))]
    return { of, by, state: isMade(contract) ? seen : 'not made', assertions, why }
  })
}
