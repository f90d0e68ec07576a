import { isDeepStrictEqual } from 'node:util'
import { changedByUse, credential } from '../conventions.ts'
import { shapeOf } from '../interface.ts'
import { type Session, Unreachable } from '../session.ts'
import { isBody } from './differences.ts'
import {
  change,
  holdPreview,
  type Issued,
  issue,
  type Life,
  livesOf,
  read,
  secretIn,
  use,
} from './issuing.ts'

const second = 1_000
const hour = 3_600 * second

/**
 * Uses credentials that the service has issued, through their lives: valid until the second they expire, refused while
 * they are disabled and once they are removed; one that is replaced stays valid for the time that was asked for.
 */
export async function probeCredentials(session: Session): Promise<void> {
  const { clock } = session.world.hands
  const parts = { expires, isAlone, isDisabled, isUsed, isReplaced, areReplaced, isRemoved }
  for (const life of livesOf(session)) {
    const now = clock?.now()
    for (const [name, part] of Object.entries(parts)) {
      await session.probe(`credentials: ${name}`, () => part(life))
      if (now) clock?.set(now)
    }
  }
}

/** Use is noted: after a restart, which writes what is noted, the minute of the last one is told; all else stays. */
async function isUsed(life: Life): Promise<void> {
  const { session } = life
  const { clock } = session
  const minute = 60 * second
  clock.set(new Date((Math.floor(clock.now().getTime() / minute) + 1) * minute + second))
  const issued = await issue(life)
  const before = await read(life, issued)
  for (const name of changedByUse)
    session.hold(before.exchange, `${name} is told of what was not used`, before.body[name] === undefined)
  clock.advance(2 * minute)
  await use(life, issued.secret, true, 'that was just issued')
  // What can't be written then is lost, and nothing else.
  await session.restart(new Error('Connection terminated by the check'))
  clock.advance(2 * minute)
  await use(life, issued.secret, true, 'that was used before a stop without a database')
  clock.advance(2 * minute)
  await use(life, issued.secret, true, 'that was used before')
  const used = clock.now().getTime()
  await session.restart()
  clock.advance(2 * minute)
  const after = await read(life, issued)
  for (const name of changedByUse) {
    const told = Date.parse(String(after.body[name]))
    const isRight = told <= used && told > used - minute
    session.hold(
      after.exchange,
      `${name} is ${after.body[name]}, and it was ${new Date(used).toISOString()}`,
      isRight,
    )
  }
  for (const [name, value] of Object.entries(before.body))
    if (!changedByUse.has(name))
      session.hold(
        after.exchange,
        `${name} was ${JSON.stringify(value)} and is ${JSON.stringify(after.body[name])} after some minutes without a change`,
        isDeepStrictEqual(after.body[name], value),
      )
}

/** The hours for which a secret may stay valid beside the next one. */
function overlapsOf({ session: { contract }, maker, parameter }: Life): number[] {
  for (const { path, request } of contract.endpoints) {
    if (!path.startsWith(`${maker.path}/{${parameter}}/`)) continue
    const { overlapHours } = shapeOf(contract.model, request.properties.body ?? {}).properties ?? {}
    const values = overlapHours ? (shapeOf(contract.model, overlapHours).enum ?? [2]) : []
    const own = values.filter(value => typeof value === 'number').filter(value => value > 0)
    if (own.length > 0) return own
  }
  return [1]
}

async function expires(life: Life): Promise<void> {
  const { clock } = life.session
  const begin = clock.now().getTime()
  const draft = life.session.draw(life.maker, undefined, true)
  const ended = await life.session.exchange(life.maker, {
    ...draft,
    body: { ...(isBody(draft.body) && draft.body), [credential.expiresAt]: new Date(begin).toISOString() },
  })
  life.session.hold(ended, 'a credential that expires now is issued', ended.reply.status === 400)
  const issued = await issue(life, { expiresAt: new Date(begin + hour).toISOString() })
  clock.set(new Date(begin + hour - second))
  await use(life, issued.secret, true, 'a second before it expires')
  clock.set(new Date(begin + hour))
  await use(life, issued.secret, false, 'that has just expired')
  clock.set(new Date(begin))
  await change(life, issued, 'PATCH', { expiresAt: null })
  clock.set(new Date(begin + 2 * hour))
  await use(life, issued.secret, true, 'whose expiry was taken away')
}

