import { keyScheme } from '../checkers.ts'
import type { Contract } from '../engine/contract.ts'
import type { Refusal } from '../engine/replies/api-error.ts'
import { widestRights } from '../first-key.ts'
import * as keys from '../keys/administration.ts'
import { findApiKey, listApiKeys } from '../store/api-keys.ts'
import { sealHashes } from '../store/key-seals.ts'
import type { Plan, Scope } from '../vocabulary.ts'
import { type CommandTools, command, Misuse, Refused } from './command.ts'

/** Keys that are read at once. */
const pageSize = 100

/** The parts of an input that is not known yet. */
const partsOf = (input: unknown): Record<string, unknown> =>
  typeof input === 'object' && input !== null ? { ...input } : {}

/** The key that an input names by its number. @throws Misuse */
function checkedId(input: unknown): { id: number } {
  const { id } = partsOf(input)
  if (!Number.isSafeInteger(id) || Number(id) < 1) throw new Misuse('A key is named by its number')
  return { id: Number(id) }
}

const isCount = (value: unknown) => Number.isSafeInteger(value) && Number(value) >= 0
const isText = (value: unknown): value is string => typeof value === 'string'

/** Holds a wish against the plans, windows and scopes of the document. @throws Misuse that names each fault */
function checkedWish(input: unknown, contract: Contract): keys.KeyWish {
  const wish = partsOf(partsOf(input).body)
  const plans = Object.keys(contract.rateLimits?.plans ?? {})
  const windows = keys.windowsOf(contract)
  const { scopes } = widestRights(contract)
  const someOf = (how: string, names: string[], what: string) =>
    names.length > 0 ? `${how} of ${names.join(', ')}` : `left out: the document has no ${what}`
  const rules: Record<keyof keys.KeyWish, [isRight: (value: unknown) => boolean, what: string]> = {
    name: [
      value => isText(value) && value.trim() !== '' && [...value].length <= 100,
      'a text of 1 to 100 characters',
    ],
    plan: [value => isText(value) && plans.includes(value), someOf('one', plans, 'plans')],
    scopes: [
      value => Array.isArray(value) && value.every(one => scopes.includes(one)),
      someOf('some', scopes, 'scopes'),
    ],
    quotas: [
      value => {
        const own = Object.entries(partsOf(value))
        return (
          own.length === windows.length && own.every(([name, one]) => windows.includes(name) && isCount(one))
        )
      },
      `a whole number for each of ${windows.join(', ')}`,
    ],
    expiresAt: [
      value => value === null || (isText(value) && !Number.isNaN(Date.parse(value))),
      'a date-time',
    ],
    disabled: [value => typeof value === 'boolean', 'true or false'],
    bannedUntil: [value => value === null, 'null'],
  }
  const faults = Object.entries(rules).flatMap(([name, [isRight, what]]) =>
    wish[name] === undefined || isRight(wish[name]) ? [] : [`/${name} must be ${what}`],
  )
  if (faults.length > 0) throw new Misuse(faults.join('\n'))
  return wish as keys.KeyWish // it has just been held
}

/** What an operation gives, where it does not refuse. @throws Refused, with the status that the document has for the code */
function done<T extends object>({ facts }: Contract, outcome: T | Refusal): T {
  if (!('code' in outcome)) return outcome
  const { code, message } = outcome as Refusal // no key has a code
  const [status] = [...facts.values()].flatMap(({ codes }) => codes[code] ?? [])
  throw new Refused({ code, message, ...(status !== undefined && { status }) })
}

/** @throws Refused where nothing would check a key */
function needScheme({ contract }: CommandTools): void {
  if (keyScheme(contract.model) !== undefined) return
  const message = 'The document has no API key in a header field, so nothing would check this key.'
  throw new Refused({ code: 'no_key_scheme', message })
}

/** The keys in the database, whether or not the document has operations for them. */
export const keyCommands = {
  'keys.create': command({
    check(input, contract) {
      const { name, ...body } = checkedWish(input, contract)
      if (name === undefined) throw new Misuse('/name is required')
      return { body: { ...body, name } }
    },
    async run({ body }, tools) {
      const { contract, seal, db } = tools
      needScheme(tools)
      const plan = body.plan ?? ((contract.rateLimits?.anonymous ?? '') as Plan) // one of the document's
      const scopes = body.scopes ?? (widestRights(contract).scopes as Scope[]) // likewise
      return done(contract, await keys.createKey(db, seal, tools, { ...body, plan, scopes }))
    },
  }),

  /** All of them, by their numbers. */
  'keys.list': command({
    check: () => ({}),
    async run(_, tools) {
      const found: ReturnType<typeof keys.shownKey>[] = []
      for (;;) {
        const rows = await listApiKeys(tools.db, found.at(-1)?.id, pageSize)
        found.push(...rows.map(row => keys.shownKey(row, tools)))
        if (rows.length < pageSize) return { keys: found }
      }
    },
  }),

  'keys.show': command({
    check: checkedId,
    async run({ id }, tools) {
      const row = await findApiKey(tools.db, id)
      return keys.shownKey(done(tools.contract, row ?? keys.noKey(id)), tools)
    },
  }),

  'keys.update': command({
    check: (input, contract) => ({ ...checkedId(input), body: checkedWish(input, contract) }),
    async run({ id, body }, tools) {
      needScheme(tools)
      return done(tools.contract, await keys.updateKey(tools.db, tools, id, body))
    },
  }),

  'keys.rotate': command({
    check(input) {
      const { overlapHours = 0 } = partsOf(partsOf(input).body)
      if (!isCount(overlapHours)) throw new Misuse('/overlapHours must be a whole number of hours')
      return { ...checkedId(input), body: { overlapHours: Number(overlapHours) } }
    },
    async run({ id, body }, tools) {
      const { contract, db, seal } = tools
      return done(contract, await keys.rotateKey(db, seal, tools, id, body.overlapHours))
    },
  }),

  'keys.revoke': command({
    check: checkedId,
    async run({ id }, tools) {
      done(tools.contract, (await keys.revokeKey(tools.db, tools, id)) ?? {})
      return null
    },
  }),

  /** Stores the hashes of all keys with the pepper. */
  'keys.pepper': command({
    check: () => ({}),
    async run(_, { db, seal }) {
      if (!seal.mark) throw new Error('There is no pepper: set API_KEY_PEPPER or API_KEY_PEPPER_FILE')
      return { peppered: await sealHashes(db, seal) }
    },
  }),
}
