import { keyScheme } from '../checkers.ts'
import type { Contract } from '../engine/contract.ts'
import { hashKey, mintKey, previewKey } from '../keys/api-key.ts'
import * as store from '../store/api-keys.ts'
import type { Plan, Scope } from '../vocabulary.ts'
import { Misuse, Refused } from './failures.ts'
import { checkCursor, checkId, pageSize, partsOf, pepper } from './key-input.ts'
import type { Command, CommandTools } from './tools.ts'

/** A key as operators see it. */
interface StoredKey {
  id: number
  name: string
  preview: string
  plan: Plan
  quotas?: Readonly<Record<string, number>>
  scopes: Scope[]
  disabled: boolean
  createdAt: string
  expiresAt?: string
  lastUsedAt?: string
  bannedUntil?: string
  previousSecretExpiresAt?: string
}

function shown(row: store.ApiKeyRow, now: Date): StoredKey {
  const timeOf = <Name extends string>(name: Name, time: Date | null, isPast = false) =>
    time && (isPast || time > now) ? ({ [name]: time.toISOString() } as Record<Name, string>) : {}
  return {
    id: row.id,
    name: row.name,
    preview: row.preview,
    plan: row.plan,
    ...(row.quotas && { quotas: row.quotas }),
    scopes: row.scopes,
    disabled: row.disabled,
    createdAt: row.created_at.toISOString(),
    ...timeOf('expiresAt', row.expires_at, true),
    ...timeOf('lastUsedAt', row.last_used_at, true),
    ...timeOf('bannedUntil', row.banned_until),
    ...timeOf('previousSecretExpiresAt', row.previous_expires_at),
  }
}

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

/** Holds a wish against the plans, windows and scopes of the document. @throws Misuse that names each fault */
function checkedWish(input: unknown, contract: Contract): Wish {
  const wish = partsOf(partsOf(input).body)
  const faults: string[] = []
  const hold = (name: keyof Wish, isRight: (value: unknown) => boolean, what: string) => {
    if (wish[name] !== undefined && !isRight(wish[name])) faults.push(`/${name} must be ${what}`)
  }
  const plans = Object.keys(contract.rateLimits?.plans ?? {})
  const windows = (contract.rateLimits?.windows ?? []).map(({ name }) => name)
  const scopes = scopesOf(contract)
  const isText = (value: unknown): value is string => typeof value === 'string'
  hold('name', value => isText(value) && /^.{1,100}$/su.test(value), 'a text of 1 to 100 characters')
  hold(
    'plan',
    value => isText(value) && plans.includes(value),
    plans.length > 0 ? `one of ${plans.join(', ')}` : 'left out: the document has no plans',
  )
  hold(
    'scopes',
    value => Array.isArray(value) && value.every(one => scopes.includes(one)),
    scopes.length > 0 ? `some of ${scopes.join(', ')}` : 'left out: the document has no scopes',
  )
  hold(
    'quotas',
    value => {
      const own = Object.entries(partsOf(value))
      return (
        own.length === windows.length && own.every(([name, one]) => windows.includes(name) && isQuota(one))
      )
    },
    `a whole number for each of ${windows.join(', ')}`,
  )
  const isTime = (value: unknown) => value === null || (isText(value) && !Number.isNaN(Date.parse(value)))
  hold('expiresAt', isTime, 'a date-time')
  hold('disabled', value => typeof value === 'boolean', 'true or false')
  hold('bannedUntil', value => value === null, 'null')
  if (faults.length > 0) throw new Misuse(faults.join('\n'))
  return wish as Wish // it has just been held
}

const isQuota = (value: unknown) => Number.isSafeInteger(value) && Number(value) >= 0

const scopesOf = ({ facts }: Contract) => [
  ...new Set([...facts.values()].flatMap(({ scope }) => scope ?? [])),
]

/** Refuses what nobody would check, and quotas that do not go with the plan. @throws Refused */
function holdTogether({ contract }: CommandTools, plan: string, quotas: object | null | undefined): void {
  if (keyScheme(contract.model) === undefined)
    throw new Refused({
      code: 'no_key_scheme',
      message: 'The document has no API key in a header field, so nothing would check this key.',
    })
  const isCustom = contract.rateLimits?.plans[plan]?.custom === true
  if (isCustom === Boolean(quotas)) return
  const message = `Quotas are ${isCustom ? 'needed' : 'fixed'} for the plan ${plan}.`
  throw new Refused({ code: 'invalid_request', message })
}

