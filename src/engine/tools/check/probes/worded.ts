import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { takesNull } from 'spec-served-document/model'
import { isObject } from 'spec-served-document/pointer'
import type { Endpoint, Kind } from '../../records/interface.ts'
import { type Body, recordIn } from '../../records/messages.ts'
import { referencesIn } from '../requests.ts'
import { type Exchange, identifierIn } from '../sending.ts'
import type { Session } from '../session.ts'
import { later, spansIn } from '../spans.ts'
import { addersOf, type Whole, wholeFor } from './consequences.ts'

/*
 * Rules that a document says in words, and by which services of others are held: each is looked at only where the text has
 * the words of it.
 */

/** How many requests are drawn until the service takes one. */
const tries = 8

/** The texts of an operation, and those of one of its properties, in sentences. */
const sentencesOf = (...texts: readonly unknown[]): string[] =>
  texts.flatMap(text => (typeof text === 'string' ? text.split(/(?<=[.;:])\s+|\n{2,}/) : []))

const textsOf = ({ operation: { summary, description } }: Endpoint) => [summary, description]

const descriptionOf = (schema: object | undefined): unknown => Reflect.get(schema ?? {}, 'description')

/** Null takes a value away, where the text says so. */
export async function holdCleared(session: Session, { parameter, reader, changers }: Kind): Promise<void> {
  const { shape } = session.contract
  for (const changer of changers) {
    if (changer.method !== 'PATCH' || !reader) continue
    for (const [name, schema] of Object.entries(changer.takes.properties ?? {})) {
      const shown = reader.gives.properties?.[name]
      if (!shown || ![schema, shown].every(each => takesNull(shape(each)) || shape(each).nullable)) continue
      const own = sentencesOf(descriptionOf(schema), descriptionOf(shape(schema)))
      const named = sentencesOf(...textsOf(changer)).filter(text => new RegExp(`\\b${name}\\b`).test(text))
      if (![...own, ...named].some(text => clears.test(text) && !keeps.test(text))) continue
      await session.attempt(async () => {
        const { id } = await session.make(parameter, session.simple)
        const { [name]: value } = recordIn(session.draw(changer, undefined, false, true).body)
        const change = (to: unknown) =>
          session.on(changer, id, { ...session.least(changer), body: { [name]: to } })
        if (value === null || value === undefined || (await change(value)).reply.status >= 300) return
        const cleared = await change(null)
        if (cleared.reply.status >= 300) return
        const { [name]: left = null } = recordIn((await session.on(reader, id)).reply.body)
        session.hold(cleared, `${name} is null in it, and stays ${JSON.stringify(left)}`, left === null)
      })
    }
  }
}

const clears = /\bnull\b/i
const keeps =
  /\b(not|no|ignor\w*|unchanged|absent|left out|omitted|leaves|stays?|keeps?|kept|until|without|before)\b/i

/** A number that is said to be that of the latest of some parts stays so when an earlier one is added after it. */
export async function holdLatest(session: Session, kind: Kind): Promise<void> {
  const { shape } = session.contract
  const { reader, parameter } = kind
  if (!reader) return
  for (const adder of addersOf(session, kind)) {
    const [time, ...others] = Object.entries(adder.endpoint.takes.properties ?? {}).filter(([, schema]) =>
      /^date(-time)?$/.test(shape(schema).format ?? ''),
    )
    const names = Object.entries(reader.gives.properties ?? {}).flatMap(([name, schema]) =>
      sentencesOf(descriptionOf(schema), descriptionOf(shape(schema))).some(text => latest.test(text))
        ? [name]
        : [],
    )
    if (!time || others.length > 0 || names.length === 0) continue
    const [timeName, timeSchema] = time
    const isDay = shape(timeSchema).format === 'date'
    for (let attempt = 0; attempt < tries; attempt++) {
      const whole = await wholeFor(session, kind, adder, true)
      const other = await wholeFor(session, kind, adder, true)
      const [before, added] = [await addAny(session, other), await addAny(session, whole)]
      if (!before || !added) return
      const [early, late] = [before, added].map(({ draft }) => recordIn(draft.body))
      if (!early || !late) return
      const first = later(String(late[timeName]), -3, isDay)
      const [ofEarly, ofLate] = [await other.read(), await whole.read()]
      const sent = await whole.add({ ...early, [timeName]: first })
      const now = await whole.read()
      const telling = names.filter(name => ofEarly[name] !== ofLate[name])
      if (sent.reply.status >= 300 || telling.length === 0) continue
      for (const name of telling) {
        const what = `${name} of {${parameter}} ${whole.id} becomes ${now[name]} by an earlier ${timeName}, and that of the latest is ${ofLate[name]}`
        session.hold(sent, what, now[name] !== ofEarly[name] || isObject(now[name]))
      }
      break
    }
  }
}

