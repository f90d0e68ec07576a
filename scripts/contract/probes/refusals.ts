import { isDeepStrictEqual } from 'node:util'
import { choicesOf, formsOf } from '../forms.ts'
import type { Endpoint } from '../interface.ts'
import { identifierIn, type Session } from '../session.ts'
import { type Override, Reference } from '../values.ts'

/**
 * Walks into the rules of the business from the usual sides: the same record twice, a record that another one needs, a
 * record that has come to an end, the last of its kind. What is declared for that must be what is answered.
 */
export async function probeRefusals(session: Session, endpoint: Endpoint) {
  await repeat(session, endpoint)
  if (endpoint.record !== undefined) await afterEachState(session, endpoint)
  if (endpoint.method === 'DELETE') await whileNeeded(session, endpoint)
}

/** What is unique can't be had twice: a record takes on the body of another. What is named may not be there. */
async function repeat(session: Session, endpoint: Endpoint): Promise<void> {
  if (endpoint.mediaTypes.length === 0) return
  const edges = formsOf(session.drawing(endpoint), endpoint).filter(({ name }) => / its maximum$/.test(name))
  for (const override of [undefined, ...edges.map(edge => edge.override)]) {
    const draft = { ...session.draw(endpoint, override), header: {} }
    for (let time = 0; time < 2; time++) await session.exchange(endpoint, draft)
    // Of several items each is told of.
    const name = override?.at[2] ?? ''
    const [first] = Array.isArray(draft.body) ? draft.body : []
    const value = bodyOf({ body: first })[name]
    if (!Array.isArray(draft.body) || typeof value !== 'number') continue
    const again = { ...draft, body: [...draft.body, { ...bodyOf({ body: first }), [name]: value - 1 }] }
    await session.exchange(endpoint, again)
  }
}

/** Brings a record into each state that a request can choose, and then asks for the operation in each of its forms. */
async function afterEachState(session: Session, endpoint: Endpoint): Promise<void> {
  const { record = '' } = endpoint
  const others = session.contract.endpoints.filter(
    other => other.record === record && /^(PUT|PATCH)$/.test(other.method),
  )
  for (const other of others)
    for (const state of choicesOf(session.drawing(other), other)) {
      const path = { [record]: (await session.make(record)).id }
      await session.exchange(other, {
        ...session.draw(other, state.override),
        path,
        header: {},
      })
      for (const choice of [undefined, ...choicesOf(session.drawing(endpoint), endpoint)]) {
        const draft = { ...session.draw(endpoint, choice?.override), path, header: {} }
        await session.exchange(endpoint, draft)
      }
    }
}

/** A record that others name is asked to go. */
async function whileNeeded(session: Session, remover: Endpoint): Promise<void> {
  const { contract } = session
  for (const [parameter, maker] of contract.makers) {
    const names = Object.entries(bodyOf(session.draw(maker)))
      .filter(([, value]) => value instanceof Reference && value.parameter === remover.record)
      .map(([name]) => name)
    for (const name of names) {
      const made = await session.taken(maker)
      const path = { [remover.record ?? '']: bodyOf(made.draft)[name] }
      await session.exchange(remover, { path })
      const changers = contract.changers(parameter)
      for (const changer of changers)
        for (const { override } of choicesOf(session.drawing(changer), changer))
          await whileNamed(session, remover, maker, name, { parameter, changer, override })
    }
  }
}

/** Where a record may go that another one names, that one stays as it is and names it no more. */
async function whileNamed(
  session: Session,
  remover: Endpoint,
  maker: Endpoint,
  name: string,
  { parameter, changer, override }: { parameter: string; changer: Endpoint; override: Override | undefined },
): Promise<void> {
  const { contract } = session
  const made = await session.taken(maker)
  const path = { [parameter]: identifierIn(contract, parameter, made) }
  const reader = contract.at('GET', `${maker.path}/{${parameter}}`)
  if (!reader) return
  const read = () => session.exchange(reader, { path })
  await session.exchange(changer, { ...session.draw(changer, override, true), path, header: {} })
  const { [name]: named, ...before } = bodyOf({ body: (await read()).reply.body })
  if (named === undefined) return
  const gone = await session.exchange(remover, {
    path: { [remover.record ?? '']: named },
    query: {},
    header: {},
  })
  if (gone.reply.status >= 300) return
  const after = await read()
  const { [name]: dangling, ...rest } = bodyOf({ body: after.reply.body })
  const isKept = after.reply.status === reader.success && isDeepStrictEqual(rest, before)
  session.hold(after, `it does not stay as it was when ${remover.id} removes what it names`, isKept)
  session.hold(after, `its ${name} is ${dangling}, which ${remover.id} has removed`, dangling !== named)
}

const bodyOf = ({ body }: { body?: unknown }) =>
  (typeof body === 'object' && body !== null && !Array.isArray(body) ? body : {}) as Record<string, unknown>

/**
 * In a service that holds nothing but the caller's own key, changes and deletes all that there is.
 * @param session of a service that nobody has used yet
 */
export async function probeLast(session: Session, endpoint: Endpoint) {
  for (const choice of [undefined, ...choicesOf(session.drawing(endpoint), endpoint)]) {
    const path = { [endpoint.record ?? '']: 1 }
    await session.exchange(endpoint, { ...session.draw(endpoint, choice?.override, true), path, header: {} })
  }
}