const dateOf = (text: string | null | undefined) => (typeof text === 'string' ? new Date(text) : text)
const noKey = (id: number) => new Refused({ code: 'not_found', message: `There is no API key ${id}.` })

const create: Command<{ body: Wish }, StoredKey & { secret: string }> = {
  check: (input, contract) => ({ body: checkedWish(input, contract) }),
  async run({ body }, tools) {
    const { contract, seal, db, now } = tools
    const { name, quotas = null, scopes, expiresAt } = body
    if (name === undefined) throw new Misuse('/name is needed')
    const plan = body.plan ?? ((contract.rateLimits?.anonymous ?? '') as Plan) // one of the document's
    holdTogether(tools, plan, quotas)
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

const list: Command<{ cursor?: string }, { keys: StoredKey[]; cursor?: string }> = {
  check: checkCursor,
  async run({ cursor }, { db, now }) {
    const rows = await store.listApiKeys(db, cursor === undefined ? undefined : Number(cursor), pageSize + 1)
    const keys = rows.slice(0, pageSize).map(row => shown(row, now()))
    const last = rows.length > pageSize ? keys.at(-1) : undefined
    return { keys, ...(last && { cursor: String(last.id) }) }
  },
}

const show: Command<{ id: number }, StoredKey> = {
  check: checkId,
  async run({ id }, { db, now }) {
    const row = await store.findApiKey(db, id)
    if (!row) throw noKey(id)
    return shown(row, now())
  },
}

/** Changes a key, or removes it. @throws Refused */
async function change(
  id: number,
  tools: CommandTools,
  decide: Parameters<typeof store.changeApiKey<never, CommandTools['db']>>[3],
): Promise<store.ApiKeyRow> {
  const outcome = await store.changeApiKey<never, CommandTools['db']>(tools.db, id, tools.now(), decide)
  if (outcome === undefined) throw noKey(id)
  if (outcome === 'last admin' || 'refusal' in outcome)
    throw new Refused({ code: 'last_admin_key', message: `Key ${id} is the last one with the scope admin.` })
  await tools.keyChanged(id)
  return outcome
}

const update: Command<{ id: number; body: Wish }, StoredKey> = {
  check: (input, contract) => ({ ...checkId(input), body: checkedWish(input, contract) }),
  async run({ id, body }, tools) {
    const { expiresAt, bannedUntil, ...changes } = body
    const row = await change(id, tools, key => {
      const plan = changes.plan ?? key.plan
      const isCustom = tools.contract.rateLimits?.plans[plan]?.custom === true
      const quotas = changes.quotas ?? (isCustom ? key.quotas : null)
      holdTogether(tools, plan, quotas)
      return { ...changes, quotas, expires_at: dateOf(expiresAt), banned_until: bannedUntil }
    })
    return shown(row, tools.now())
  },
}

const rotate: Command<{ id: number; body: { overlapHours: number } }, StoredKey & { secret: string }> = {
  check(input) {
    const { overlapHours = 0 } = partsOf(partsOf(input).body)
    if (!isQuota(overlapHours)) throw new Misuse('/overlapHours must be a whole number of hours')
    return { ...checkId(input), body: { overlapHours: Number(overlapHours) } }
  },
  async run({ id, body }, { db, seal, now, keyChanged }) {
    const secret = mintKey()
    const overlap = body.overlapHours * 3_600_000
    const row = await store.replaceSecret(
      db,
      id,
      { hash: seal.stored(hashKey(secret)), preview: previewKey(secret) },
      overlap > 0 ? new Date(now().getTime() + overlap) : null,
    )
    if (!row) throw noKey(id)
    await keyChanged(id)
    return { ...shown(row, now()), secret }
  },
}

const revoke: Command<{ id: number }, null> = {
  check: checkId,
  async run({ id }, tools) {
    await change(id, tools, () => null)
    return null
  },
}

/** The keys in the database, for a document that has no operations for them. */
export const keyCommands = {
  'keys.create': create,
  'keys.list': list,
  'keys.show': show,
  'keys.update': update,
  'keys.rotate': rotate,
  'keys.revoke': revoke,
  'keys.pepper': pepper,
}