/** What differs from a secret that was just used, in case or by a character, is none. */
async function isAlone(life: Life): Promise<void> {
  const { clock } = life.session.world.hands
  const { secret } = await issue(life)
  await use(life, secret, true, 'that was just issued')
  clock?.advance(60 * second) // strangers share an allowance
  const end = secret.at(-1) ?? ''
  const swapped = /[a-z]/.test(secret) ? secret.toUpperCase() : secret.toLowerCase()
  const others = [swapped, `${secret}a`, secret.slice(0, -1), secret.slice(0, -1) + (end === 'a' ? 'b' : 'a')]
  for (const other of others) await use(life, other, false, 'that is nearly another one')
}

async function isDisabled(life: Life): Promise<void> {
  const issued = await issue(life)
  await use(life, issued.secret, true, 'that was just issued')
  await change(life, issued, 'PATCH', { disabled: true })
  await use(life, issued.secret, false, 'that is disabled')
  await change(life, issued, 'PATCH', { disabled: false })
  await use(life, issued.secret, true, 'that is enabled again')
}

async function isReplaced(life: Life): Promise<void> {
  for (const hours of overlapsOf(life)) await isReplacedAfter(life, hours)
}

async function isReplacedAfter(life: Life, hours: number): Promise<void> {
  const { clock } = life.session
  const issued = await issue(life)
  const overlap = await change(life, issued, 'POST', { overlapHours: hours })
  const secret = secretIn(overlap)
  if (secret === undefined) throw new Unreachable('its reply has no secret', overlap)
  const begin = clock.now().getTime()
  holdPreview(life, overlap)
  await holdOverlap(life, issued, begin + hours * hour)
  await use(life, secret, true, 'that replaces another')
  clock.set(new Date(begin + hours * hour - second))
  await use(life, issued.secret, true, 'that is replaced, a second before its end')
  clock.set(new Date(begin + hours * hour))
  await use(life, issued.secret, false, 'that is replaced, at its end')
  await holdOverlap(life, issued, undefined)
  await use(life, secret, true, 'that replaces another for good')
  await change(life, issued, 'POST', { overlapHours: 0 })
  await use(life, secret, false, 'that is replaced at once')
}

/**
 * Of the secrets that a credential has had, none but the last two is valid, and those only while it is; whether or not the
 * request that replaces one may be repeated.
 */
async function areReplaced(life: Life): Promise<void> {
  const issued = await issue(life)
  const secrets = [issued.secret]
  /** Uses the newest secrets, first that before the last; all of them must be let in, or none. */
  const useLast = async (count: number, isValid: boolean, when: string) => {
    for (const secret of secrets.slice(-count)) await use(life, secret, isValid, when)
  }
  const replace = async (overlapHours: number) => {
    const retryKey = `replacement-${secrets.length}-of-${issued.id}`
    const replaced = await change(life, issued, 'POST', { overlapHours }, retryKey)
    const secret = secretIn(replaced)
    if (secret === undefined) throw new Unreachable('its reply has no secret', replaced)
    secrets.push(secret)
  }
  const [hours = 1] = overlapsOf(life)
  await useLast(1, true, 'that was just issued')
  await replace(hours)
  await useLast(2, true, 'that is replaced with an overlap, or replaces')
  await change(life, issued, 'PATCH', { disabled: true })
  await useLast(2, false, 'that is disabled, with two secrets,')
  await change(life, issued, 'PATCH', { disabled: false })
  await useLast(2, true, 'that is enabled again, with two secrets,')
  await replace(hours)
  await useLast(2, true, 'that is replaced with an overlap, or replaces')
  await use(life, issued.secret, false, 'that was replaced twice')
  await replace(0)
  await useLast(1, true, 'that replaces others')
  for (const old of secrets.slice(0, -1)) await use(life, old, false, 'that was replaced at once, or before')
  await replace(hours)
  await useLast(2, true, 'that is replaced with an overlap, or replaces')
  await change(life, issued, 'DELETE', {})
  await useLast(2, false, 'that was removed, with two secrets,')
}

/** Until when a replaced secret is valid is told while it is. */
async function holdOverlap(life: Life, issued: Issued, until: number | undefined): Promise<void> {
  const found = await read(life, issued)
  const name = credential.previousSecretExpiresAt
  const told = found.body[name]
  const isRight = until === undefined ? told === undefined : Date.parse(String(told)) === until
  const due = until === undefined ? 'absent' : new Date(until).toISOString()
  life.session.hold(found.exchange, `${name} is ${told}, and not ${due}`, isRight)
}

async function isRemoved(life: Life): Promise<void> {
  const issued = await issue(life)
  await use(life, issued.secret, true, 'that was just issued')
  await change(life, issued, 'DELETE', {})
  await use(life, issued.secret, false, 'that was removed')
}
