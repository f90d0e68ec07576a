import fc from 'fast-check'
import { codesOf, textOf } from '../../../src/engine/extensions.ts'
import { codeIn, codes, credential } from '../conventions.ts'
import type { Endpoint } from '../interface.ts'
import { type Exchange, identifierIn, type Session } from '../session.ts'
import { type Body, isBody } from './differences.ts'
import { type Life, livesOf, scopesIn, secretIn } from './issuing.ts'
import { itemsOf } from './pages.ts'

/** How many changes are asked for, of at most so many credentials. */
const steps = 90
const most = 4
const hour = 3_600_000

const law = 'some credential can always administer the others, for as long as it was so'

/** A credential as it was shown last, with its secret. */
interface Held {
  record: Body
  secret: string
}

/**
 * Disables, robs, limits and removes credentials at random, in a service that holds few of them: some credential can
 * always administer the others. A change that would bring the end of that nearer is refused, and no other is.
 * @param session of a service whose only credential is the caller's own
 */
export async function probeAdministrators(session: Session): Promise<void> {
  for (const life of livesOf(session)) {
    const { parameter, maker } = life
    const own = (method: string) => session.contract.at(method, `${maker.path}/{${parameter}}`)
    const [changer, remover] = [own('PATCH'), own('DELETE')]
    const scope = textOf(maker.operation, 'x-required-scope')
    const isRuled = [changer, remover].some(endpoint => endpoint && names(endpoint, codes.lastAdministrator))
    if (changer && remover && scope !== undefined && isRuled) await reign(life, changer, remover, scope)
  }
}

const names = ({ responses }: Endpoint, code: string) =>
  [...responses.values()].some(response => codesOf(response).includes(code))

async function reign(life: Life, changer: Endpoint, remover: Endpoint, scope: string): Promise<void> {
  const { session, parameter, maker } = life
  const { clock } = session
  const held = new Map<string | number, Held>()
  const others = scopesIn(life).filter(other => other !== scope)

  /** Until when a credential administers the others, in ms since 1970; what has ended or is refused never does. */
  function endOf({ [credential.scopes]: scopes, ...record }: Body): number {
    if (!Array.isArray(scopes) || !scopes.includes(scope) || record[credential.disabled] === true) return 0
    const expiresAt = record[credential.expiresAt]
    if (expiresAt === undefined) return Number.POSITIVE_INFINITY
    const end = Date.parse(String(expiresAt))
    return end > clock.now().getTime() ? end : 0
  }
  const endOfAll = (records: readonly Body[]) => Math.max(0, ...records.map(endOf))
  const records = () => [...held.values()].map(({ record }) => record)

  /** Asks as one that may. */
  async function ask(endpoint: Endpoint, draw: () => ReturnType<Session['draw']>): Promise<Exchange> {
    const [first] = [...held.values()].sort((a, b) => endOf(b.record) - endOf(a.record))
    return session.taken(endpoint, draw, () => ({ key: first?.secret ?? session.key }))
  }
  const on = (id: string | number, body?: Body) => () => ({
    path: { [parameter]: id },
    query: {},
    header: {},
    ...(body && { body }),
  })

  async function make(body: Body): Promise<void> {
    const made = await ask(maker, () => {
      const draft = session.draw(maker, undefined, true)
      return { ...draft, header: {}, body: { ...(isBody(draft.body) && draft.body), ...body } }
    })
    session.hold(made, 'a credential that may administer others can’t issue one', made.reply.status < 300)
    const [id, secret] = [identifierIn(session.contract, parameter, made), secretIn(made)]
    if (id === undefined || secret === undefined || !isBody(made.reply.body)) return
    const { [credential.secret]: _, ...record } = made.reply.body
    held.set(id, { record, secret })
  }

  /** Asks for a change, or a removal, of which is known whether it is taken. @returns whether it is as it is known */
  async function attempt(id: string | number, { record, secret }: Held, body: Body | undefined) {
    const after = body && Object.entries({ ...record, ...body }).filter(([, value]) => value !== null)
    const beside = records().filter(other => other !== record)
    const isLast = endOfAll([...beside, ...(after ? [Object.fromEntries(after)] : [])]) < endOfAll(records())
    const [first] = [...held.values()].sort((a, b) => endOf(b.record) - endOf(a.record))
    const exchange = await session.exchange(body ? changer : remover, on(id, body)(), {
      key: first?.secret ?? session.key,
    })
    const { status, body: reply } = exchange.reply
    const code = codeIn(reply)
    const isRight = isLast ? status === 409 && code === codes.lastAdministrator : status < 300
    session.hold(
      exchange,
      `${body ? 'a change' : 'the removal'} of ${JSON.stringify(record)}, beside ${JSON.stringify(beside)}, is answered ${status} ${code ?? ''}, and not ${isLast ? codes.lastAdministrator : 'taken'} [${law}]`,
      isRight,
    )
    if (status < 300 && !body) held.delete(id)
    else if (status < 300 && isBody(reply)) held.set(id, { record: reply, secret })
    return isRight
  }

  // Nobody else is there in the beginning.
  const list = session.contract.at('GET', maker.path)
  await make({ [credential.scopes]: [scope] })
  for (const { id } of list ? itemsOf(await session.exchange(list, session.draw(list, undefined, true))) : [])
    if ((typeof id === 'number' || typeof id === 'string') && !held.has(id))
      await session.exchange(remover, on(id)(), { key: [...held.values()][0]?.secret ?? session.key })
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
    const [id, one] = [...held][whom % held.size] ?? []
    if (id === undefined || !one) return
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
    // From there on it is not known what is so.
    if (!(await attempt(id, one, bodies[what]))) return
    if (whom % 7 === 0 && endOfAll(records()) > clock.now().getTime() + hour) clock.advance(hour / 2)
  }
}
