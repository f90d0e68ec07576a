import fc from 'fast-check'
import { type Endpoint, shapeOf } from '../interface.ts'
import type { Draft } from '../requests.ts'
import type { Session } from '../session.ts'
import { valuesOf } from '../values.ts'
import { isBody } from './differences.ts'

/** How many requests are drawn to find one with everything that may be in it. */
const draws = 30
/** How many times a record is replaced by all that it may have and by what it must have, in turns. */
const replacements = 3

/**
 * Changes each property of a record by itself: to a value, and to nothing where it may be none; then replaces the record by
 * the least that it must have. What must come of it is told by the session's laws.
 */
export async function probeChanges(session: Session, endpoint: Endpoint) {
  const { record = '' } = endpoint
  const { id } = await session.make(record, maker => fullest(session, maker))
  const send = async (body: unknown) => {
    const draft = { ...session.draw(endpoint, undefined, true), path: { [record]: id }, header: {}, body }
    await session.exchange(endpoint, draft)
  }
  if (endpoint.method === 'PATCH') return changeEach(session, endpoint, send)
  for (let time = 0; time < replacements; time++) {
    await send(fullest(session, endpoint).body)
    await send(session.draw(endpoint, undefined, true).body)
  }
}

async function changeEach(session: Session, endpoint: Endpoint, send: (body: unknown) => Promise<void>) {
  const { model } = session.contract
  const { properties = {} } = shapeOf(model, endpoint.request.properties.body ?? {})
  const full = fullest(session, endpoint).body
  for (const [name, schema] of Object.entries(properties)) {
    const [value] = fc.sample(valuesOf(session.drawing(endpoint), schema, ['body', name]), {
      seed: session.seed,
      numRuns: 1,
    })
    await send({ [name]: value })
    if (shapeOf(model, schema).nullable) await send({ [name]: null })
    // So that the next one is seen to leave it alone.
    if (isBody(full) && name in full) await send({ [name]: full[name] })
  }
}

/** Of some requests the one that holds most. */
function fullest(session: Session, endpoint: Endpoint): Draft {
  let most = session.draw(endpoint)
  const size = ({ body }: Draft) => (isBody(body) ? Object.keys(body).length : 0)
  for (let drawn = 1; drawn < draws; drawn++) {
    const other = session.draw(endpoint)
    if (size(other) > size(most)) most = other
  }
  return { ...most, header: {} }
}
