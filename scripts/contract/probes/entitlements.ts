import { isDeepStrictEqual } from 'node:util'
import { type RateLimits, rateLimitsOf, textOf } from '../../../src/engine/extensions.ts'
import { codes, credential, fields, pointersIn } from '../conventions.ts'
import { type Endpoint, requiredQuery } from '../interface.ts'
import { type Exchange, keyHeader, type Session } from '../session.ts'
import { holdRefusal } from './answers.ts'
import { isBody } from './differences.ts'
import { change, type Issued, issue, type Life, livesOf, read, scopesIn } from './issuing.ts'
import { customPlanOf, policyOf, quotasFor } from './quotas.ts'

/**
 * What a credential is entitled to is what it was given last: plan, quotas and scopes count from the very next request
 * on, and are told as they count.
 */
export async function probeEntitlements(session: Session): Promise<void> {
  const limits = rateLimitsOf(session.contract.model.document)
  for (const life of livesOf(session)) {
    if (limits) {
      await session.probe('entitlements: plans', () => probePlans(life, limits))
      await session.probe('entitlements: quotas', () => probeQuotas(life, limits))
    }
    await session.probe('entitlements: scopes', () => probeScopes(life))
  }
}

const ask = ({ session }: Life, endpoint: Endpoint, { secret }: Issued) =>
  session.exchange(endpoint, session.draw(endpoint, undefined, true), {
    headers: keyHeader(session.contract, secret),
  })

/** The next request is told these quotas, and the record shows the plan and them. */
async function holdPlan(
  life: Life,
  issued: Issued,
  { windows }: RateLimits,
  plan: string,
  quotas: Readonly<Record<string, unknown>>,
  isOwn: boolean,
) {
  const used = await ask(life, life.read, issued)
  const due = policyOf(windows, quotas)
  const told = used.reply.headers[fields.policy]
  life.session.hold(used, `with the plan ${plan} it is told ${told}, and not ${due}`, told === due)
  const found = await read(life, issued)
  const { [credential.plan]: shown, [credential.quotas]: own } = found.body
  life.session.hold(found.exchange, `its plan is ${shown}, and was made ${plan}`, shown === plan)
  life.session.hold(
    found.exchange,
    `with the plan ${plan} it has the ${credential.quotas} ${JSON.stringify(own)}`,
    isOwn ? isDeepStrictEqual(own, quotas) : own === undefined,
  )
}

async function probePlans(life: Life, limits: RateLimits): Promise<void> {
  const custom = customPlanOf(limits)
  const [first = '', ...others] = Object.keys(limits.plans).filter(plan => plan !== custom)
  const issued = await issue(life, { [credential.plan]: first })
  const holdFixed = (plan: string) => holdPlan(life, issued, limits, plan, limits.plans[plan] ?? {}, false)
  await holdFixed(first)
  for (const plan of [...others, first]) {
    await change(life, issued, 'PATCH', { [credential.plan]: plan })
    await holdFixed(plan)
  }
  if (custom === undefined) return
  const own = quotasFor(limits.windows, index => 500 * (index + 1))
  const holdRule = async (body: Record<string, unknown>) => {
    const refused = await attempt(life, issued, body)
    if (refused) holdAt(life, refused, JSON.stringify(body), credential.quotas)
  }
  await holdRule({ [credential.plan]: custom })
  await holdRule({ [credential.quotas]: own })
  await change(life, issued, 'PATCH', { [credential.plan]: custom, [credential.quotas]: own })
  await holdPlan(life, issued, limits, custom, own ?? {}, true)
  const more = quotasFor(limits.windows, index => 700 * (index + 1))
  await change(life, issued, 'PATCH', { [credential.quotas]: more })
  await holdPlan(life, issued, limits, custom, more ?? {}, true)
  await change(life, issued, 'PATCH', { [credential.plan]: custom })
  await holdPlan(life, issued, limits, custom, more ?? {}, true)
  await change(life, issued, 'PATCH', { [credential.plan]: first })
  await holdFixed(first)
}

/** In a shorter window no more is allowed than in a longer one; just as much may be. */
async function probeQuotas(life: Life, limits: RateLimits): Promise<void> {
  const custom = customPlanOf(limits)
  if (custom === undefined) return
  await issue(life, {
    [credential.plan]: custom,
    [credential.quotas]: quotasFor(limits.windows, () => 700),
  })
  const { session, maker } = life
  const draft = session.draw(maker, undefined, true)
  const refused = await session.exchange(maker, {
    ...draft,
    header: {},
    body: {
      ...(isBody(draft.body) && draft.body),
      [credential.plan]: custom,
      [credential.quotas]: quotasFor(limits.windows, index => 700 - index),
    },
  })
  holdAt(life, refused, 'more in a shorter window than in a longer one', credential.quotas)
}

function holdAt({ session }: Life, exchange: Exchange, what: string, name: string): void {
  holdRefusal(session, exchange, what, 400, codes.invalid)
  const own = pointersIn(exchange.reply.body)
  const isNamed = own.length > 0 && own.every(pointer => `${pointer}/`.startsWith(`/${name}/`))
  session.hold(exchange, `the refusal of ${what} names ${own.join(' ')}, and not /${name}`, isNamed)
}

/** Asks for a change of a credential that may be refused. */
async function attempt({ session, parameter, maker }: Life, { id }: Issued, body: Record<string, unknown>) {
  const changer = session.contract.at('PATCH', `${maker.path}/{${parameter}}`)
  return changer && session.exchange(changer, { path: { [parameter]: id }, query: {}, header: {}, body })
}

/** An operation is refused to who has all scopes but its own, whatever the credential had before. */
async function probeScopes(life: Life): Promise<void> {
  const { session } = life
  const all = scopesIn(life)
  const readers = new Map(
    session.contract.endpoints
      .filter(({ method, path }) => method === 'GET' && !path.includes('{'))
      .filter(endpoint => requiredQuery(endpoint).length === 0)
      .map(endpoint => [textOf(endpoint.operation, 'x-required-scope'), endpoint] as const),
  )
  const issued = await issue(life)
  const given = all
    .flatMap(scope => [[scope], all.filter(other => other !== scope)])
    .concat([all.toReversed()])
  for (const scopes of given) {
    await change(life, issued, 'PATCH', { [credential.scopes]: scopes })
    for (const [scope, reader] of readers) {
      if (scope === undefined) continue
      const used = await ask(life, reader, issued)
      if (!scopes.includes(scope)) holdRefusal(session, used, `who has ${scopes} now`, 403, codes.scope)
      else session.hold(used, `who has ${scopes} now is refused`, used.reply.status === reader.success)
    }
  }
}
