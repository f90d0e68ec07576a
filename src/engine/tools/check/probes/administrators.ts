import fc from 'fast-check'
import { codesOf } from 'spec-served-document/model'
import { codeIn, codes, credential } from '../../records/conventions.ts'
import { type Body, recordIn } from '../../records/messages.ts'
import { identifierIn } from '../sending.ts'
import type { Session } from '../session.ts'
import { type Life, livesOf, newSecret } from './issuing.ts'
import { quotasFor } from './quotas.ts'

/** The number of changes, and of credentials at most. */
const steps = 90
const most = 4
const hour = 3_600_000
/** How often the last two are disabled at once: whether the service meets both in one turn is chance. */
const rounds = 3

const invariant = 'some credential can always administer the others, for as long as it was so'

/** A credential as it was shown last, with its secret. */
interface Held {
  record: Body
  secret: string
}

/**
 * Disables, robs, limits and removes credentials at random, in a service that holds few of them. Some credential can
 * always administer the others. A change that would bring the end of that nearer is refused, and no other is.
 * @param session of a service whose only credential is the caller's own
 */
export async function probeAdministrators(session: Session): Promise<void> {
  for (const life of livesOf(session)) {
    const isRuled = [life.changer, life.remover].some(endpoint =>
      [...(endpoint?.responses.values() ?? [])].some(response =>
        codesOf(response).includes(codes.lastAdministrator.code),
      ),
    )
    if (isRuled) await reign(life)
  }
}

