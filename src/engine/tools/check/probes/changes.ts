import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { typesIn, valuesIn } from 'spec-served-document/model'
import type { Endpoint, Shape } from '../../records/interface.ts'
import { type Body, type Draft, recordIn } from '../../records/messages.ts'
import type { Exchange } from '../sending.ts'
import type { Session } from '../session.ts'
import { valuesOf } from '../values.ts'

/** How many requests are drawn to find one with everything that may be in it. */
const draws = 30
/** How many times a record is replaced by a full body and by one with only required properties, in turns. */
const replacements = 3

/**
 * Changes each property of a record by itself: to a value, and to null where that is allowed. Then it replaces the
 * record by its required properties. The session's invariants tell what must come of it.
 */
export async function probeChanges(session: Session, endpoint: Endpoint) {
  const { id, body: made } = await session.make(endpoint.record ?? '', maker => fullest(session, maker))
  const send = (body: unknown) => session.on(endpoint, id, { ...session.least(endpoint), body })
  if (endpoint.method === 'PATCH') {
    let last = recordIn(made)
    const hold = (changed: Exchange, sent: Body) => {
      if (changed.reply.status >= 300) return
      const now = recordIn(changed.reply.body)
      if (!session.contract.guided) holdRest(session, changed, last, sent, now)
      last = now
    }
    hold(await send({}), {}) // which changes nothing (RFC 7396)
    const full = recordIn(fullest(session, endpoint).body)
    for (const [name, schema] of Object.entries(endpoint.takes.properties ?? {})) {
      const values = valuesOf(session.drawing(endpoint), schema, ['body', name])
      const [value] = fc.sample(values, { seed: session.seed, numRuns: 1 })
      const bodies: Body[] = [{ [name]: value }]
      if (session.contract.shape(schema).nullable) bodies.push({ [name]: null })
      // So that the next one is seen to leave it alone.
      if (name in full) bodies.push({ [name]: full[name] })
      for (const body of bodies) hold(await send(body), body)
    }
  } else {
    const left = createLeft(session)
    for (let time = 0; time < replacements; time++) {
      // A service of others may have rules that odd values break.
      const isSimple = !session.contract.guided && time > 0
      const full = await send(fullest(session, endpoint, isSimple).body)
      const least = await send((isSimple ? session.simple(endpoint) : session.least(endpoint)).body)
      if (session.contract.guided) continue
      holdDefaults(session, full, least)
      left.note(full, least)
    }
    left.conclude()
  }
  if (!session.contract.guided) await holdEmptied(session, endpoint, send)
}

/** A value that programs take for none is one as any other: what was true can be changed to false. */
async function holdEmptied(
  session: Session,
  endpoint: Endpoint,
  send: (body: unknown) => Promise<Exchange>,
): Promise<void> {
  for (const [name, schema] of Object.entries(endpoint.takes.properties ?? {})) {
    const { shape } = session.contract
    const outer = shape(schema)
    const forms = [outer, ...[outer.anyOf ?? [], outer.oneOf ?? []].flat().map(shape)]
    const none = forms.map(noneOf).find(value => value !== undefined)
    if (none === undefined || !(name in (endpoint.gives.properties ?? {}))) continue
    const values = valuesOf(session.drawing(endpoint), schema, ['body', name])
    const some = fc.sample(values, { seed: session.seed, numRuns: draws }).find(isSome)
    const rest = endpoint.method === 'PUT' ? recordIn(session.simple(endpoint).body) : {}
    const before = some === undefined ? undefined : await send({ ...rest, [name]: some })
    const shows = ({ reply }: Exchange) =>
      reply.status < 300 && isDeepStrictEqual(recordIn(reply.body)[name], some)
    if (!before || !shows(before)) continue
    const after = await send({ ...rest, [name]: none })
    const [sent, was] = [none, some].map(value => JSON.stringify(value))
    session.hold(after, `${name} was sent as ${sent}, and stays ${was}`, !shows(after))
  }
}

/** The value that programs take for none, of those that a schema allows. */
function noneOf(shape: Shape): unknown {
  const { minimum = 0, maximum = 0, minItems = 0 } = shape
  const [type] = typesIn(shape)
  if (valuesIn(shape) !== undefined) return undefined
  if (type === 'boolean') return false
  if (type === 'array') return minItems === 0 ? [] : undefined
  const isNumber = type === 'integer' || type === 'number'
  return isNumber && Number(minimum) <= 0 && Number(maximum) >= 0 ? 0 : undefined
}

