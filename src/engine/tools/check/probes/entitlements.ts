import { codes, credential, fields, pointersIn } from '../../records/conventions.ts'
import { needsNothing } from '../../records/interface.ts'
import type { Body } from '../../records/messages.ts'
import type { Exchange } from '../sending.ts'
import type { Session } from '../session.ts'
import { change, type Issued, issue, type Life, livesOf, read, settled } from './issuing.ts'
import { policyOf, quotasFor } from './quotas.ts'

/**
 * Checks that the plan, quotas and scopes last given to a credential count from the very next request.
 * Replies tell them as they count.
 */
export async function probeEntitlements(session: Session): Promise<void> {
  for (const life of livesOf(session)) {
    if (session.contract.limits) await session.probe('entitlements: plans', () => probePlans(life))
    await session.probe('entitlements: scopes', () => probeScopes(life))
  }
}

/** The next request is told these quotas, and the record shows the plan, and them where they are its own. */
async function holdPlan(life: Life, issued: Issued, plan: string, quotas: Body, isOwn: boolean) {
  const { session } = life
  const due = policyOf(session.limits.windows, quotas)
  const used = await settled(
    session,
    () => session.ask(session.costly, {}, { key: issued.secret }),
    ({ reply }) => reply.headers[fields.policy] === due,
  )
  session.holdSame(used, `the policy of a key with the plan ${plan}`, used.reply.headers[fields.policy], due)
  const { exchange, body } = await read(life, issued)
  session.holdSame(exchange, 'its plan', body[credential.plan], plan)
  session.holdSame(exchange, 'its quotas', body[credential.quotas], isOwn ? quotas : undefined)
}

/** Changes each plan to each other. One plan asks for quotas of its own, and no other has any. */
async function probePlans(life: Life): Promise<void> {
  const { session, maker, changer } = life
  const { plans, windows } = session.limits
  const { customPlan: custom } = session.contract
  const { plan: planName, quotas: quotasName } = credential
  const [first = '', ...others] = Object.keys(plans).filter(plan => plan !== custom)
  const issued = await issue(life, { [planName]: first })
  const holdFixed = (plan: string) => holdPlan(life, issued, plan, plans[plan] ?? {}, false)
  await holdFixed(first)
  for (const plan of [...others, first]) {
    await change(life, issued, 'PATCH', { [planName]: plan })
    await holdFixed(plan)
  }
  if (custom === undefined) return
  const [custom500, more] = [500, 700].map(step => quotasFor(windows, index => step * (index + 1)))
  for (const body of [{ [planName]: custom }, { [quotasName]: custom500 }])
    if (changer) holdAt(session, await session.on(changer, issued.id, { body }), JSON.stringify(body))
  const changes = [
    { body: { [planName]: custom, [quotasName]: custom500 }, quotas: custom500 },
    { body: { [quotasName]: more }, quotas: more },
    { body: { [planName]: custom }, quotas: more },
  ]
  for (const { body, quotas = {} } of changes) {
    await change(life, issued, 'PATCH', body)
    await holdPlan(life, issued, custom, quotas, true)
  }
  await change(life, issued, 'PATCH', { [planName]: first })
  await holdFixed(first)
  // In a shorter window no more is allowed than in a longer one; just as much may be.
  const same = { [planName]: custom, [quotasName]: quotasFor(windows, () => 700) }
  const taken = await session.taken(maker, () => session.least(maker, same))
  session.holdSuccess(taken, 'as large a quota in a shorter window as in a longer one')
  const fewer = { [planName]: custom, [quotasName]: quotasFor(windows, index => 700 - index) }
  const refused = await session.exchange(maker, session.least(maker, fewer))
  holdAt(session, refused, 'a larger quota in a shorter window than in a longer one')
}

/** Checks that the refusal of wrong quotas names them. */
function holdAt(session: Session, exchange: Exchange, what: string): void {
  session.holdRefusal(exchange, what, codes.invalid)
  const pointers = pointersIn(exchange.reply.body)
  const isNamed =
    pointers.length > 0 && pointers.every(candidate => `${candidate}/`.startsWith(`/${credential.quotas}/`))
  session.hold(exchange, `the refusal of ${what} names ${pointers.join(' ')} instead of quotas`, isNamed)
}

/** An operation is refused to who has all scopes but its own, whatever the credential had before. */
async function probeScopes(life: Life): Promise<void> {
  const { session, scopes: all } = life
  const simple = session.contract.endpoints.filter(needsNothing)
  const readers = new Map(simple.map(endpoint => [endpoint.scope, endpoint]))
  const issued = await issue(life)
  const subsets = all.flatMap(scope => [[scope], all.filter(other => other !== scope)])
  for (const scopes of [...subsets, all.toReversed()]) {
    await change(life, issued, 'PATCH', { [credential.scopes]: scopes })
    for (const [scope, reader] of readers) {
      if (scope === undefined) continue
      const isAllowed = scopes.includes(scope)
      const used = await settled(
        session,
        () => session.ask(reader, {}, { key: issued.secret }),
        ({ reply }) => isAllowed === reply.status < 400,
      )
      if (isAllowed) session.holdStatus(used, `a key with the scopes ${scopes}`)
      else session.holdRefusal(used, `a key with the scopes ${scopes}`, codes.scope)
    }
  }
}
