import fc from 'fast-check'
import { begunTexts, sameTexts } from '../conventions.ts'
import { choicesOf } from '../forms.ts'
import { type Endpoint, type Shape, shapeOf } from '../interface.ts'
import { type Draft, referencesIn, withIdentifiers } from '../requests.ts'
import { identifierIn, type Session } from '../session.ts'

/** How many records more than a page holds by default are made of each kind. */
const beyondPage = 5
/** How many records are alike, so that an order has to choose among equals. */
const alike = 5

/** Makes records of a kind, more than fill a page, and changes some of them in every way there is. */
export async function fill(session: Session, parameter: string): Promise<void> {
  const { endpoints, makers, model } = session.contract
  const maker = makers.get(parameter)
  if (!maker) return
  const pages = endpoints.flatMap(({ parameters }) =>
    parameters.map(({ schema }) => schema && shapeOf(model, schema).default),
  )
  const size = Math.max(...pages.filter(page => typeof page === 'number'), 0) + beyondPage
  const { properties = {} } = shapeOf(model, maker.request.properties.body ?? {})
  const searched = Object.keys(properties).filter(name => isSearchedBy(session, maker, name))
  for (const name of searched)
    for (const text of [
      ...sameTexts.flat(),
      ...begunTexts.flatMap(({ texts }) => texts),
      ...longTexts(shapeOf(model, properties[name] ?? {})),
    ]) {
      const draft = session.draw(maker, { at: ['body', name], value: fc.constant(text) }, true)
      await session.exchange(maker, draft)
    }
  for (let made = 0; made < size; made++) {
    await session.exchange(maker, session.draw(maker))
    if (made % 3 > 0) continue
    const record = await session.make(parameter)
    for (const endpoint of endpoints)
      if (endpoint.record === parameter && /^(PUT|PATCH)$/.test(endpoint.method)) {
        const draft = { ...session.draw(endpoint), path: { [parameter]: record.id }, header: {} }
        await session.exchange(endpoint, draft)
      }
  }
}

/** Texts as long as may be, which differ at their very end. */
const longTexts = ({ maxLength = 0 }: Shape) =>
  maxLength > 1 ? ['a', 'b'].map(end => 'So long '.padEnd(maxLength - 1, 'x') + end) : []

/** Whether a list has a parameter for texts that is named after a property of its records. */
function isSearchedBy({ contract: { at, model } }: Session, { path }: Endpoint, name: string): boolean {
  const list = at('GET', path)
  const parameter = list?.parameters.find(other => other.in === 'query' && other.name === name)
  const { type, enum: values, format } = shapeOf(model, parameter?.schema ?? {})
  return type === 'string' && values === undefined && format === undefined
}

/**
 * Makes records that name the same others and differ in nothing but their identifiers, as far as that may be; then brings
 * one after the other into each state that a request can choose.
 */
export async function makeAlike(session: Session, { path }: Endpoint): Promise<void> {
  const { contract } = session
  const [parameter, maker] = [...contract.makers].find(([, own]) => own.path === path) ?? []
  if (parameter === undefined || !maker) return
  const changersOf = (name: string) => contract.changers(name)
  const { drawn } = await session.taken(maker)
  const named = new Map<string, unknown>()
  for (const name of referencesIn(drawn)) named.set(name, (await session.make(name)).id)
  const send = async (endpoint: Endpoint, draft: Draft) => {
    const exchange = await session.exchange(endpoint, { ...withIdentifiers(draft, named), header: {} })
    return exchange
  }
  const made: (string | number)[] = []
  for (let attempt = 0; made.length < alike && attempt < 3 * alike; attempt++) {
    const id = identifierIn(contract, parameter, await send(maker, drawn))
    if (id !== undefined) made.push(id)
    else if (named.size === 0) break
    // What a record that is named does not allow it may allow when it has changed.
    else
      for (const [name, other] of named)
        for (const changer of changersOf(name))
          await send(changer, { ...session.draw(changer), path: { [name]: other } })
  }
  let next = 0
  for (const changer of changersOf(parameter))
    for (const { override } of choicesOf(session.drawing(changer), changer)) {
      const id = made[next++ % made.length]
      if (id !== undefined)
        await send(changer, { ...session.draw(changer, override, true), path: { [parameter]: id } })
    }
}
