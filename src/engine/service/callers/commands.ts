import type { Contract } from 'spec-served-document/contract/contract'
import { type Refusal, refusal } from '../errors/api-error.ts'
import { type CommandTools, command, Misuse, Refused } from '../runtime/command.ts'
import { administerKeys, windowsOf } from './administration.ts'
import { widestRights } from './first-key.ts'
import { sealHashes } from './key-seals.ts'
import type { KeyChange, ShownKey } from './keys.ts'
import { keyScheme } from './scheme.ts'

const pageSize = 100

/** Returns the properties of an unchecked input. */
const partsOf = (input: unknown): Record<string, unknown> =>
  typeof input === 'object' && input !== null ? { ...input } : {}

/** Returns the number of a key that an input names. @throws Misuse */
function checkedId(input: unknown): { id: number } {
  const { id } = partsOf(input)
  if (!Number.isSafeInteger(id) || Number(id) < 1) throw new Misuse('A key is named by its number')
  return { id: Number(id) }
}

const isCount = (value: unknown) => Number.isSafeInteger(value) && Number(value) >= 0
const isText = (value: unknown): value is string => typeof value === 'string'

/** Checks a key's properties against the document's plans, windows and scopes. @throws Misuse that names each fault */
function checkedWish(input: unknown, contract: Contract): KeyChange {
  const wish = partsOf(partsOf(input).body)
  const plans = Object.keys(contract.rateLimits?.plans ?? {})
  const windows = windowsOf(contract)
  const { scopes } = widestRights(contract)
  const someOf = (how: string, names: string[], what: string) =>
    names.length > 0 ? `${how} of ${names.join(', ')}` : `left out: the document has no ${what}`
  const isName = (value: unknown) => isText(value) && value.trim() !== '' && [...value].length <= 100
  const isTime = (value: unknown) => value === null || (isText(value) && !Number.isNaN(Date.parse(value)))
  const areScopes = (value: unknown) => Array.isArray(value) && value.every(scope => scopes.includes(scope))
  const areQuotas = (value: unknown) => {
    const quotas = Object.entries(partsOf(value))
    return (
      quotas.length === windows.length &&
      quotas.every(([name, quota]) => windows.includes(name) && isCount(quota))
    )
  }
  const rules: Record<keyof KeyChange, [isRight: (value: unknown) => boolean, what: string]> = {
    name: [isName, 'a text of 1 to 100 characters'],
    plan: [value => isText(value) && plans.includes(value), someOf('one', plans, 'plans')],
    scopes: [areScopes, someOf('some', scopes, 'scopes')],
    quotas: [areQuotas, `a whole number for each of ${windows.join(', ')}`],
    expiresAt: [isTime, 'a date-time'],
    disabled: [value => typeof value === 'boolean', 'true or false'],
    bannedUntil: [value => value === null, 'null'],
  }
  const faults = Object.entries(rules).flatMap(([name, [isRight, what]]) =>
    wish[name] === undefined || isRight(wish[name]) ? [] : [`/${name} must be ${what}`],
  )
  if (faults.length > 0) throw new Misuse(faults.join('\n'))
  return wish as KeyChange // just checked
}

/** Returns an operation's result. @throws Refused for a refusal, with the status that the document gives its code */
function done<T extends object>({ facts }: Contract, outcome: T | Refusal): Exclude<T, Refusal> {
  if (!('code' in outcome)) return outcome as Exclude<T, Refusal> // only refusals have a code
  const { code, message } = outcome as Refusal // no key has a code
  const [status] = [...facts.values()].flatMap(({ codes }) => codes[code] ?? [])
  throw new Refused({ code, message, ...(status !== undefined && { status }) })
}

const noKey = (id: number) => refusal('not_found', `There is no API key ${id}: \`keys list\` lists all.`)

/** @throws Refused when no security scheme checks API keys */
function needScheme({ contract }: CommandTools): void {
  if (keyScheme(contract.model) !== undefined) return
  const message = 'The document has no API key in a header field, so nothing would check this key.'
  throw new Refused({ code: 'no_key_scheme', message })
}

/** Commands for the API keys in the database. The document need not have operations for them. */
export const keyCommands = {
  'keys.create': command({
    creates: true,
    check(input, contract) {
      const { name, ...body } = checkedWish(input, contract)
      if (name === undefined) throw new Misuse('/name is required')
      return { body: { ...body, name } }
    },
    async run({ body }, tools) {
      const { contract, db } = tools
      needScheme(tools)
      const { plan = contract.rateLimits?.anonymous ?? '', scopes = widestRights(contract).scopes } = body
      return done(contract, await administerKeys(db, tools).create({ ...body, plan, scopes }))
    },
  }),

  /** Lists all keys by number. */
  'keys.list': command({
    check: () => ({}),
    async run(_, tools) {
      const keys = administerKeys(tools.db, tools)
      const found: ShownKey[] = []
      for (;;) {
        const some = await keys.list(found.at(-1)?.id, pageSize)
        found.push(...some)
        if (some.length < pageSize) return { keys: found }
      }
    },
  }),

  'keys.show': command({
    check: checkedId,
    run: async ({ id }, tools) =>
      done(tools.contract, (await administerKeys(tools.db, tools).find(id)) ?? noKey(id)),
  }),

  'keys.update': command({
    check: (input, contract) => ({ ...checkedId(input), body: checkedWish(input, contract) }),
    async run({ id, body }, tools) {
      needScheme(tools)
      return done(tools.contract, (await administerKeys(tools.db, tools).update(id, body)) ?? noKey(id))
    },
  }),

  'keys.rotate': command({
    check(input) {
      const { overlapHours = 0 } = partsOf(partsOf(input).body)
      if (!isCount(overlapHours)) throw new Misuse('/overlapHours must be a whole number of hours')
      return { ...checkedId(input), body: { overlapHours: Number(overlapHours) } }
    },
    async run({ id, body }, tools) {
      const rotated = await administerKeys(tools.db, tools).rotate(id, body.overlapHours)
      return done(tools.contract, rotated ?? noKey(id))
    },
  }),

  'keys.revoke': command({
    check: checkedId,
    async run({ id }, tools) {
      const revoked = await administerKeys(tools.db, tools).revoke(id)
      if (revoked !== true) done(tools.contract, revoked || noKey(id))
      return null
    },
  }),

  /** Seals the hashes of all keys with the pepper. */
  'keys.pepper': command({
    check: () => ({}),
    async run(_, { db, seal }) {
      if (!seal.mark) throw new Error('There is no pepper: set API_KEY_PEPPER or API_KEY_PEPPER_FILE')
      return { peppered: await sealHashes(db, seal) }
    },
  }),
}