const latest = /\b(latest|most recent|newest)\b/i

/** Adds something by values that the service takes. */
async function addAny(session: Session, { adder, add }: Whole): Promise<Exchange | undefined> {
  for (let attempt = 0; attempt < tries; attempt++) {
    const added = await add(recordIn(session.simple(adder.endpoint).body))
    if (added.reply.status < 300) return added
  }
  return undefined
}

/** A text that is said to be unique in any case is refused in another one, where it is refused in its own. */
export async function holdCases(session: Session, { maker }: Kind): Promise<void> {
  const { shape } = session.contract
  for (const [name, schema] of Object.entries(maker.takes.properties ?? {})) {
    const texts = sentencesOf(descriptionOf(schema), descriptionOf(shape(schema)))
    const said = sentencesOf(...textsOf(maker), maker.responses.get('409')?.description).filter(text =>
      new RegExp(`\\b${name}\\b`).test(text),
    )
    if (!texts.concat(said).some(text => inAnyCase.test(text))) continue
    await session.attempt(async () => {
      const named = (value: unknown) => ({ place: ['body', name], value: fc.constant(value) })
      for (let attempt = 0; attempt < tries; attempt++) {
        const drawn = session.simple(maker)
        const { [name]: drawnValue } = recordIn(session.draw(maker, undefined, false, true).body)
        const value = recordIn(drawn.body)[name] ?? drawnValue
        if (typeof value !== 'string') return
        const [one, other] = [value.toUpperCase(), value.toLowerCase()]
        const first = await session.exchange(maker, session.simple(maker, named(one)))
        const draft = { ...first.draft, body: { ...recordIn(first.draft.body), [name]: other } }
        if (one === other || ![first.draft, draft].every(each => session.fits(maker, each))) continue
        if (first.reply.status >= 300) continue
        const second = await session.exchange(maker, first.draft)
        const third = await session.exchange(maker, draft)
        const isRefused = second.reply.status < 300 || third.reply.status >= 300
        session.hold(
          third,
          `${name} is taken in another case, and its text says that it is unique in any`,
          isRefused,
        )
        return
      }
    })
  }
}

const inAnyCase =
  /\b(unique|taken|free|twice|same)\b.*\b(regardless of|whatever|ignoring|in any|irrespective of|without regard to|case-?insensitive\w*)\b|\bcase-?insensitive\w*\b.*\b(unique|taken)\b/i

/** A name is free after its record was removed, where the text says so. */
export async function holdReused(session: Session, { maker, remover }: Kind): Promise<void> {
  const texts = sentencesOf(...[maker, remover].flatMap(endpoint => (endpoint ? textsOf(endpoint) : [])))
  const own = Object.values(maker.takes.properties ?? {}).map(descriptionOf)
  if (!remover || !saysFreed([...texts, ...sentencesOf(...own)])) return
  const made = await session.taken(maker, attempt =>
    session.inTurns(maker, attempt + 1, 0, () => session.simple(maker)),
  )
  const id = identifierIn(made)
  if (made.reply.status >= 300 || id === undefined) return
  if ((await session.exchange(maker, made.draft)).reply.status < 400) return
  const removed = await session.on(remover, id)
  if (removed.reply.status >= 300 || removed.reply.status === 202) return
  const sent = await session.exchange(maker, made.draft)
  const what = 'the same as one that was removed is refused, and its text says that it may be used again'
  session.hold(sent, what, sent.reply.status < 300)
}

const saysFreed = (sentences: readonly string[]) =>
  sentences.some(text => isFreed.test(text) && !/\b(never|not?|only|until|unless)\b/i.test(text))
