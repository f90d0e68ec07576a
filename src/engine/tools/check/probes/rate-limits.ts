import { setTimeout as sleep } from 'node:timers/promises'
import { DatabaseUnavailable } from 'spec-served/internal/database/failures'
import { codes, credential, fields, lasting } from '../../records/conventions.ts'
import type { Endpoint } from '../../records/interface.ts'
import type { Exchange } from '../sending.ts'
import type { Session } from '../session.ts'
import { change, issue, livesOf } from './issuing.ts'
import { checkBannedQuotas, checkQuotaFields, leftBy, quotasFor } from './quotas.ts'

/**
 * Holds the limiter to `x-rate-limits`: what each plan is told, when windows begin and end, and who is banned how
 * long.
 */
export async function probeLimits(session: Session) {
  await probePlans(session)
  for (const index of session.limits.windows.keys()) await probeWindow(session, index)
  await probeAllWindows(session)
  await probeTightest(session)
  await probeOtherPlan(session)
  await probeBan(session)
  await probeStrangers(session)
}

/** How far calls are apart of which a window's end is compared, in ms, and how much it may differ, in seconds. */
const apart = 2_000
const rounded = 1

/** A window ends at the time that its first call was told, however many come after it. Servers may share it. */
export async function probeEnds(session: Session): Promise<void> {
  const { limits, world } = session
  const ask = asker(session, await session.newKey(quotasFor(limits.windows, index => 1_000 * (index + 1))))
  const endIn = ({ reply }: Exchange) => Number(reply.headers[fields.reset])
  const first = await ask()
  if (world.hands.clock) world.hands.clock.advance(apart)
  else await sleep(apart)
  const second = await ask()
  // Meanwhile the shortest window may have ended, and another one begun.
  const later = endIn(second) - endIn(first)
  const shortest = Math.min(...limits.windows.map(({ seconds }) => seconds))
  const what = `the end of a window moves by ${later} s from one call to the next`
  session.hold(second, what, Math.abs(later) <= rounded || later >= shortest - rounded)
}

/** Asks as a caller for what costs quota, unless told. */
const asker =
  (session: Session, key: string | null) =>
  (endpoint: Endpoint = session.costly): Promise<Exchange> =>
    session.ask(endpoint, {}, { key })

async function probePlans(session: Session): Promise<void> {
  const { windows, plans } = session.limits
  const last = windows.length - 1
  const customQuotas = [
    quotasFor(windows, index => 1_000 * (index + 1)),
    quotasFor(windows, () => 1_000),
    // Two whose digits are the same, one after the other.
    quotasFor(windows, () => 11),
    quotasFor(windows, index => (index === 0 ? 1 : index === last ? 111 : 11)),
  ]
  for (const [plan, { custom, ...numbers }] of Object.entries(plans))
    for (const quotas of custom ? customQuotas : [undefined]) {
      const key = await session.keys.issue({ plan, ...(quotas && { quotas }) })
      const { free } = session.contract
      const looked = free && (await asker(session, key)(free))
      if (looked)
        checkQuotaFields(session, looked, `a key of the plan ${plan} without a call`, quotas ?? numbers, 0)
      const exchange = await asker(session, key)()
      session.holdStatus(exchange, `a key of the plan ${plan}`)
      checkQuotaFields(session, exchange, `the plan ${plan}`, quotas ?? numbers, 1)
    }
}

