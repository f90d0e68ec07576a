import { rateLimitsOf } from '../../../src/engine/extensions.ts'
import { codeIn, codes, credential } from '../conventions.ts'
import { type Endpoint, shapeOf, shapeOfSuccess, simpleRead } from '../interface.ts'
import { identifierIn, issueCustomKey, type Session } from '../session.ts'
import { isBody } from './differences.ts'
import { customPlanOf, quotasFor } from './quotas.ts'

/** A ban that a caller is told ends when it is said to, and ends at once where it is taken away. */
async function probeLifting(session: Session, costly: Endpoint): Promise<void> {
  const { contract } = session
  const limits = rateLimitsOf(contract.model.document)
  const plan = limits && customPlanOf(limits)
  for (const [parameter, maker] of contract.makers) {
    const { properties = {} } = shapeOf(contract.model, maker.request.properties.body ?? {})
    const changer = contract.endpoints.find(
      ({ method, path, request }) =>
        method === 'PATCH' &&
        path === `${maker.path}/{${parameter}}` &&
        credential.bannedUntil in (shapeOf(contract.model, request.properties.body ?? {}).properties ?? {}),
    )
    if (!limits || !changer || !(credential.plan in properties)) continue
    const { items = {} } = shapeOf(contract.model, properties[credential.scopes] ?? {})
    const quotas = quotasFor(limits.windows, () => 2)
    const made = await session.taken(maker, () => {
      const draft = session.draw(maker, undefined, true)
      const own = { [credential.plan]: plan, quotas, scopes: shapeOf(contract.model, items).enum }
      return { ...draft, body: { ...(isBody(draft.body) && draft.body), ...own } }
    })
    const { [credential.secret]: secret } = isBody(made.reply.body) ? made.reply.body : {}
    const id = identifierIn(contract, parameter, made)
    if (typeof secret !== 'string' || id === undefined) return
    const ask = (endpoint: Endpoint, key?: string) =>
      session.exchange(
        endpoint,
        { ...session.draw(endpoint, undefined, true), path: { [parameter]: id } },
        key ? { key } : {},
      )
    const ban = async () => {
      for (let sent = 0; sent < 2 + limits.ban.refusals; sent++) await ask(costly, secret)
    }
    await ban()
    // It ends on a whole second, as windows do.
    const since = Math.floor(session.clock.now().getTime() / 1_000)
    const until = new Date((since + limits.ban.seconds) * 1_000).toISOString()
    const tellers = contract.endpoints.filter(
      endpoint =>
        endpoint.method === 'GET' &&
        credential.bannedUntil in (shapeOfSuccess(contract.model, endpoint).properties ?? {}),
    )
    for (const teller of tellers) {
      const told = await ask(teller, teller.path.includes('{') ? undefined : secret)
      const { [credential.bannedUntil]: own } = isBody(told.reply.body) ? told.reply.body : {}
      session.hold(told, `a ban until ${until} is told as ${own}`, own === until)
    }
    session.clock.advance(limits.ban.seconds * 1_000)
    for (const teller of tellers) {
      const told = await ask(teller, teller.path.includes('{') ? undefined : secret)
      const isTold = isBody(told.reply.body) && credential.bannedUntil in told.reply.body
      session.hold(told, 'a ban is told that has ended', !isTold)
    }
    await ban()
    const lifted = await session.exchange(changer, {
      path: { [parameter]: id },
      query: {},
      header: {},
      body: { [credential.bannedUntil]: null },
    })
    session.hold(lifted, 'a ban can’t be taken away', lifted.reply.status < 300)
    // What was refused before counts no more towards another one.
    for (const when of ['goes on', 'comes back', 'comes back']) {
      const after = await ask(costly, secret)
      const code = codeIn(after.reply.body)
      session.hold(after, `a ban that was taken away ${when}`, code !== codes.keyBanned)
    }
  }
}

/**
 * Bans a key and an address, and asks for each operation as both: where requests cost, a ban is told; where they are free,
 * it makes no difference; and other keys go on.
 */
export async function probeBans(session: Session, endpoints: readonly Endpoint[]) {
  const { contract, world } = session
  const limits = rateLimitsOf(contract.model.document)
  const costly = simpleRead(contract, false)
  if (!limits || !costly) return
  const quotas = quotasFor(limits.windows, () => 1)
  const key = await issueCustomKey(contract, world, quotas)
  const anonymous = limits.plans[limits.anonymous] ?? {}
  const allowed = Number(anonymous[limits.windows[0]?.name ?? ''])
  const banned = [
    { key, who: 'a banned key', code: codes.keyBanned, requests: 1 },
    { key: null, who: 'a banned address', code: codes.addressBanned, requests: allowed },
  ]
  const ask = (sender: string | null) =>
    session.exchange(costly, session.draw(costly, undefined, true), { key: sender })
  for (const { key, requests } of banned)
    for (let sent = 0; sent < requests + limits.ban.refusals; sent++) await ask(key)
  const other = await ask(await issueCustomKey(contract, world, quotas))
  session.hold(other, 'a key is refused while another one is banned', other.reply.status < 400)
  for (const endpoint of endpoints) {
    if (!endpoint.secured) continue
    for (const { key, who, code } of banned) {
      const exchange = await session.exchange(endpoint, session.draw(endpoint, undefined, true), { key })
      const isFree = endpoint.operation['x-quota-free'] === true
      const own = codeIn(exchange.reply.body)
      if (!isFree || key === null)
        session.hold(exchange, `${who} is answered ${own}, and not ${code}`, own === code)
      else session.hold(exchange, `${who} is refused what is free: ${own}`, own === undefined)
    }
  }
  // The clock goes on here, which ends the bans above.
  await session.probe('bans: taken away', () => probeLifting(session, costly))
}
