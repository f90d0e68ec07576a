import { windowsOf } from 'spec-served/internal/callers/administration'
import type { Holder } from 'spec-served/internal/callers/caller'
import { ampleRights, widestRights } from 'spec-served/internal/callers/first-key'
import type { Checkers, Found } from 'spec-served/internal/callers/security'
import { type Refusal, refusal } from 'spec-served/internal/errors/api-error'
import type { Contract } from 'spec-served-document/contract/contract'
import type { Fault } from 'spec-served-document/values/faults'
import { codes, credential as names } from '../records/conventions.ts'
import type { State } from '../records/effects.ts'
import type { Kept } from './records.ts'

const hour = 3_600_000
/** More than any client sends in a window. */
const mostCalls = 1_000_000_000

/** The secrets of a record. */
interface Secrets {
  record: Kept
  current: string
  previous?: { secret: string; until: number }
}

/**
 * Keeps the credentials that records are, by the conventions of the check: scopes, plan, expiry and replaced secrets. All
 * others are right, with every scope, unless some were given: then only these are.
 * @param accepted if there are any, they have more quota than any client uses, where a plan allows that
 */
export function createCredentials(contract: Contract, accepted: readonly string[], now: () => Date) {
  const bySecret = new Map<string, Secrets>()
  const byRecord = new Map<Kept, Secrets>()
  const rights =
    accepted.length > 0 ? ampleRights(contract, mostCalls) : { ...widestRights(contract), quotas: null }
  const timeOf = (value: unknown) => (typeof value === 'string' ? Date.parse(value) : Infinity)

  function find(value: string): Found {
    const caller = bySecret.get(value)
    if (!caller) {
      if (accepted.length > 0 && !accepted.includes(value)) return { fault: 'is unknown' }
      return { id: `given ${value}`, ...rights, bannedUntil: null }
    }
    const { record, current, previous } = caller
    const time = now().getTime()
    if (value !== current && !(previous?.secret === value && time < previous.until))
      return { fault: 'was replaced' }
    return holderOf(record, time)
  }

  function holderOf({ id, state }: Kept, time: number): Found {
    if (state[names.disabled] === true) return { fault: 'is disabled' }
    if (timeOf(state[names.expiresAt]) <= time) return { fault: 'has expired' }
    const { [names.scopes]: scopes, [names.plan]: plan, [names.quotas]: quotas } = state
    const { [names.bannedUntil]: bannedUntil } = state
    return {
      id: typeof id === 'number' ? id : String(id),
      scopes: Array.isArray(scopes) ? scopes : rights.scopes,
      plan: typeof plan === 'string' ? plan : rights.plan,
      quotas: (quotas as Holder['quotas'] | undefined) ?? null, // of the form that the document's schema has checked
      bannedUntil: Number.isFinite(timeOf(bannedUntil)) ? new Date(timeOf(bannedUntil)) : null,
    }
  }

  const isOwn = (plan: unknown) => contract.rateLimits?.plans[String(plan)]?.custom === true

  return {
    checkers: Object.fromEntries(
      Object.keys(contract.model.document.components?.securitySchemes ?? {}).map(name => [
        name,
        { ...(contract.rateLimits && { isOfKeys: true as const }), find: ({ value }) => find(value) },
      ]),
    ) satisfies Checkers,

    /** Lets a record have a secret, in place of an earlier one. @returns what the record shows of it */
    issue(record: Kept, secret: string, asked: State): State {
      const { [names.overlapHours]: hours } = asked
      const before = byRecord.get(record)
      const shown = { [names.preview]: `${secret.slice(0, 13)}…`, [names.previousSecretExpiresAt]: undefined }
      const secrets: Secrets = { record, current: secret }
      if (before && typeof hours === 'number' && hours > 0) {
        const until = Math.min(now().getTime() + hours * hour, timeOf(record.state[names.expiresAt]))
        secrets.previous = { secret: before.current, until }
        Object.assign(shown, { [names.previousSecretExpiresAt]: new Date(until).toISOString() })
      }
      for (const old of [before?.previous?.secret, before?.current]) if (old) bySecret.delete(old)
      for (const secretText of [secrets.previous?.secret, secret])
        if (secretText) bySecret.set(secretText, secrets)
      byRecord.set(record, secrets)
      return shown
    },

    remove(record: Kept): void {
      const secrets = byRecord.get(record)
      for (const secretText of [secrets?.previous?.secret, secrets?.current])
        if (secretText) bySecret.delete(secretText)
      byRecord.delete(record)
    },

    /** Takes up the ends of bans, by the identifiers of records. */
    async ban(ends: ReadonlyMap<number, Date>): Promise<void> {
      for (const [id, end] of ends)
        for (const { record } of byRecord.values())
          if (record.id === id) record.state = { ...record.state, [names.bannedUntil]: end.toISOString() }
    },

    clear(): void {
      bySecret.clear()
      byRecord.clear()
    },

    /** The record as it is at this time: ends that are over are not shown. */
    shown(state: State): State {
      const isOver = (name: string) => timeOf(state[name]) <= now().getTime()
      const ends: string[] = [names.previousSecretExpiresAt, names.bannedUntil].filter(isOver)
      return ends.length === 0
        ? state
        : Object.fromEntries(Object.entries(state).filter(([name]) => !ends.includes(name)))
    },

    /** A credential's state after a change of its plan: other plans have no quotas of their own. */
    settled(state: State): State {
      const { [names.quotas]: _, ...others } = state
      return names.plan in state && names.quotas in state && !isOwn(state[names.plan]) ? others : state
    },

    /** Refuses what no schema can refuse: quotas that do not fit the plan, and an end in the past. */
    unfit(body: State, after: State): Refusal | undefined {
      if (!(names.plan in after) || !contract.rateLimits) return undefined
      const faults: Fault[] = []
      const note = (path: string, message: string) => faults.push({ path, message })
      const { [names.plan]: plan, [names.quotas]: quotas } = after
      if (isOwn(plan) && !quotas) note(`/${names.quotas}`, `are needed for the plan ${plan}`)
      if (!isOwn(plan) && body[names.quotas]) note(`/${names.quotas}`, `are fixed for the plan ${plan}`)
      const quotaFields = Object(quotas)
      const windows = windowsOf(contract)
      for (const [index, longer] of windows.slice(1).entries()) {
        const name = windows[index] ?? ''
        if (quotaFields[name] > quotaFields[longer])
          note(`/${names.quotas}/${name}`, `must be <= the quota of a ${longer}`)
      }
      if (timeOf(body[names.expiresAt]) <= now().getTime())
        note(`/${names.expiresAt}`, 'must be in the future')
      const [first] = faults
      return (
        first && refusal(codes.invalid.code, `The body is not valid: ${first.path} ${first.message}.`, faults)
      )
    },

    /**
     * Refuses a change after which no credential could administer others for so long. @param after the changed state;
     * undefined: it is removed
     */
    isLastAdministrator(record: Kept, after: State | undefined, scope: string, all: Iterable<Kept>): boolean {
      const time = now().getTime()
      /** until when a credential can do that */
      const endOf = (state: State | undefined) => {
        const scopes = state?.[names.scopes]
        const isAble = Array.isArray(scopes) && scopes.includes(scope) && state?.[names.disabled] !== true
        const end = timeOf(state?.[names.expiresAt])
        return isAble && end > time ? end : 0
      }
      const [was, is] = [endOf(record.state), endOf(after)]
      const others = Math.max(
        0,
        ...[...all].filter(candidate => candidate !== record).map(({ state }) => endOf(state)),
      )
      return is < was && was > others
    },
  }
}
