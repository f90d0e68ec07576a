import { type RateLimits, rateLimitsOf } from '../../../src/engine/extensions.ts'
import { codeIn, codes, fields, lasting } from '../conventions.ts'
import { type Endpoint, simpleRead } from '../interface.ts'
import { type Exchange, issueAmpleKey, type Session } from '../session.ts'
import { customPlanOf, holdBanned, holdState, leftBy, quotasFor } from './quotas.ts'

/**
 * Holds the limiter to `x-rate-limits`: what each plan is told, when a window is used up and when it begins again, and
 * who is banned, for how long.
 */
export async function probeLimits(session: Session) {
  const limits = rateLimitsOf(session.contract.model.document)
  const [costly, free] = [simpleRead(session.contract, false), simpleRead(session.contract, true)]
  if (!limits || !costly) return
  await probePlans(session, limits, costly)
  for (const index of limits.windows.keys()) await probeWindow(session, limits, index, costly)
  await probeBan(session, limits, costly, free)
  await probeStrangers(session, limits, costly)
}

type Ask = (endpoint?: Endpoint) => Promise<Exchange>

const asker =
  (session: Session, costly: Endpoint, key: string | null): Ask =>
  (endpoint = costly) =>
    session.exchange(endpoint, { path: {} }, { key })

async function probePlans(session: Session, limits: RateLimits, costly: Endpoint): Promise<void> {
  const { windows } = limits
  const last = windows.length - 1
  const own = [
    quotasFor(windows, index => 1_000 * (index + 1)),
    quotasFor(windows, () => 1_000),
    // Two whose digits are the same, one after the other.
    quotasFor(windows, () => 11),
    quotasFor(windows, index => (index === 0 ? 1 : index === last ? 111 : 11)),
  ]
  for (const [plan, { custom, ...numbers }] of Object.entries(limits.plans))
    for (const quotas of custom ? own : [undefined]) {
      const key = await session.keys.issue({ plan, ...(quotas && { quotas }) })
      const exchange = await asker(session, costly, key)()
      session.hold(exchange, `a key of the plan ${plan} is refused`, exchange.reply.status === costly.success)
      const now = session.clock.now()
      holdState(session, exchange, `the plan ${plan}`, now, windows, quotas ?? numbers, 1)
    }
}

function hold(
  session: Session,
  exchange: Exchange,
  what: string,
  status: number,
  code?: string,
  wait?: number,
): void {
  const { reply } = exchange
  const own = codeIn(reply.body)
  const retryAfter = reply.headers['retry-after']
  const isRight =
    reply.status === status &&
    (code === undefined || own === code) &&
    (wait === undefined || retryAfter === String(wait))
  const got = [reply.status, own, retryAfter].filter(part => part !== undefined).join(' ')
  session.hold(
    exchange,
    `${what} is answered ${got}, and not ${[status, code, wait].filter(Boolean).join(' ')}`,
    isRight,
  )
}

/** A quota of two lasts for two requests; the third waits for the window to end. */
async function probeWindow(
  session: Session,
  limits: RateLimits,
  index: number,
  costly: Endpoint,
): Promise<void> {
  const { windows } = limits
  const plan = customPlanOf(limits) ?? ''
  const { name = '', seconds = 0 } = windows[index] ?? {}
  const quotas = quotasFor(windows, at => (at <= index ? 2 : 1_000))
  const ask = asker(session, costly, await session.keys.issue({ plan, quotas }))
  const { clock } = session
  for (let request = 0; request < 2; request++) {
    hold(session, await ask(), `a request within the ${name}`, costly.success)
    if (seconds >= lasting) await session.restart()
  }
  hold(session, await ask(), `one too many in a ${name}`, 429, codes.limited, seconds)
  clock.advance((seconds - 1) * 1_000)
  if (seconds >= lasting) {
    await session.restart() // which stores what was counted last
    await session.database.clean()
    await session.restart()
  }
  hold(session, await ask(), `one before the ${name} ends`, 429, codes.limited, 1)
  clock.advance(1_000)
  const anew = await ask()
  hold(session, anew, `the first after the ${name}`, costly.success)
  const left = leftBy(anew.reply)[index]
  session.hold(anew, `the first after the ${name} leaves ${left} of it, and not 1`, left === 1)
}