const isFreed =
  /\b(used|taken|given|usable|available|free|assigned)\b[^.]*\bagain\b(?!st)|\bre-?us(ed|able)\b|\bbecomes? free\b/i

/** Spans of one thing do not overlap, and may touch, where the text says so. */
export async function holdTouching(session: Session, { maker }: Kind): Promise<void> {
  const [span, ...others] = spansIn(session.contract, maker.takes)
  const text = sentencesOf(...textsOf(maker), maker.responses.get('409')?.description).join(' ')
  if (!span || others.length > 0 || !/\boverlap/i.test(text) || !maker.statuses.includes(409)) return
  const { start, end, isDay } = span
  const first = await session.taken(maker, attempt =>
    session.inTurns(maker, attempt + 1, 0, () => session.simple(maker)),
  )
  if (first.reply.status >= 300) return
  const sent = recordIn(first.draft.body)
  const [from, to] = [String(sent[start]), String(sent[end])]
  const send = (begin: string, finish: string) =>
    session.exchange(maker, { ...first.draft, body: { ...sent, [start]: begin, [end]: finish }, header: {} })
  const said = `${start} ${from} and ${end} ${to}`
  const crossing = [isDay ? from : later(from, 0.5, isDay), later(to, 1, isDay)] as const
  const enclosing = [later(from, -1, isDay), later(to, 1, isDay)] as const
  for (const [begin, finish] of [crossing, enclosing]) {
    const over = await send(begin, finish)
    session.hold(over, `it overlaps another one with ${said}, and is taken`, over.reply.status >= 300)
  }
  if (!touches.test(text)) return
  const after = await send(to, later(to, 2, isDay))
  if (after.reply.status !== 409) return
  const apart = await send(later(to, 40, isDay), later(to, 42, isDay))
  const isRefusedToo = apart.reply.status >= 300
  session.hold(after, `it begins where one with ${said} ends, which its text allows`, isRefusedToo)
}

const touches =
  /\b(begin|start)s?\b[^.]*\b(on|at|when)\b[^.]*\b(another|other|previous|one|it)\b[^.]*\bends?\b|\b(adjoin\w*|adjacent|back[- ]to[- ]back|touch\w*)\b[^.]*\b(allowed|fine|not overlap|no overlap|may|do not)\b/i

/** A request that names several records uses none of them if it is refused, where the text says so. */
export async function holdWhole(session: Session, { maker }: Kind): Promise<void> {
  const texts = sentencesOf(
    ...textsOf(maker),
    ...[...maker.responses.values()].map(({ description }) => description),
  )
  if (!texts.some(text => allOrNone.test(text))) return
  const found = Object.keys(maker.takes.properties ?? {}).flatMap(property => {
    const [parameter] = referencesIn(Object(session.simple(maker).body)[property])
    const isList = session.contract.shape(maker.takes.properties?.[property]).type === 'array'
    return isList && parameter !== undefined ? [{ name: property, parameter }] : []
  })
  const [{ name, parameter } = { name: '', parameter: undefined }] = found
  const reader = session.contract.kindOf(parameter)?.reader
  if (parameter === undefined || !reader) return
  const used = await session.taken(maker, attempt =>
    session.inTurns(maker, attempt + 1, 0, () => session.simple(maker)),
  )
  const [before] = [recordIn(used.draft.body)[name]].flat()
  if (used.reply.status >= 300 || before === undefined) return
  const { id } = await session.make(parameter, session.simple)
  const read = async () => recordIn((await session.on(reader, id)).reply.body)
  const earlier = await read()
  const simple = await session.placed(session.simple(maker))
  const sent = await session.exchange(maker, {
    ...simple,
    body: { ...recordIn(simple.body), [name]: [id, before] },
    header: {},
  })
  const now = await read()
  const what = `it is refused, and yet ${parameter} ${id} has changed: ${differenceOf(earlier, now)}`
  session.hold(sent, what, sent.reply.status < 400 || isDeepStrictEqual(earlier, now))
}

const differenceOf = (before: Body, now: Body) =>
  Object.keys({ ...before, ...now }).find(name => !isDeepStrictEqual(before[name], now[name]))

const allOrNone =
  /\b(all or none|all or nothing|none of them|none is|nothing is|atomic\w*|as a whole|no \w+ is (used|changed|moved|taken))\b/i
