import { isDeepStrictEqual } from 'node:util'
import { rateLimitsOf, textOf } from '../../../src/engine/extensions.ts'
import { credential, fields, usage } from '../conventions.ts'
import { type Endpoint, shapeOfSuccess, simpleRead } from '../interface.ts'
import type { Session } from '../session.ts'
import { isBody } from './differences.ts'
import { quotasFor } from './quotas.ts'

/** What a caller is told of itself is what it was given, and of its limits what the header fields of the same reply say. */
export async function probeUsage(session: Session): Promise<void> {
  const { contract } = session
  const limits = rateLimitsOf(contract.model.document)
  const costly = simpleRead(contract, false)
  const tellers = contract.endpoints.filter(
    endpoint => usage.windows in (shapeOfSuccess(contract.model, endpoint).properties ?? {}),
  )
  if (!limits || !costly) return
  for (const teller of tellers)
    for (const [plan, { custom }] of Object.entries(limits.plans)) {
      const quotas = quotasFor(limits.windows, index => 10 * (index + 1))
      const own = [...new Set(contract.endpoints.flatMap(scopesOf))]
      const key = await session.keys.issue({ plan, scopes: own, ...(custom && { quotas }) })
      for (let call = 0; call < 3; call++)
        await session.exchange(costly, session.draw(costly, undefined, true), { key })
      const exchange = await session.exchange(teller, session.draw(teller, undefined, true), { key })
      const { body, headers } = exchange.reply
      if (!isBody(body)) continue
      for (const [name, due] of Object.entries({ [credential.plan]: plan, [credential.scopes]: own }))
        session.hold(
          exchange,
          `the caller is told ${name} ${JSON.stringify(body[name])}, and was given ${JSON.stringify(due)}`,
          !(name in body) || isDeepStrictEqual(body[name], due),
        )
      session.hold(
        exchange,
        `${usage.windows} is ${JSON.stringify(body[usage.windows])}, and the header fields say ${headers[fields.policy]} and ${headers[fields.windows]}`,
        isDeepStrictEqual(body[usage.windows], windowsIn(headers, session.clock.now())),
      )
    }
}

const scopesOf = ({ operation }: Endpoint) => textOf(operation, 'x-required-scope') ?? []

/** The windows of the header fields (draft-ietf-httpapi-ratelimit-headers), as they are told in a body. */
function windowsIn(headers: Readonly<Record<string, string>>, now: Date) {
  const { name: called, limit, remaining, reset } = usage.window
  const limits = new Map(
    [...(headers[fields.policy] ?? '').matchAll(/"(\w+)";q=(\d+)/g)].map(([, name, q]) => [name, Number(q)]),
  )
  return [...(headers[fields.windows] ?? '').matchAll(/"(\w+)";r=(\d+);t=(\d+)/g)].map(([, name, r, t]) => ({
    [called]: name,
    [limit]: limits.get(name),
    [remaining]: Number(r),
    // Windows end on a whole second.
    [reset]: Math.floor(now.getTime() / 1_000) + Number(t),
  }))
}