/** So many refusals in a window ban; fewer do not, however often. */
async function probeBan(
  session: Session,
  limits: RateLimits,
  costly: Endpoint,
  free: Endpoint | undefined,
): Promise<void> {
  const { windows, ban } = limits
  const plan = customPlanOf(limits) ?? ''
  const quotas = quotasFor(windows, index => (index === 0 ? 1 : 1_000_000))
  const patient = asker(session, costly, await session.keys.issue({ plan, quotas }))
  const length = windows.find(({ name }) => name === ban.window)?.seconds ?? 0
  for (let window = 0; window < 2; window++) {
    hold(session, await patient(), 'the first of a window', costly.success)
    for (let refusal = 1; refusal < ban.refusals; refusal++)
      hold(session, await patient(), 'one refusal fewer than ban', 429, codes.limited)
    session.clock.advance(length * 1_000)
  }

  const issued = await issueByService(session, costly)
  if (!issued) return session.add(costly, 'no operation issues a key that can call it')
  const hasty = asker(session, costly, issued.key)
  for (let request = 0; request < issued.left; request++)
    hold(session, await hasty(), 'a request within the window', costly.success)
  let refused = await hasty()
  for (let refusal = 1; refusal <= ban.refusals; refusal++) {
    if (refusal > 1) refused = await hasty()
    hold(session, refused, 'a refusal that does not ban yet', 429, codes.limited)
  }
  const banned = await hasty()
  hold(session, banned, 'a caller who went on', 403, codes.keyBanned, ban.seconds)
  holdBanned(session, banned, refused, ban.seconds, session.clock.now())
  if (free) hold(session, await hasty(free), 'a banned caller where requests are free', free.success)
  await session.database.clean()
  await session.restart()
  session.clock.advance((ban.seconds - 1) * 1_000)
  hold(session, await hasty(), 'the last second of a ban, after a restart', 403, codes.keyBanned, 1)
  const key = await showBanned(session, issued)
  session.clock.advance(1_000)
  hold(session, await asker(session, costly, key)(), 'the first after a ban', costly.success)
}

/** A key that was issued by an operation, the record that it is, and what is left of its first window. */
interface Issued {
  parameter: string
  id: string | number
  key: string
  left: number
}

/** Finds the operation whose reply holds a text that is let in as a key, and one that has little left. */
async function issueByService(session: Session, costly: Endpoint): Promise<Issued | undefined> {
  for (const parameter of session.contract.makers.keys())
    for (let attempt = 0; attempt < 40; attempt++) {
      const { id, body } = await session.make(parameter)
      const texts = Object.values(body ?? {}).filter(value => /^[\x21-\x7e]{20,}$/.test(String(value)))
      for (const key of texts) {
        const { reply } = await asker(session, costly, String(key))()
        const left = Number(/;r=(\d+)/.exec(reply.headers[fields.windows] ?? '')?.[1])
        if (reply.status === costly.success && left < 100) return { parameter, id, key: String(key), left }
      }
      if (texts.length === 0) break
    }
  return undefined
}

/** Whatever tells of a key tells of its ban. @returns the key, or the one that has taken its place meanwhile */
async function showBanned(session: Session, { parameter, id, key }: Issued): Promise<string> {
  let current = key
  for (const endpoint of session.contract.endpoints)
    if (endpoint.path.includes(`{${parameter}}`) && endpoint.method !== 'DELETE') {
      const { query, body } = session.draw(endpoint, undefined, true)
      const draft = { path: { [parameter]: id }, query, header: {}, ...(body !== undefined && { body }) }
      const exchange = await session.exchange(endpoint, draft)
      const texts = Object.values(exchange.reply.body ?? {}).map(String)
      current = texts.find(text => text.length === key.length && text.startsWith(key.slice(0, 5))) ?? current
    }
  return current
}

/** Callers without a key share their address's allowance, and are banned together. */
async function probeStrangers(
  session: Session,
  { windows, plans, anonymous, ban }: RateLimits,
  costly: Endpoint,
): Promise<void> {
  const ask = asker(session, costly, null)
  const { clock } = session
  clock.advance(86_400_000)
  const numbers = plans[anonymous] ?? {}
  const allowed = Number(numbers[windows[0]?.name ?? ''])
  const first = await ask()
  hold(session, first, 'a stranger within the window', 401, codes.unauthenticated)
  holdState(session, first, 'a stranger', clock.now(), windows, numbers, 1)
  for (let request = 2; request <= allowed; request++)
    hold(session, await ask(), 'a stranger within the window', 401, codes.unauthenticated)
  const goOn = async () => {
    for (let refusal = 1; refusal <= ban.refusals; refusal++)
      hold(session, await ask(), 'a stranger over the limit', 429, codes.limited)
  }
  await goOn()
  const banned = await ask()
  hold(session, banned, 'a stranger who went on', 403, codes.addressBanned, ban.seconds)
  holdBanned(session, banned, first, ban.seconds, clock.now())
  const known = asker(session, costly, await issueAmpleKey(session.contract, session.world))
  hold(session, await known(), 'a valid key at a banned address', costly.success)
  clock.advance((ban.seconds - 1) * 1_000)
  await session.database.clean()
  await session.restart()
  hold(
    session,
    await ask(),
    'a stranger in the last second of a ban, after a restart',
    403,
    codes.addressBanned,
    1,
  )
  clock.advance(1_000)
  hold(session, await ask(), 'a stranger after the ban', 401, codes.unauthenticated)

  // A ban that can't be stored is in force all the same, and the last of several is stored in the end.
  session.database.fail(new Error('Connection terminated by the check'))
  for (let request = 2; request <= allowed; request++) await ask()
  await goOn()
  const length = windows.find(({ name }) => name === ban.window)?.seconds ?? 0
  clock.advance(Math.max(ban.seconds, length) * 1_000)
  for (let request = 1; request <= allowed; request++) await ask()
  await goOn()
  hold(
    session,
    await ask(),
    'a stranger who went on without a database',
    403,
    codes.addressBanned,
    ban.seconds,
  )
  session.database.fail(undefined)
  await session.restart()
  hold(session, await ask(), 'the same after a restart with one', 403, codes.addressBanned, ban.seconds)
}
