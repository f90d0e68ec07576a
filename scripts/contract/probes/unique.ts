import fc from 'fast-check'
import { codesOf } from '../../../src/engine/extensions.ts'
import { codeIn, codes, pointersIn, sameTexts } from '../conventions.ts'
import type { Endpoint, Interface } from '../interface.ts'
import { effectsOf } from '../laws/effects.ts'
import { type Exchange, identifierIn, type Session } from '../session.ts'
import { innermost } from './differences.ts'

/** The codes with which an operation may refuse what is there already: those of 409 that no convention and no effect explains. */
export function uniqueCodesOf({ makers }: Interface, endpoint: Endpoint): string[] {
  if (![...makers.values()].includes(endpoint)) return []
  const known = new Set<unknown>([
    ...Object.values(codes),
    ...effectsOf(endpoint).map(({ otherwise }) => otherwise),
  ])
  return codesOf(endpoint.responses.get('409') ?? { description: '' }).filter(code => !known.has(code))
}

/**
 * What can't be had twice can't be had in other letters either, by whatever operation; it is free again once its holder
 * has another, and its holder may keep it.
 */
export async function probeUnique(session: Session, endpoints: readonly Endpoint[]) {
  for (const [parameter, maker] of session.contract.makers)
    if (endpoints.includes(maker))
      await session.attempt(async () => {
        const made = await session.taken(maker)
        const twice = await session.exchange(maker, made.draft)
        if (twice.reply.status !== 409) return
        for (const pointer of pointersIn(twice.reply.body)) {
          const name = pointer.slice(1)
          const isText = typeof innermost(made.draft.body)[name] === 'string'
          if (isText) await holdUnique(session, parameter, maker, name, codeIn(twice.reply.body))
        }
      })
}

async function holdUnique(
  session: Session,
  parameter: string,
  maker: Endpoint,
  name: string,
  code: string | undefined,
): Promise<void> {
  const draw = (endpoint: Endpoint, text: string) =>
    session.draw(endpoint, { at: ['body', name], value: fc.constant(text) }, true)
  const isTaken = (exchange: Exchange, what: string) =>
    session.hold(exchange, `${what} is answered ${exchange.reply.status}`, exchange.reply.status < 300)
  const isRefused = (exchange: Exchange, what: string) => {
    const { status, body } = exchange.reply
    session.hold(
      exchange,
      `${what} is answered ${status} ${codeIn(body) ?? ''}, and not 409 ${code}`,
      status === 409 && codeIn(body) === code && pointersIn(body).includes(`/${name}`),
    )
  }
  const changers = session.contract.endpoints.filter(
    ({ record, method, path }) =>
      record === parameter && /^(PUT|PATCH)$/.test(method) && path === `${maker.path}/{${parameter}}`,
  )
  const make = (text: string) => session.exchange(maker, draw(maker, text))
  for (const [index, pair] of sameTexts.entries()) {
    const [one, same] = pair.map(text => `${text} ${index} of ${maker.id}`) as [string, string] // a pair
    const first = await make(one)
    isTaken(first, `a new ${name}`)
    isRefused(await make(same), `the ${name} of another in other letters`)
    const id = identifierIn(session.contract, parameter, first)
    if (id === undefined) return
    const other = { [parameter]: (await session.make(parameter)).id }
    for (const changer of changers) {
      const change = async (path: Record<string, unknown>, text: string) =>
        session.exchange(changer, { ...draw(changer, text), path, header: {} })
      isRefused(await change(other, same), `the ${name} of another, by a change,`)
      isTaken(await change({ [parameter]: id }, same), `its own ${name} in other letters`)
      isTaken(await change({ [parameter]: id }, `${one} ${changer.id}`), `a ${name} that nobody has`)
      isTaken(await change(other, one), `a ${name} that its holder has given up`)
      isTaken(await change(other, `${one} no more ${changer.id}`), `another ${name}`)
      isTaken(await change({ [parameter]: id }, one), `a ${name} that was given up in between`)
    }
  }
}
