import fc from 'fast-check'
import { begunTexts, sameTexts } from '../../records/conventions.ts'
import type { Endpoint, Kind, Shape } from '../../records/interface.ts'
import type { Draft } from '../../records/messages.ts'
import { choosingForms } from '../forms.ts'
import { referencesIn, withIdentifiers } from '../requests.ts'
import { identifierIn } from '../sending.ts'
import type { Session } from '../session.ts'

/** How many records more than a page holds by default are made of each kind. */
const beyondPage = 5
/** How many records are alike, so that an order has to choose among equals. */
const alike = 5

/** Makes records of a kind, more than fill a page, and changes some of them in every way there is. */
export async function fill(session: Session, { parameter, maker, list, changers }: Kind): Promise<void> {
  const { endpoints, shape } = session.contract
  const pages = endpoints.flatMap(({ parameters }) => parameters.map(({ schema }) => shape(schema).default))
  const size = Math.max(...pages.filter(page => typeof page === 'number'), 0) + beyondPage
  const makings: (() => Promise<unknown>)[] = []
  for (const [name, schema] of Object.entries(maker.takes.properties ?? {})) {
    const samples = [
      ...sameTexts.flat(),
      ...begunTexts.flatMap(({ texts }) => texts),
      ...longTexts(shape(schema)),
    ]
    // A list may have a parameter for texts that is named after a property of its records.
    const searched = list?.parameters.find(other => other.in === 'query' && other.name === name)
    const { type, enum: values, format } = shape(searched?.schema)
    if (type === 'string' && values === undefined && format === undefined)
      for (const text of samples) {
        const override = { place: ['body', name], value: fc.constant(text) }
        makings.push(() => session.exchange(maker, session.least(maker, undefined, override)))
      }
  }
  for (let made = 0; made < size; made++)
    makings.push(async () => {
      await session.exchange(maker, session.draw(maker))
      if (made % 3 > 0) return
      const { id } = await session.make(parameter)
      for (const changer of changers) await session.on(changer, id, session.draw(changer))
    })
  await session.eachAtOnce(makings, make => make())
}

/** Texts as long as may be, which differ at their very end. */
const longTexts = ({ maxLength = 0 }: Shape) =>
  maxLength > 1 ? ['a', 'b'].map(end => 'So long '.padEnd(maxLength - 1, 'x') + end) : []

/**
 * Makes records that name the same others and differ, as far as possible, only in their identifiers. Then it brings
 * one after the other into each state that a request can choose.
 */
export async function makeAlike(session: Session, { maker, changers }: Kind): Promise<void> {
  const { drawn } = await session.taken(maker)
  const named = new Map<string, unknown>()
  for (const name of referencesIn(drawn)) named.set(name, (await session.make(name)).id)
  const change = (changer: Endpoint, id: unknown, draft: Draft) =>
    session.on(changer, id, withIdentifiers(draft, named))
  const made: (string | number)[] = []
  for (let attempt = 0; made.length < alike && attempt < 3 * alike; attempt++) {
    const sent = await session.exchange(maker, { ...withIdentifiers(drawn, named), header: {} })
    const id = identifierIn(sent)
    if (id !== undefined) made.push(id)
    else if (named.size === 0) break
    // A named record that does not allow the request may allow it after a change.
    else
      for (const [name, other] of named)
        for (const changer of session.contract.kindOf(name)?.changers ?? [])
          await change(changer, other, session.draw(changer))
  }
  let next = 0
  for (const changer of changers)
    for (const { override } of choosingForms(session.drawing(changer), changer)) {
      const id = made[next++ % made.length]
      if (id !== undefined) await change(changer, id, session.least(changer, undefined, override))
    }
}
