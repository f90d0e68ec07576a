import fc from 'fast-check'
import { toRegExp } from 'spec-served-document/pattern'
import { begunTexts, codeIn, pointersIn, sameTexts } from '../../records/conventions.ts'
import type { Endpoint, Kind } from '../../records/interface.ts'
import { recordIn } from '../../records/messages.ts'
import { type Exchange, identifierIn } from '../sending.ts'
import type { Session } from '../session.ts'

/**
 * Checks that a unique value is also taken in other letter case, whatever the operation. Its holder may keep it.
 * The value is free again once its holder has another. Values that differ in a letter or in white space are others.
 */
export async function probeUnique(session: Session, endpoints: readonly Endpoint[]) {
  for (const kind of session.contract.kinds)
    if ([kind.maker, ...kind.changers].some(endpoint => endpoints.includes(endpoint)))
      await session.attempt(async () => {
        for (const { name, code } of await uniqueTexts(session, kind))
          await holdUnique(session, kind, name, code)
      })
}

/** The texts of a record that no other may have, by the refusal of the same record once more. */
export async function uniqueTexts(session: Session, { maker }: Kind) {
  const made = await session.taken(maker)
  const { status, body } = (await session.exchange(maker, made.draft)).reply
  const names = (status === 409 ? pointersIn(body) : []).map(pointer => pointer.slice(1))
  return names
    .filter(name => typeof recordIn(made.draft.body)[name] === 'string')
    .map(name => ({ name, code: codeIn(body) ?? '' }))
}

async function holdUnique(session: Session, kind: Kind, name: string, code: string): Promise<void> {
  const { maker, parameter } = kind
  const draw = (endpoint: Endpoint, text: string) =>
    session.least(endpoint, undefined, { place: ['body', name], value: fc.constant(text) })
  const isRefused = (exchange: Exchange, what: string) => {
    session.holdRefusal(exchange, what, { status: 409, code })
    const isNamed = pointersIn(exchange.reply.body).includes(`/${name}`)
    session.hold(exchange, `the refusal of ${what} does not name /${name}`, isNamed)
  }
  const changers = kind.changers.filter(({ path }) => path === `${maker.path}/{${parameter}}`)
  const make = (text: string) => session.exchange(maker, draw(maker, text))
  const {
    maxLength = Infinity,
    pattern = '',
    format,
  } = session.contract.shape(maker.takes.properties?.[name])
  const fits = (text: string) =>
    text.length <= maxLength && format === undefined && toRegExp(pattern)?.test(text) === true
  // A service that was asked before has the names of that draw.
  const end = `of ${maker.id} by ${session.seed}`
  const ends = [end, `${end} `]
  const others = begunTexts.map(({ texts }) => texts.map(text => text + end))
  for (const text of [...others, ends].flat().filter(fits))
    session.holdSuccess(await make(text), `a ${name} that differs from others, ${JSON.stringify(text)},`)
  for (const [index, pair] of sameTexts.entries()) {
    const [heldName, sameName] = pair.map(text => `${text} ${index} ${end}`) as [string, string] // a pair
    if (!fits(heldName) || !fits(sameName)) continue
    const first = await make(heldName)
    session.holdSuccess(first, `a new ${name}`)
    isRefused(await make(sameName), `the ${name} of another in other letters`)
    const id = identifierIn(first)
    if (id === undefined) return
    const { id: other } = await session.make(parameter)
    for (const changer of changers) {
      const change = (changed: unknown, text: string) => session.on(changer, changed, draw(changer, text))
      const takes = async (changed: unknown, text: string, what: string) =>
        session.holdSuccess(await change(changed, text), what)
      isRefused(await change(other, sameName), `the ${name} of another, by a change,`)
      await takes(id, sameName, `its own ${name} in other letters`)
      await takes(id, `${heldName} ${changer.id}`, `a ${name} that nobody has`)
      await takes(other, heldName, `a ${name} that its holder has given up`)
      await takes(other, `${heldName} no more ${changer.id}`, `another ${name}`)
      await takes(id, heldName, `a ${name} that was given up in between`)
    }
  }
}
