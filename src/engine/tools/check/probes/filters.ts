import fc from 'fast-check'
import { typesIn } from 'spec-served-document/model'
import { foldText, identifier, parameters } from '../../records/conventions.ts'
import type { Endpoint, Interface } from '../../records/interface.ts'
import { recordIn } from '../../records/messages.ts'
import type { Session } from '../session.ts'
import { valuesOf } from '../values.ts'
import { listOf } from './pages.ts'

/** How many values of a property are tried to find another one than its record has. */
const tried = 6
/** The longest page that is asked for. */
const most = 100

/** The properties that an operation changes, and by which the list of its records filters. */
export function filtersOf({ kindOf, shape }: Interface, { record, takes, gives }: Endpoint): string[] {
  const queries = (kindOf(record)?.list?.parameters ?? []).filter(({ in: place }) => place === 'query')
  const isSingle = (name: string) =>
    queries.some(query => query.name === name && typesIn(shape(query.schema)).every(type => type !== 'array'))
  return Object.keys(takes.properties ?? {}).filter(
    name => isSingle(name) && name in (gives.properties ?? {}),
  )
}

/** A list finds a record by what a change has made of it, and no longer by what it was before. */
export async function probeFilters(session: Session, endpoints: readonly Endpoint[]): Promise<void> {
  for (const endpoint of endpoints)
    for (const name of filtersOf(session.contract, endpoint))
      await session.attempt(() => holdFilter(session, endpoint, name))
}

async function holdFilter(session: Session, changer: Endpoint, name: string): Promise<void> {
  const { list } = session.contract.kindOf(changer.record) ?? {}
  if (!list) return
  const { id, body } = await session.make(changer.record ?? '')
  const { [name]: before } = recordIn(body)
  const values = valuesOf(session.drawing(changer), changer.takes.properties?.[name] ?? {}, ['body', name])
  const isSized = list.parameters.some(parameter => parameter.name === parameters.limit)
  const lists = async (value: unknown) => {
    const items = await listOf(session, list).walk({
      [name]: value,
      ...(isSized && { [parameters.limit]: most }),
    })
    return items.some(item => (item[changer.record ?? ''] ?? item[identifier.one]) === id)
  }
  for (const value of fc.sample(values, { seed: session.seed, numRuns: tried })) {
    const override = { place: ['body', name], value: fc.constant(value) }
    const changed = await session.on(changer, id, session.least(changer, undefined, override))
    const { [name]: after } = recordIn(changed.reply.body)
    if (changed.reply.status >= 300 || before === undefined || beginsWith(before, after)) continue
    const found = `${list.id} with ${name}=${after}, as it has become, does not list it`
    session.hold(changed, found, await lists(after))
    const still = `${list.id} with ${name}=${before}, as it was before, still lists it`
    session.hold(changed, still, !(await lists(before)))
    return
  }
}

/** Whether a filter by the first value finds the second one, too. */
const beginsWith = (text: unknown, whole: unknown) =>
  text === whole || (typeof text === 'string' && foldText(String(whole)).startsWith(foldText(text)))
