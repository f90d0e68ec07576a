import { isDeepStrictEqual } from 'node:util'
import { DatabaseUnavailable } from 'spec-served/internal/database/failures'
import { changedByUse, codes, credential } from '../../records/conventions.ts'
import type { Session } from '../session.ts'
import { change, type Issued, issue, type Life, livesOf, overlapsOf, read, replace, use } from './issuing.ts'

const second = 1_000
const minute = 60 * second
const hour = 60 * minute

/**
 * Uses issued credentials through their lives. A credential is valid until the second it expires. It is refused while
 * it is disabled, and once it is removed. A replaced secret stays valid for the time that was asked for.
 */
export async function probeCredentials(session: Session): Promise<void> {
  const { clock } = session.world.hands
  const parts = { expires, isAlone, isUsed, isReplaced, areReplaced }
  for (const life of livesOf(session)) {
    const now = clock?.now()
    for (const [name, part] of Object.entries(parts)) {
      await session.probe(`credentials: ${name}`, () => part(life))
      if (now) clock?.set(now)
    }
  }
}

/** Checks that use is noted. After a restart, which writes it, the record tells the minute of the last use. */
async function isUsed(life: Life): Promise<void> {
  const { session } = life
  const { clock } = session
  // In the second half of a minute, which is rounded down.
  clock.set(new Date((Math.floor(clock.now().getTime() / minute) + 1) * minute + 40 * second))
  const issued = await issue(life)
  const before = await read(life, issued)
  for (const name of changedByUse)
    session.hold(before.exchange, `${name} is named before any use`, before.body[name] === undefined)
  const useLater = async (when: string) => {
    clock.advance(2 * minute)
    await use(life, issued.secret, true, when)
  }
  await useLater('that was just issued')
  // Only what can't be written during the next stop is lost.
  await session.restart(new DatabaseUnavailable('Cut by the check'))
  await useLater('that was used before a stop without a database')
  await useLater('that was used before')
  const after = await holdUse(life, issued)
  for (const [name, value] of Object.entries(before.body))
    if (!changedByUse.has(name))
      session.holdSame(after.exchange, `${name}, after minutes without a change,`, after.body[name], value)
  // Its reply tells of the use, too, and the former secret is used on.
  const overlap = overlapsOf(life).find(hours => hours > 0)
  await replace(life, issued, overlap ?? 0)
  const replaced = await read(life, issued)
  for (const name of changedByUse)
    session.holdSame(
      replaced.exchange,
      `${name}, after a replacement,`,
      replaced.body[name],
      after.body[name],
    )
  if (overlap === undefined) return
  await useLater('that is replaced with an overlap')
  await holdUse(life, issued)
}

/** The record of a credential tells the minute of its last use, which is now. */
async function holdUse(life: Life, issued: Issued) {
  const { session } = life
  const { clock } = session
  const used = clock.now().getTime()
  await session.restart()
  clock.advance(2 * minute)
  const after = await read(life, issued)
  for (const name of changedByUse) {
    const usedAt = Date.parse(String(after.body[name]))
    const isRight = usedAt <= used && usedAt > used - minute
    const what = `${name} is ${after.body[name]}, and it was ${new Date(used).toISOString()}`
    session.hold(after.exchange, what, isRight)
  }
  return after
}

async function expires(life: Life): Promise<void> {
  const { session, maker } = life
  const { clock } = session
  const begin = clock.now().getTime()
  const expiryAt = (time: number) => ({ [credential.expiresAt]: new Date(time).toISOString() })
  const ended = await session.exchange(maker, session.least(maker, expiryAt(begin)))
  session.holdRefusal(ended, 'a credential that expires now', codes.invalid)
  const issued = await issue(life, expiryAt(begin + hour))
  clock.set(new Date(begin + hour - second))
  await use(life, issued.secret, true, 'a second before it expires')
  clock.set(new Date(begin + hour))
  await use(life, issued.secret, false, 'that has just expired')
  await change(life, issued, 'PATCH', { [credential.disabled]: false }) // which leaves its end as it is
  clock.set(new Date(begin))
  await change(life, issued, 'PATCH', { [credential.expiresAt]: null })
  clock.set(new Date(begin + 2 * hour))
  await use(life, issued.secret, true, 'whose expiry was taken away')
  const [overlap = 0] = overlapsOf(life)
  const end = clock.now().getTime() + (overlap * hour) / 2
  const mortal = await issue(life, expiryAt(end))
  const renewed = await replace(life, mortal, overlap)
  await holdOverlap(life, mortal, end) // no secret outlives its credential
  clock.set(new Date(end))
  for (const secret of [renewed, mortal.secret])
    await use(life, secret, false, 'that was replaced and has just expired')
}

