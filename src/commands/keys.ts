import { keyScheme } from '../checkers.ts'
import type { Contract } from '../engine/contract.ts'
import { hashKey, mintKey, previewKey } from '../keys/api-key.ts'
import * as store from '../store/api-keys.ts'
import { sealHashes } from '../store/key-seals.ts'
import type { Plan, Scope } from '../vocabulary.ts'
import { type Command, type CommandTools, Misuse, Refused } from './command.ts'

/** Keys in one answer. */
const pageSize = 100

/** A key as operators see it; the end of a ban, and of a previous secret, only while they are ahead. */
function shown(row: store.ApiKeyRow, now: Date) {
  const { id, name, preview, plan, quotas, scopes, disabled } = row
  const ahead = (time: Date | null) => (time && time > now ? time : null)
  const times = {
    expiresAt: row.expires_at,
    lastUsedAt: row.last_used_at,
    bannedUntil: ahead(row.banned_until),
    previousSecretExpiresAt: ahead(row.previous_expires_at),
  }
  const known = Object.entries(times).flatMap(([name, time]) => (time ? [[name, time.toISOString()]] : []))
  return {
    ...{ id, name, preview, plan, ...(quotas && { quotas }), scopes, disabled },
    createdAt: row.created_at.toISOString(),
    ...(Object.fromEntries(known) as { [Name in keyof typeof times]?: string }),
  }
}

type Shown = ReturnType<typeof shown>

/** What is said of a key to make or to change. */
interface Wish {
  name?: string
  plan?: Plan
  quotas?: store.ApiKeyRow['quotas']
  scopes?: Scope[]
  disabled?: boolean
  expiresAt?: string | null
  bannedUntil?: null
}

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
const windowsOf = ({ rateLimits }: Contract) =>
  (rateLimits?.windows ?? []).toSorted((a, b) => a.seconds - b.seconds).map(({ name }) => name)
const scopesOf = ({ facts }: Contract) => [
  ...new Set([...facts.values()].flatMap(({ scope }) => scope ?? [])),
]

