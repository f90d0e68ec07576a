import { credential, usage } from '../../records/conventions.ts'
import { recordIn } from '../../records/messages.ts'
import type { Session } from '../session.ts'
import { endOf, quotasFor, windowsIn } from './quotas.ts'

/** Checks that a caller is told what it was given, and its limits as the reply's header fields tell them. */
export async function probeUsage(session: Session): Promise<void> {
  const { costly, contract, limits } = session
  const { name: called, limit, remaining, reset } = usage.window
  for (const teller of contract.endpoints.filter(({ gives }) => usage.windows in (gives.properties ?? {})))
    for (const [plan, { custom }] of Object.entries(limits.plans)) {
      const quotas = quotasFor(limits.windows, index => 10 * (index + 1))
      const key = await session.keys.issue({ plan, scopes: contract.scopes, ...(custom && { quotas }) })
      for (let call = 0; call < 3; call++) await session.ask(costly, {}, { key })
      const exchange = await session.ask(teller, {}, { key })
      const body = recordIn(exchange.reply.body)
      for (const [name, due] of Object.entries({
        [credential.plan]: plan,
        [credential.scopes]: contract.scopes,
      }))
        if (name in body) session.holdSame(exchange, `the ${name} that the caller gets`, body[name], due)
      const due = windowsIn(exchange.reply).map(item => ({
        [called]: item.name,
        [limit]: item.limit,
        [remaining]: item.left,
        [reset]: endOf(session, item.seconds),
      }))
      session.holdSame(exchange, usage.windows, body[usage.windows], due)
    }
}