/** Checks that a text is refused that differs from a secret just used in case or by one character. */
async function isAlone(life: Life): Promise<void> {
  const { secret } = await issue(life)
  await use(life, secret, true, 'that was just issued')
  life.session.world.hands.clock?.advance(minute) // unauthenticated clients share an allowance
  const end = secret.at(-1) ?? ''
  const swapped = /[a-z]/.test(secret) ? secret.toUpperCase() : secret.toLowerCase()
  const others = [swapped, `${secret}a`, secret.slice(0, -1), secret.slice(0, -1) + (end === 'a' ? 'b' : 'a')]
  // A field that is sent twice comes as a list (RFC 9110, section 5.3).
  others.push(`${secret}, ${secret}`, `${secret}, another`, `another, ${secret}`)
  for (const other of others) await use(life, other, false, 'that is nearly another one')
}

/** A secret that is replaced is valid until the very end of its overlap, which is told. */
async function isReplaced(life: Life): Promise<void> {
  const { clock } = life.session
  for (const hours of overlapsOf(life)) {
    const issued = await issue(life)
    const secret = await replace(life, issued, hours)
    const end = clock.now().getTime() + hours * hour
    await holdOverlap(life, issued, end)
    await use(life, secret, true, 'that replaces another')
    clock.set(new Date(end - second))
    await use(life, issued.secret, true, 'that is replaced, a second before its end')
    clock.set(new Date(end))
    await use(life, issued.secret, false, 'that is replaced, at its end')
    await holdOverlap(life, issued, undefined)
    await use(life, secret, true, 'that replaces another for good')
    await replace(life, issued, 0)
    await use(life, secret, false, 'that is replaced at once')
  }
}

/** Until when a replaced secret is valid is told while it is. */
async function holdOverlap(life: Life, issued: Issued, until: number | undefined): Promise<void> {
  const { exchange, body } = await read(life, issued)
  const endText = body[credential.previousSecretExpiresAt]
  const end = endText === undefined ? undefined : Date.parse(String(endText))
  life.session.hold(exchange, `a replaced secret is said to end at ${endText}`, isDeepStrictEqual(end, until))
}

/**
 * Checks that none but the last two secrets of a credential are valid.
 * Those two are refused while it is disabled, and once it is removed.
 */
async function areReplaced(life: Life): Promise<void> {
  const issued = await issue(life)
  const secrets = [issued.secret]
  /** Uses the newest secrets, first that before the last; all of them must be let in, or none. */
  const useLast = async (count: number, isValid: boolean, when: string) => {
    for (const secret of secrets.slice(-count)) await use(life, secret, isValid, when)
  }
  const next = async (overlapHours: number) => {
    secrets.push(await replace(life, issued, overlapHours))
  }
  const disable = (disabled: boolean) => change(life, issued, 'PATCH', { [credential.disabled]: disabled })
  const [hours = 1] = overlapsOf(life)
  await useLast(1, true, 'that was just issued')
  await disable(true)
  await useLast(1, false, 'that is disabled')
  await disable(false)
  await useLast(1, true, 'that is enabled again')
  await next(hours)
  await useLast(2, true, 'that is replaced with an overlap, or replaces')
  await disable(true)
  await useLast(2, false, 'that is disabled, with two secrets,')
  await disable(false)
  await useLast(2, true, 'that is enabled again, with two secrets,')
  await next(hours)
  await useLast(2, true, 'that is replaced with an overlap, or replaces')
  await use(life, issued.secret, false, 'that was replaced twice')
  await next(0)
  await useLast(1, true, 'that replaces others')
  for (const old of secrets.slice(0, -1)) await use(life, old, false, 'that was replaced at once, or before')
  await next(hours)
  await useLast(2, true, 'that is replaced with an overlap, or replaces')
  await change(life, issued, 'DELETE', {})
  await useLast(2, false, 'that was removed, with two secrets,')
  const other = await issue(life)
  await use(life, other.secret, true, 'that was just issued')
  await change(life, other, 'DELETE', {})
  await use(life, other.secret, false, 'that was removed')
}