/** A quota of two lasts for two requests. The third waits for the window to end, and costs nothing of longer ones. */
async function probeWindow(session: Session, index: number): Promise<void> {
  const { clock, limits } = session
  const { name = '', seconds = 0 } = limits.windows[index] ?? {}
  const ask = asker(
    session,
    await session.newKey(quotasFor(limits.windows, position => (position <= index ? 2 : 1_000))),
  )
  // Windows end on whole seconds. From here each end is met exactly.
  clock.set(new Date(Math.ceil(clock.now().getTime() / 1_000) * 1_000))
  for (let request = 0; request < 2; request++) {
    session.holdStatus(await ask(), `a request within the ${name}`)
    if (seconds >= lasting) await session.restart()
  }
  session.holdRefusal(await ask(), `one too many in a ${name}`, codes.limited, seconds)
  clock.advance((seconds - 1) * 1_000)
  if (seconds >= lasting) {
    await session.restart() // which stores what was counted last
    await session.database.clean()
    await session.restart()
  }
  session.holdRefusal(await ask(), `one before the ${name} ends`, codes.limited, 1)
  clock.advance(1_000)
  const renewed = await ask()
  session.holdStatus(renewed, `the first after the ${name}`)
  const left = leftBy(renewed.reply)
  session.holdSame(renewed, `what the first after the ${name} leaves of it`, left[index], 1)
  const others = left.slice(index + 1)
  const what = `what refused requests of a ${name} leave of longer windows`
  session.holdSame(
    renewed,
    what,
    others,
    others.map(() => 1_000 - 3),
  )
}

/** A caller that has used up all windows waits for the end of the longest. */
async function probeAllWindows(session: Session): Promise<void> {
  const { windows } = session.limits
  const ask = asker(session, await session.newKey(quotasFor(windows, () => 1)))
  session.holdStatus(await ask(), 'the only request of each window')
  const longest = Math.max(...windows.map(({ seconds }) => seconds))
  session.holdRefusal(await ask(), 'one too many in each window', codes.limited, longest)
  // Whole seconds, none of which is too early.
  session.clock.advance(500)
  session.holdRefusal(await ask(), 'half a second later', codes.limited, longest)
}

/** A caller is told of the window of which least is left. That need not be the one with the smallest quota. */
async function probeTightest(session: Session): Promise<void> {
  const { windows } = session.limits
  const [shortest, other] = windows
  if (!shortest || !other) return
  const ask = asker(session, await session.newKey(quotasFor(windows, index => (index === 0 ? 3 : 5))))
  for (let request = 0; request < 3; request++) await ask()
  session.clock.advance(shortest.seconds * 1_000)
  const exchange = await ask()
  for (const [name, value] of Object.entries({ [fields.limit]: '5', [fields.remaining]: '1' }))
    session.holdSame(
      exchange,
      `with less left of a longer window, ${name}`,
      exchange.reply.headers[name],
      value,
    )
  await ask()
  // A refusal by the longer window costs nothing of the shorter one.
  const refused = await ask()
  session.holdRefusal(refused, `one too many in a ${other.name}`, codes.limited)
  session.holdSame(refused, `what it leaves of the ${shortest.name}`, leftBy(refused.reply)[0], 1)
}

/** Calls count on when their caller gets another plan. */
async function probeOtherPlan(session: Session): Promise<void> {
  const [first, second] = Object.entries(session.limits.plans).filter(([, { custom }]) => !custom)
  for (const life of livesOf(session)) {
    const hasPlans = credential.plan in (life.changer?.takes.properties ?? {})
    if (!first || !second || !hasPlans) continue
    const issued = await issue(life, { [credential.plan]: first[0] })
    const ask = asker(session, issued.secret)
    await ask()
    await change(life, issued, 'PATCH', { [credential.plan]: second[0] })
    checkQuotaFields(
      session,
      await ask(),
      `a key of the plan ${first[0]} that became ${second[0]}`,
      second[1],
      2,
    )
  }
}

/** Returns the length of the window in which refusals count towards a ban, in seconds. */
const banWindow = ({ limits: { windows, ban } }: Session) =>
  windows.find(({ name }) => name === ban.window)?.seconds ?? 0

