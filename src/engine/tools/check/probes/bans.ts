import { codeIn, codes, credential } from '../../records/conventions.ts'
import type { Endpoint } from '../../records/interface.ts'
import { recordIn } from '../../records/messages.ts'
import type { Session } from '../session.ts'
import { issue, type Life, livesOf, overlapsOf, replace } from './issuing.ts'
import { endOf, quotasFor } from './quotas.ts'

/** A ban ends at the time that its caller is told. It ends at once when it is taken away. */
async function probeLifting(life: Life): Promise<void> {
  const { session, changer } = life
  const { clock, contract, costly, limits } = session
  const name = credential.bannedUntil
  const hasPlans = credential.plan in (life.maker.takes.properties ?? {})
  if (!changer || !hasPlans || !(name in (changer.takes.properties ?? {}))) return
  const quotas = quotasFor(limits.windows, () => 2)
  const issued = await issue(life, { [credential.plan]: contract.customPlan, quotas })
  const { id, secret } = issued
  const ask = () => session.ask(costly, {}, { key: secret })
  const ban = async () => {
    for (let sent = 0; sent < 2 + limits.ban.refusals; sent++) await ask()
  }
  const tellers = contract.endpoints.filter(
    ({ method, gives }) => method === 'GET' && name in (gives.properties ?? {}),
  )
  const holdTold = async (until: string | undefined) => {
    for (const teller of tellers) {
      const shown = await (teller.path.includes('{')
        ? session.on(teller, id)
        : session.ask(teller, {}, { key: secret }))
      session.holdSame(shown, 'the end of a ban in its record', recordIn(shown.reply.body)[name], until)
    }
  }
  await ban()
  await holdTold(new Date(endOf(session, limits.ban.seconds) * 1_000).toISOString())
  for (const isReplaced of [false, true]) {
    clock.advance(limits.ban.seconds * 1_000)
    await holdTold(undefined)
    await ban()
    session.holdRefusal(await ask(), 'one who goes on', codes.keyBanned)
    if (isReplaced) await replace(life, issued, overlapsOf(life)[0] ?? 1) // whose reply tells of the ban, too
    const lifted = await session.on(changer, id, { body: { [name]: null } })
    session.holdSuccess(lifted, 'the end of a ban, before its time,')
    // Refusals before a ban that was taken away don't count towards another ban.
    for (const when of ['goes on', 'comes back', 'comes back']) {
      const after = await ask()
      const isBanned = codeIn(after.reply.body) === codes.keyBanned.code
      session.hold(after, `a ban that was taken away ${when}`, !isBanned)
    }
  }
}

/**
 * Bans a key and an address, and asks for each operation as both. Where requests cost, the reply tells the ban. Where
 * they are free, the ban makes no difference. Other keys go on. Who waits as the refusal that banned has told is served.
 */
export async function probeBans(session: Session, endpoints: readonly Endpoint[]) {
  const { costly, limits } = session
  const quotas = quotasFor(limits.windows, () => 1)
  const allowed = Number(limits.plans[limits.anonymous]?.[limits.windows[0]?.name ?? ''])
  const banned = [
    { key: await session.newKey(quotas), who: 'a banned key', refusal: codes.keyBanned, requests: 1 },
    { key: null, who: 'a banned address', refusal: codes.addressBanned, requests: allowed },
  ]
  const waits: number[] = []
  for (const { key, requests } of banned) {
    const sent = []
    while (sent.length < requests + limits.ban.refusals) sent.push(await session.ask(costly, {}, { key }))
    // Without a number, which is told as a fault of its own, the clock must go on all the same.
    waits.push(Number(sent.at(-1)?.reply.headers['retry-after']) || limits.ban.seconds)
  }
  const other = await session.ask(costly, {}, { key: await session.newKey(quotas) })
  session.holdStatus(other, 'a key, while another one is banned,')
  for (const endpoint of endpoints.filter(({ secured, isFree }) => secured || isFree))
    for (const { key, who, refusal } of banned) {
      const exchange = await session.ask(endpoint, {}, { key })
      const code = codeIn(exchange.reply.body)
      if (!endpoint.isFree || (key === null && endpoint.secured)) session.holdRefusal(exchange, who, refusal)
      else session.hold(exchange, `${who} is refused a request without cost: ${code}`, code === undefined)
    }
  // The clock goes on here, which ends the bans above.
  for (const { key, who } of banned.toReversed()) {
    session.clock.advance((waits.pop() ?? 0) * 1_000)
    const after = await session.ask(costly, {}, { key })
    const isRefused = [codes.limited, codes.keyBanned, codes.addressBanned].some(
      ({ code }) => code === codeIn(after.reply.body),
    )
    session.hold(after, `${who} waits as long as its last refusal says, and is refused`, !isRefused)
  }
  for (const life of livesOf(session)) await session.probe('bans: taken away', () => probeLifting(life))
}
