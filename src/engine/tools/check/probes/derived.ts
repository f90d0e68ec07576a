import { isDeepStrictEqual } from 'node:util'
import { typesIn } from 'spec-served-document/model'
import type { Endpoint, Kind } from '../../records/interface.ts'
import { type Body, recordIn } from '../../records/messages.ts'
import { leastOf } from '../preparing.ts'
import { identifierIn } from '../sending.ts'
import type { Session } from '../session.ts'
import { numberOf } from './consequences.ts'

/** How many pairs of requests are drawn until the service takes both: one may ask for more than there is. */
const tries = 6

/** Two new records of the same content. */
interface Made {
  id: string | number | undefined
  shown: readonly Body[]
}

/**
 * A number changes with the values from which the service makes it. The number follows from what
 * clients send if two records of one content have the same, and those of another content another one.
 */
export async function holdDerived(session: Session, { maker, reader, changers }: Kind): Promise<void> {
  if (!reader || changers.length === 0) return
  const names = Object.entries(reader.gives.properties ?? {}).flatMap(([name, schema]) => {
    const isNumber = typesIn(session.contract.shape(schema)).some(type => /^(integer|number)$/.test(type))
    const isSent = [maker, ...changers].some(({ takes }) => name in (takes.properties ?? {}))
    return isNumber && !isSent ? [name] : []
  })
  if (names.length === 0) return
  for (let time = 0; time < tries; time++) {
    const [body, otherBody] = await twoBodies(session, maker)
    const one = await makeTwice(session, maker, body)
    const other = one && (await makeTwice(session, maker, otherBody))
    if (!one || !other) continue
    for (const changer of changers) await holdChange(session, changer, reader, names, one, other, otherBody)
    return
  }
}

/** Two bodies that name the same records. */
async function twoBodies(session: Session, maker: Endpoint): Promise<[Body, Body]> {
  const { body } = await session.placed(session.simple(maker))
  const [sent, other, least] = [recordIn(body), recordIn(session.simple(maker).body), leastOf(session, maker)]
  const more = Object.entries(least).flatMap(([name, number]) => {
    const { maximum = Infinity } = session.contract.shape(maker.takes.properties?.[name])
    return Number(number) < Number(maximum) ? [[name, Number(number) + 1]] : []
  })
  const named = Object.entries(sent).filter(
    ([name]) => session.contract.referenceIn(maker, name) !== undefined,
  )
  return [
    { ...sent, ...least },
    { ...other, ...least, ...Object.fromEntries([...more, ...named]) },
  ]
}

async function makeTwice(session: Session, maker: Endpoint, body: Body): Promise<Made | undefined> {
  const draft = { ...(await session.placed(session.least(maker))), body, header: {} }
  const sent = [await session.exchange(maker, draft), await session.exchange(maker, draft)]
  if (sent.some(({ reply }) => reply.status >= 300)) return undefined
  const [first] = sent
  return { id: first && identifierIn(first), shown: sent.map(({ reply }) => recordIn(reply.body)) }
}

/** The number that both records have. */
function commonOf({ shown }: Made, name: string): number | undefined {
  const [value, again] = shown.map(record => numberOf(record, name))
  return value === again ? value : undefined
}

/** Gives the first record the content of the others. */
async function holdChange(
  session: Session,
  changer: Endpoint,
  reader: Endpoint,
  names: readonly string[],
  one: Made,
  other: Made,
  body: Body,
): Promise<void> {
  const { properties = {} } = changer.takes
  const [before] = one.shown
  const differing = Object.keys(body).filter(name => !isDeepStrictEqual(before?.[name], body[name]))
  if (one.id === undefined || !differing.every(name => name in properties)) return
  const taken = Object.entries(body).filter(([name]) => name in properties)
  const sent = { ...session.least(changer), body: Object.fromEntries(taken) }
  const changed = await session.on(changer, one.id, sent)
  const now = recordIn((await session.on(reader, one.id)).reply.body)
  if (changed.reply.status >= 300) return
  for (const name of names) {
    const [was, due] = [commonOf(one, name), commonOf(other, name)]
    if (was === undefined || due === undefined || was === due) continue
    const what = `${name} stays ${was}, and records that are made with these values have ${due}`
    session.hold(changed, what, now[name] !== was)
  }
}
