import { rateLimitsOf } from '../../../src/engine/extensions.ts'
import { codeIn, codes } from '../conventions.ts'
import { type Endpoint, simpleRead } from '../interface.ts'
import type { Report } from '../report.ts'
import { issueCustomKey, type Session } from '../session.ts'
import type { Quotas } from '../world.ts'

/**
 * Bans a key and an address, and asks for each operation as both: where requests cost, a ban is told; where they are free,
 * it makes no difference; and other keys go on.
 */
export async function probeBans(session: Session, endpoints: readonly Endpoint[], report: Report) {
  const { contract, world } = session
  const limits = rateLimitsOf(contract.model.document)
  const costly = simpleRead(contract, false)
  if (!limits || !costly) return
  const quotas = Object.fromEntries(limits.windows.map(({ name }) => [name, 1])) as Quotas // as many as windows
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
    for (let sent = 0; sent < requests + limits.ban.refusals; sent++) report.hold(await ask(key), '', true)
  const other = await ask(await issueCustomKey(contract, world, quotas))
  report.hold(other, 'a key is refused while another one is banned', other.reply.status < 400)
  for (const endpoint of endpoints) {
    if (!endpoint.secured) continue
    for (const { key, who, code } of banned) {
      const exchange = await session.exchange(endpoint, session.draw(endpoint, undefined, true), { key })
      const isFree = endpoint.operation['x-quota-free'] === true
      const own = codeIn(exchange.reply.body)
      if (!isFree || key === null)
        report.hold(exchange, `${who} is answered ${own}, and not ${code}`, own === code)
      else report.hold(exchange, `${who} is refused what is free: ${own}`, own === undefined)
    }
  }
}