/** Checks that refusals ban at the declared number in a window. Fewer do not, however often. */
async function probeBan(session: Session): Promise<void> {
  const { clock, contract, limits } = session
  const { ban } = limits
  const newCaller = async () => {
    const quotas = quotasFor(limits.windows, index => (index === 0 ? 1 : 1_000_000))
    return asker(session, await session.newKey(quotas))
  }
  const patient = await newCaller()
  for (let window = 0; window < 2; window++) {
    session.holdStatus(await patient(), 'the first of a window')
    for (let refusal = 1; refusal < ban.refusals; refusal++)
      session.holdRefusal(await patient(), 'the last refusal before a ban', codes.limited)
    clock.advance(banWindow(session) * 1_000)
  }
  const hasty = await newCaller()
  const first = await hasty()
  session.holdStatus(first, 'a request within the window')
  for (let refusal = 1; refusal < ban.refusals; refusal++)
    session.holdRefusal(await hasty(), 'a refusal before the ban', codes.limited)
  session.holdRefusal(await hasty(), 'the refusal that bans', codes.limited, ban.seconds)
  const banned = await hasty()
  session.holdRefusal(banned, 'a client that went on', codes.keyBanned, ban.seconds)
  checkBannedQuotas(session, banned, first, ban.seconds)
  if (contract.free)
    session.holdStatus(await hasty(contract.free), 'a banned client, at a request without cost,')
  await session.database.clean()
  await session.restart()
  clock.advance((ban.seconds - 1) * 1_000)
  const last = 'the last second of a ban, after a restart'
  session.holdRefusal(await hasty(), last, codes.keyBanned, 1)
  clock.advance(1_000)
  session.holdStatus(await hasty(), 'the first after a ban')
}

/** Callers without a key share their address's allowance, and are banned together. */
async function probeStrangers(session: Session): Promise<void> {
  const { clock, limits } = session
  const { windows, plans, anonymous, ban } = limits
  const ask = asker(session, null)
  const numbers = plans[anonymous] ?? {}
  const allowed = Number(numbers[windows[0]?.name ?? ''])
  const within = async () =>
    session.holdRefusal(await ask(), 'a client without a key within the window', codes.unauthenticated)
  const goOn = async (what: string) => {
    for (let refusal = 1; refusal <= ban.refusals; refusal++)
      session.holdRefusal(await ask(), 'a client without a key over the limit', codes.limited)
    const banned = await ask()
    session.holdRefusal(banned, what, codes.addressBanned, ban.seconds)
    return banned
  }
  const { free } = session.contract
  const guesses = free ? allowed + ban.refusals : 0
  for (let request = 1; request <= guesses; request++)
    session.holdRefusal(await ask(free), 'a client without a key, without cost', codes.unauthenticated)
  if (free) session.holdRefusal(await ask(free), 'one that guesses without cost', codes.addressBanned)
  clock.advance(86_400_000)
  const first = await ask()
  checkQuotaFields(session, first, 'a client without a key', numbers, 1)
  for (let request = 2; request <= allowed; request++) await within()
  checkBannedQuotas(session, await goOn('a client without a key that went on'), first, ban.seconds)
  const askWithKey = asker(session, await session.newKey())
  session.holdStatus(await askWithKey(), 'a valid key at a banned address')
  clock.advance((ban.seconds - 1) * 1_000)
  await session.database.clean()
  await session.restart()
  const last = 'a client without a key in the last second of a ban, after a restart'
  session.holdRefusal(await ask(), last, codes.addressBanned, 1)
  clock.advance(1_000)
  await within()

  // A ban that can't be stored is in force all the same. Of several bans, the last is stored in the end.
  session.database.fail(new DatabaseUnavailable('Cut by the check'))
  for (let request = 2; request <= allowed; request++) await ask()
  await goOn('a client without a key that went on without a database')
  clock.advance(Math.max(ban.seconds, banWindow(session)) * 1_000)
  for (let request = 1; request <= allowed; request++) await ask()
  await goOn('a client without a key that went on without a database, again,')
  session.database.fail(undefined)
  await session.restart()
  session.holdRefusal(await ask(), 'the same after a restart with one', codes.addressBanned, ban.seconds)
}