/** Holds a wish against the plans, windows and scopes of the document. @throws Misuse that names each fault */
function checkedWish(input: unknown, contract: Contract): Wish {
  const wish = partsOf(partsOf(input).body)
  const plans = Object.keys(contract.rateLimits?.plans ?? {})
  const windows = windowsOf(contract)
  const scopes = scopesOf(contract)
  const someOf = (how: string, names: string[], what: string) =>
    names.length > 0 ? `${how} of ${names.join(', ')}` : `left out: the document has no ${what}`
  const rules: Record<keyof Wish, [isRight: (value: unknown) => boolean, what: string]> = {
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
  return wish as Wish // it has just been held
}

/** A refusal, with the status that the document has for its code. */
function refused({ facts }: Contract, code: string, message: string): Refused {
  const [status] = [...facts.values()].flatMap(({ codes }) => codes[code] ?? [])
  return new Refused({ code, message, ...(status !== undefined && { status }) })
}

const noKey = (contract: Contract, id: number) => refused(contract, 'not_found', `There is no API key ${id}.`)

/** Refuses what nobody would check, and what does not go together. @throws Refused */
function holdTogether(
  { contract, now }: CommandTools,
  plan: string,
  quotas: store.ApiKeyRow['quotas'] | undefined,
  expiresAt: string | null | undefined,
): void {
  if (keyScheme(contract.model) === undefined)
    throw refused(
      contract,
      'no_key_scheme',
      'The document has no API key in a header field, so nothing would check this key.',
    )
  const invalid = (what: string) => refused(contract, 'invalid_request', `The body is not valid: ${what}.`)
  const isCustom = contract.rateLimits?.plans[plan]?.custom === true
  if (isCustom !== Boolean(quotas))
    throw invalid(`/quotas are ${isCustom ? 'needed' : 'fixed'} for the plan ${plan}`)
  const own: Record<string, number> = quotas ?? {}
  for (const [i, name] of windowsOf(contract).entries()) {
    const longer = windowsOf(contract)[i + 1]
    if (longer !== undefined && (own[name] ?? 0) > (own[longer] ?? 0))
      throw invalid(`/quotas/${name} must be <= the quota of a ${longer}`)
  }
  if (expiresAt && new Date(expiresAt) <= now()) throw invalid('/expiresAt must be in the future')
}

const dateOf = (text: string | null | undefined) => (isText(text) ? new Date(text) : text)

const create: Command<{ body: Wish & { name: string } }, Shown & { secret: string }> = {
  check(input, contract) {
    const { name, ...body } = checkedWish(input, contract)
    if (name === undefined) throw new Misuse('/name is required')
    return { body: { ...body, name } }
  },
  async run({ body }, tools) {
    const { contract, seal, db, now } = tools
    const { name, quotas = null, scopes, expiresAt } = body
    const plan = body.plan ?? ((contract.rateLimits?.anonymous ?? '') as Plan) // one of the document's
    holdTogether(tools, plan, quotas, expiresAt)
    const secret = mintKey()
    const row = await store.insertApiKey(db, {
      name,
      preview: previewKey(secret),
      hash: seal.stored(hashKey(secret)),
      plan,
      quotas,
      scopes: scopes ?? (scopesOf(contract) as Scope[]), // likewise
      createdAt: now(),
      expiresAt: dateOf(expiresAt) ?? null,
    })
    return { ...shown(row, now()), secret }
  },
}

/** A page of the keys, and where the next one begins. */
const list: Command<{ cursor?: string }, { keys: Shown[]; cursor?: string }> = {
  check(input) {
    const { cursor } = partsOf(input)
    return isText(cursor) ? { cursor } : {}
  },
  async run({ cursor }, { db, now }) {
    const rows = await store.listApiKeys(db, cursor === undefined ? undefined : Number(cursor), pageSize + 1)
    const keys = rows.slice(0, pageSize).map(row => shown(row, now()))
    const last = rows.length > pageSize ? keys.at(-1) : undefined
    return { keys, ...(last && { cursor: String(last.id) }) }
  },
}

const show: Command<{ id: number }, Shown> = {
  check: checkedId,
  async run({ id }, { contract, db, now }) {
    const row = await store.findApiKey(db, id)
    if (!row) throw noKey(contract, id)
    return shown(row, now())
  },
}

/** Changes a key, or removes it. @throws Refused */
async function change(
  id: number,
  { contract, db, now, keyChanged }: CommandTools,
  decide: (key: store.ApiKeyRow) => store.ApiKeyChanges | null,
): Promise<store.ApiKeyRow> {
  const outcome = await store.changeApiKey<never, CommandTools['db']>(db, id, now(), decide)
  if (outcome === undefined) throw noKey(contract, id)
  if (outcome === 'last admin' || 'refusal' in outcome)
    throw refused(
      contract,
      'last_admin_key',
      `Key ${id} is the last one that can administer keys for so long: make another with the scope admin first.`,
    )
  await keyChanged(id)
  return outcome
}

const update: Command<{ id: number; body: Wish }, Shown> = {
  check: (input, contract) => ({ ...checkedId(input), body: checkedWish(input, contract) }),
  async run({ id, body }, tools) {
    const { expiresAt, bannedUntil, ...changes } = body
    const row = await change(id, tools, key => {
      const plan = changes.plan ?? key.plan
      const isCustom = tools.contract.rateLimits?.plans[plan]?.custom === true
      const quotas = changes.quotas ?? (isCustom ? key.quotas : null)
      holdTogether(tools, plan, quotas, expiresAt)
      return { ...changes, quotas, expires_at: dateOf(expiresAt), banned_until: bannedUntil }
    })
    return shown(row, tools.now())
  },
}

const rotate: Command<{ id: number; body: { overlapHours: number } }, Shown & { secret: string }> = {
  check(input) {
    const { overlapHours = 0 } = partsOf(partsOf(input).body)
    if (!isCount(overlapHours)) throw new Misuse('/overlapHours must be a whole number of hours')
    return { ...checkedId(input), body: { overlapHours: Number(overlapHours) } }
  },
  async run({ id, body }, { contract, db, seal, now, keyChanged }) {
    const secret = mintKey()
    const overlap = body.overlapHours * 3_600_000
    const row = await store.replaceSecret(
      db,
      id,
      { hash: seal.stored(hashKey(secret)), preview: previewKey(secret) },
      overlap > 0 ? new Date(now().getTime() + overlap) : null,
    )
    if (!row) throw noKey(contract, id)
    await keyChanged(id)
    return { ...shown(row, now()), secret }
  },
}

const revoke: Command<{ id: number }, null> = {
  check: checkedId,
  async run({ id }, tools) {
    await change(id, tools, () => null)
    return null
  },
}

/** Stores the hashes of all keys with the pepper. */
const pepper: Command<Record<never, never>, { peppered: number }> = {
  check: () => ({}),
  async run(_, { db, seal }) {
    if (!seal.isPeppered) throw new Error('There is no pepper: set API_KEY_PEPPER or API_KEY_PEPPER_FILE')
    return { peppered: await sealHashes(db, seal) }
  },
}

/** The keys in the database, whether or not the document has operations for them. */
export const keyCommands = {
  'keys.create': create,
  'keys.list': list,
  'keys.show': show,
  'keys.update': update,
  'keys.rotate': rotate,
  'keys.revoke': revoke,
  'keys.pepper': pepper,
}