const isSome = (value: unknown) => Boolean(value) && (!Array.isArray(value) || value.length > 0)

/** A replacement has the defaults of what it leaves out, and not the values from before (RFC 9110, section 9.3.4). */
function holdDefaults({ hold, contract }: Session, { reply: before }: Exchange, least: Exchange): void {
  const { draft, endpoint, reply } = least
  if (before.status >= 300 || reply.status >= 300) return
  const [earlier, now] = [recordIn(before.body), recordIn(reply.body)]
  for (const [name, schema] of Object.entries(endpoint.takes.properties ?? {})) {
    const { default: usual } = contract.shape(schema)
    if (usual == null || name in recordIn(draft.body) || isDeepStrictEqual(earlier[name], usual)) continue
    const isLeft = earlier[name] !== undefined && isDeepStrictEqual(now[name], earlier[name])
    hold(
      least,
      `${name} was left out of a replacement, and stays ${JSON.stringify(now[name])} in place of its default`,
      !isLeft,
    )
  }
}

/**
 * A property without a default that replacements leave out is gone. A service may keep all of them, as many do, but not
 * one of two.
 */
function createLeft({ contract, hold }: Session) {
  const gone = new Set<string>()
  /** the values that stayed, by their property */
  const kept = new Map<string, Set<string>>()
  let last: Exchange | undefined
  return {
    note({ draft: { body }, reply: before }: Exchange, least: Exchange): void {
      const { draft, endpoint, reply } = least
      if (before.status >= 300 || reply.status >= 300) return
      last = least
      const [sent, earlier, now] = [body, before.body, reply.body].map(recordIn)
      for (const [name, schema] of Object.entries(endpoint.takes.properties ?? {})) {
        const value = earlier?.[name]
        const isSent =
          isDeepStrictEqual(sent?.[name], value) && (isSome(value) || value === 0 || value === false)
        if (!isSent || name in recordIn(draft.body) || contract.shape(schema).default !== undefined) continue
        if (isDeepStrictEqual(now?.[name], value))
          kept.set(name, (kept.get(name) ?? new Set()).add(JSON.stringify(value)))
        else gone.add(name)
      }
    },
    conclude(): void {
      const [other] = gone
      for (const [name, values] of kept) {
        if (!last || other === undefined) continue
        const [value] = values
        const what = `${name} was left out of replacements, and stays ${value}, and ${other} is gone`
        // One value may be what the service has for none.
        hold(last, what, gone.has(name) || values.size < 2)
      }
    },
  }
}

/** A patch of one property does not take the others away, of which the client says nothing (RFC 5789). */
function holdRest({ hold, contract }: Session, changed: Exchange, before: Body, sent: Body, now: Body): void {
  const { record, gives } = changed.endpoint
  const { maker } = contract.kindOf(record) ?? {}
  for (const name of Object.keys(maker?.takes.properties ?? {})) {
    if (name in sent || !(name in (gives.properties ?? {}))) continue
    const isLost = before[name] != null && now[name] == null
    const isOther = Object.keys(sent).length === 0 && isScalar(before[name]) && before[name] !== now[name]
    hold(changed, `${name} becomes ${JSON.stringify(now[name])} by an empty change`, isLost || !isOther)
    hold(changed, `${name} is taken away by a change of ${Object.keys(sent).join() || 'nothing'}`, !isLost)
  }
}

const isScalar = (value: unknown) => /^(string|number|boolean)$/.test(typeof value)

/**
 * Draws some requests and returns the one with the most properties, of which lists have items. In a document of others a
 * value that is the default shows nothing.
 * @param isSimple as in `session.draw`
 */
export function fullest(session: Session, endpoint: Endpoint, isSimple = false): Draft {
  const { guided, shape } = session.contract
  const isFull = ([name, value]: [string, unknown]) =>
    guided ||
    (value !== null &&
      (!Array.isArray(value) || value.length > 0) &&
      !isDeepStrictEqual(value, shape(endpoint.takes.properties?.[name]).default))
  const size = ({ body }: Draft) => Object.entries(recordIn(body)).filter(isFull).length
  const drawn = Array.from({ length: guided ? draws : 2 * draws }, () =>
    session.draw(endpoint, undefined, false, isSimple),
  )
  const [most = session.draw(endpoint)] = drawn.sort((a, b) => size(b) - size(a))
  return { ...most, header: {} }
}