async function reign({
  session,
  parameter,
  maker,
  changer,
  remover,
  list,
  scopes: grantable,
}: Life): Promise<void> {
  const { clock } = session
  const { scope } = maker
  if (!changer || !remover || scope === undefined) return
  const held = new Map<unknown, Held>()
  const others = grantable.filter(other => other !== scope)

  /** Until when a credential administers the others, in ms since 1970; what has ended or is refused never does. */
  function endOf({ [credential.scopes]: scopes, ...record }: Body): number {
    if (!Array.isArray(scopes) || !scopes.includes(scope) || record[credential.disabled] === true) return 0
    const expiresAt = record[credential.expiresAt]
    if (expiresAt === undefined) return Number.POSITIVE_INFINITY
    const end = Date.parse(String(expiresAt))
    return end > clock.now().getTime() ? end : 0
  }
  const endOfAll = (credentials: readonly Body[]) => Math.max(0, ...credentials.map(endOf))
  const records = () => [...held.values()].map(({ record }) => record)

  /** The key of one that may administer the others. */
  function key() {
    const [first] = [...held.values()].sort((a, b) => endOf(b.record) - endOf(a.record))
    return { key: first?.secret ?? session.key }
  }

  async function make(body: Body): Promise<{ id: unknown; secret: string }> {
    const made = await session.taken(maker, () => session.least(maker, body), key)
    const { status } = made.reply
    const what =
      status === 401
        ? 'no credential is let in any more that can administer others'
        : `the issue of a credential, by one that may administer others, is answered ${status}`
    session.hold(made, `${what} [${invariant}]`, status < 300)
    const { [credential.secret]: _, ...record } = recordIn(made.reply.body)
    const secret = newSecret(session, made)
    held.set(identifierIn(made), { record, secret })
    return { id: identifierIn(made), secret }
  }

  /** Asks for a change, or a removal, of which is known whether it is taken. @returns whether it is as it is known */
  async function attempt(id: unknown, { record, secret }: Held, body: Body | undefined) {
    const after = body && Object.entries({ ...record, ...body }).filter(([, value]) => value !== null)
    const beside = records().filter(other => other !== record)
    const isLast = endOfAll([...beside, ...(after ? [Object.fromEntries(after)] : [])]) < endOfAll(records())
    const endpoint = body ? changer : remover
    const exchange = endpoint && (await session.on(endpoint, id, body ? { body } : {}, key()))
    if (!exchange) return false
    const { status, body: reply } = exchange.reply
    const due = isLast ? codes.lastAdministrator.code : undefined
    const isRight = isLast ? status === 409 && codeIn(reply) === due : status < 300
    const what = `${JSON.stringify(body ?? 'removal')} of ${JSON.stringify(record)}, beside ${JSON.stringify(beside)}, is answered ${status} ${codeIn(reply)}`
    const isOut = status === 401 || codeIn(reply) === codes.addressBanned.code
    const message = isOut
      ? `no credential is let in any more that can administer ${JSON.stringify(record)}`
      : `${what} instead of ${due ?? 'a success'}`
    session.hold(exchange, `${message} [${invariant}]`, isRight)
    if (status < 300 && !body) held.delete(id)
    else if (status < 300) held.set(id, { record: recordIn(reply), secret })
    return isRight
  }

  /** Disables the only two at once. One of them stays. @returns whether one did */
  const disableTogether = async () => {
    await make({ [credential.scopes]: [scope] })
    for (let round = 0; round < rounds; round++) {
      const all = [...held]
      const disabling = { query: {}, header: {}, body: { [credential.disabled]: true } }
      const drafts = all.map(([id]) => ({
        endpoint: changer,
        draft: { ...disabling, path: { [parameter]: id } },
      }))
      const sent = await session.together(drafts, session.keyHeader(key().key))
      const taken = sent.filter(({ reply }) => reply.status < 300)
      const what = `of the last ${all.length} at once ${taken.length} are disabled [${invariant}]`
      for (const exchange of taken) session.hold(exchange, what, taken.length < all.length)
      // Nobody is left to ask: whatever came now would tell of that alone.
      if (taken.length === all.length) return false
      for (const [id, { secret }] of all)
        for (const { draft, reply } of taken)
          if (draft.path[parameter] === id) held.set(id, { record: recordIn(reply.body), secret })
      for (const [id, credentialHeld] of all)
        if (taken.some(({ draft }) => draft.path[parameter] === id))
          await attempt(id, held.get(id) ?? credentialHeld, { [credential.disabled]: false })
    }
    return true
  }

  /** Checks that the last one beside one that is banned may go, as a ban ends by itself. */
  const holdBanned = async () => {
    const { windows, ban } = session.limits
    const rest = [...held.keys()]
    const last = await make({ [credential.scopes]: grantable })
    for (const id of rest) await session.on(remover, id, {}, { key: last.secret })
    const quotas = quotasFor(windows, () => 1)
    const values = { [credential.scopes]: grantable, [credential.plan]: session.contract.customPlan, quotas }
    const made = await session.exchange(maker, session.least(maker, values), { key: last.secret })
    const banned = newSecret(session, made)
    for (let sent = 0; sent <= ban.refusals; sent++) await session.ask(session.costly, {}, { key: banned })
    const refused = await session.ask(session.costly, {}, { key: banned })
    session.holdRefusal(refused, 'one that is banned', codes.keyBanned)
    const gone = await session.on(
      changer,
      last.id,
      { body: { [credential.disabled]: true } },
      { key: last.secret },
    )
    session.holdSuccess(gone, `the end of the last one beside one that is banned [${invariant}]`)
  }

  // Nobody else is there in the beginning.
  await make({ [credential.scopes]: [scope] })
  const listed = list ? (await session.ask(list)).reply.body : []
  for (const { id } of Array.isArray(listed) ? listed : [])
    if (!held.has(id)) await session.on(remover, id, {}, key())
  if (!(await disableTogether())) return
  const choices = fc.sample(fc.tuple(fc.nat({ max: 9 }), fc.nat(), fc.nat({ max: 2 })), {
    seed: session.seed,
    numRuns: steps,
  })
  for (const [what, whom, how] of choices) {
    const later = () => new Date(clock.now().getTime() + (how + 2) * hour).toISOString()
    if (held.size < most && what < 3) {
      const scopes = how === 0 ? others : [scope]
      await make({ [credential.scopes]: scopes, ...(what === 0 && { [credential.expiresAt]: later() }) })
      continue
    }
    const [id, credentialHeld] = [...held][whom % held.size] ?? []
    if (id === undefined || !credentialHeld) return
    const bodies: (Body | undefined)[] = [
      { [credential.disabled]: true },
      { [credential.disabled]: false },
      { [credential.scopes]: others },
      { [credential.scopes]: [...others, scope] },
      { [credential.expiresAt]: null },
      { [credential.expiresAt]: later() },
      {},
      undefined,
      { [credential.disabled]: true },
      { [credential.expiresAt]: later() },
    ]
    // From there on the state is not known.
    if (!(await attempt(id, credentialHeld, bodies[what]))) return
    if (whom % 7 === 0 && endOfAll(records()) > clock.now().getTime() + hour) clock.advance(hour / 2)
  }
  if (session.contract.limits && session.contract.customPlan !== undefined) await holdBanned()
}
