import { isDeepStrictEqual } from 'node:util'
import { typesIn } from 'spec-served-document/model'
import { isObject } from 'spec-served-document/pointer'
import { createSchemas } from 'spec-served-document/values/schemas'
import { identifier, isSameName, isUsualIdentifier } from '../../records/conventions.ts'
import type { Endpoint, Interface, Shape } from '../../records/interface.ts'
import type { Draft, WireReply } from '../../records/messages.ts'

/**
 * So many writes in a row must have lost a property, or have cut it or changed its order: a service may have its own rules
 * for some values.
 */
const enough = { lost: 3, cut: 2 }

/** The bounds of the sizes of a property's values that were kept, and the values that were not. */
interface Sizes {
  least: number
  most: number
  cuts: (Shown & { size: number })[]
}

/** How often an order of items was kept, and how often it was another. */
interface Order {
  kept: number
  others: number
}

/** A value as it was sent, and as the reply shows it. */
interface Shown {
  value: unknown
  shown: unknown
}

/**
 * Whether a document has a form of its own for what clients send: it lacks the identifier that replies have. Then the
 * other properties of the form are the client's, and not made by the service.
 */
function hasOwnForm({ endpointFor }: Interface, endpoint: Endpoint): boolean {
  const { method, takes, gives, makes, record, reference, identifiedBy, path } = endpoint
  // A POST to a record does something with it, whatever its body is called. One to a list adds to it.
  const adds = method === 'POST' && record === undefined && endpointFor('GET', path) !== undefined
  if (makes === undefined && !adds && (record === undefined || method === 'POST')) return false
  const names = [identifier.one, makes, record, reference, identifiedBy].filter(name => name !== undefined)
  const list = record === undefined ? path : path.slice(0, path.lastIndexOf('/'))
  const identifies = (name: string) =>
    names.some(candidate => isSameName(candidate)(name)) || isUsualIdentifier(name, list)
  const isHere = ({ properties = {} }: Shape) =>
    Object.entries(properties).some(([name, schema]) => identifies(name) && !('readOnly' in schema))
  const shown = Object.keys(gives.properties ?? {})
  return !isHere(takes) && shown.some(identifies)
}

/**
 * Follows the properties of what clients send through all replies. A property that no reply has shown as it was sent is a
 * fault, and so is one that was left out and never has its default.
 */
export function createKept(contract: Interface) {
  const { model, shape } = contract
  const schemas = createSchemas(model)
  /** how often each was lost; undefined once it was kept */
  const lost = new Map<string, number | undefined>()
  const sizes = new Map<string, Sizes>()
  /** how often operations kept the order of items, by records and property */
  const orders = new Map<string, Map<string, Order>>()

  /** Counts a look at something that is kept or not. @returns whether it never was, in enough of them */
  function isLost(kind: string, kept: boolean, most: number): boolean {
    const count = lost.has(kind) ? lost.get(kind) : 0
    if (count !== undefined) lost.set(kind, kept ? undefined : count + 1)
    return (lost.get(kind) ?? 0) >= most
  }

  /**
   * Notes the size of a value: the length of a text or of a list, or a number.
   * @returns one that was cut, where enough of those are beyond the sizes that were kept
   */
  function cutBeyond(kind: string, value: unknown, shown: unknown, kept: boolean): Shown | undefined {
    const size = typeof value === 'number' ? value : [...Object(value)].length
    const before = sizes.get(kind) ?? { least: Infinity, most: -Infinity, cuts: [] }
    const { cuts } = before
    const least = kept ? Math.min(before.least, size) : before.least
    const most = kept ? Math.max(before.most, size) : before.most
    if (!kept) cuts.push({ size, value, shown })
    sizes.set(kind, { least, most, cuts })
    const beyond = cuts.filter(cut => cut.size > most || (typeof value === 'number' && cut.size < least))
    return most >= least && beyond.length >= enough.cut ? beyond.at(-1) : undefined
  }

  /** An operation shows items in another order than they were sent, each time, and another one keeps it each time. */
  function* orderFaults({ id, makes, record }: Endpoint, name: string, value: unknown, shown: unknown) {
    if (!Array.isArray(value) || !Array.isArray(shown) || value.some(isObject)) return
    const isSame = isDeepStrictEqual(value, shown)
    if ((isSame && isSorted(value)) || !isDeepStrictEqual(value.toSorted(), shown.toSorted())) return
    const kind = `${makes ?? record} ${name}`
    const byOperation = orders.get(kind) ?? new Map<string, Order>()
    const { kept, others } = byOperation.get(id) ?? { kept: 0, others: 0 }
    byOperation.set(id, { kept: kept + Number(isSame), others: others + Number(!isSame) })
    orders.set(kind, byOperation)
    const find = (isOne: (order: Order) => boolean) => [...byOperation].find(([, order]) => isOne(order))?.[0]
    const keeper = find(order => order.others === 0 && order.kept >= enough.cut)
    const other = find(order => order.kept === 0 && order.others >= enough.cut)
    if (keeper !== undefined && other !== undefined)
      yield `${other} shows ${name} in another order than it was sent, as each time, and ${keeper} keeps it`
  }

  /** A record that is made below another one names that, and has an identifier of its own. */
  function* namesFaults({ id, method, path: template }: Endpoint, path: Draft['path'], shown: object) {
    if (method !== 'POST' || template.endsWith('}') || !(identifier.one in shown)) return
    for (const [parameter, value] of Object.entries(path))
      for (const [name, named] of Object.entries(shown)) {
        if (
          name === identifier.one ||
          !isSameName(parameter)(name) ||
          !/^(string|number)$/.test(typeof named)
        )
          continue
        if (
          isLost(
            `${id} ${name} of its path`,
            String(named).toLowerCase() === String(value).toLowerCase(),
            enough.lost,
          )
        )
          yield `${name} is ${value} in its path, and its reply shows ${named}, as each time`
      }
  }

  return function* (endpoint: Endpoint, { body: sent, path }: Draft, reply: WireReply): Generator<string> {
    const { body: shown, status } = reply
    if (isObject(shown) && status !== 202) yield* namesFaults(endpoint, path, shown)
    if (!isObject(sent) || !isObject(shown) || status === 202 || !hasOwnForm(contract, endpoint)) return
    for (const [name, schema] of Object.entries(endpoint.takes.properties ?? {})) {
      const sentShape = shape(schema)
      const declared = endpoint.gives.properties?.[name]
      if (!declared || sentShape.writeOnly || sentShape.readOnly || shape(declared).writeOnly) continue
      const isSent = name in sent
      const value = isSent ? sent[name] : endpoint.method === 'POST' ? sentShape.default : undefined
      if (!isPresent(value)) continue
      yield* orderFaults(endpoint, name, value, shown[name])
      const kind = `${endpoint.id} ${name} ${isSent}`
      const kept = isKept(sentShape, value, shown[name])
      // A property of the same name may be another thing: an identifier may be shown as the record that it names.
      if (kept === undefined || (!kept && schemas.check(declared, value, 'response').length > 0)) continue
      const isFraction = typeof value === 'number' && !Number.isInteger(value)
      const isRounded =
        isSent &&
        isFraction &&
        isLost(`${kind} fraction`, kept, isPresent(shown[name]) ? enough.cut : enough.lost)
      const cut = isSent && hasSize(value) ? cutBeyond(kind, value, shown[name], kept) : undefined
      if (!isLost(kind, kept, enough.lost) && !isRounded && !cut) continue
      const [was, is] = (cut ? [cut.value, cut.shown] : [value, shown[name]]).map(
        item => JSON.stringify(item) ?? 'absent',
      )
      yield isSent
        ? `${name} was sent as ${was}, and its reply shows ${is}, as each time`
        : `${name} was left out, and its reply shows ${is} in place of its default ${was}, as each time`
    }
  }
}

/** Orders in which programs put texts. */
const alphabets: ((a: string, b: string) => number)[] = [
  (a, b) => (a < b ? -1 : 1),
  (a, b) => (a.toLowerCase() < b.toLowerCase() ? -1 : 1),
  new Intl.Collator('en').compare,
  new Intl.Collator('en', { ignorePunctuation: true, numeric: true }).compare,
]

const isSorted = (items: readonly unknown[]) =>
  alphabets.some(compare =>
    isDeepStrictEqual(
      items,
      items.toSorted((a, b) => compare(String(a), String(b))),
    ),
  )

const hasSize = (value: unknown) => Array.isArray(value) || /^(string|number)$/.test(typeof value)

/** More than any two zones differ, in ms. */
const zones = 36 * 3_600_000

const isPresent = (value: unknown) => value != null && value !== '' && [value].flat().length > 0

/** Letters and digits of a text, without regard to case and composition. */
const lettersOf = (text: string) =>
  text
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '')

/** Whether all characters of a text stand in another one, in their order. */
function isWithin(text: string, whole: string): boolean {
  let from = 0
  return [...text].every(character => {
    const index = whole.indexOf(character, from)
    from = index + character.length
    return index >= 0
  })
}

/**
 * Whether a value is shown as it was sent, but for what services do to values: trim, round, fold, escape. Undefined where
 * that can't be told.
 */
function isKept(sentShape: Shape, value: unknown, shown: unknown): boolean | undefined {
  // Go's `omitempty` leaves false and 0 out of replies.
  if (shown === undefined && (value === false || value === 0)) return undefined
  if (shown === undefined || shown === null) return false
  if (isDeepStrictEqual(value, shown)) return true
  if (sentShape.enum || typeof value === 'boolean' || typesIn(sentShape).includes('integer')) return false
  if (typeof value === 'number' && typeof shown === 'number' && !Number.isInteger(value))
    return Number.isInteger(shown) && Math.abs(value) < 1e15 ? false : undefined
  if (typeof value === 'number' && typeof shown === 'number')
    return Math.abs(shown - value) <= Math.max(1, Math.abs(value) / 100) ? undefined : false
  if (typeof value === 'string' && typeof shown === 'string') {
    const [sentLetters, shownLetters] = [lettersOf(value), lettersOf(shown)]
    if (shown !== '' && value.startsWith(shown) && shownLetters.length < sentLetters.length) return false // it is cut
    // A service may write an instant in another zone, and a day as an instant.
    const isInstant = sentShape.format === 'date' || sentShape.format === 'date-time'
    if (isInstant && Math.abs(Date.parse(value) - Date.parse(shown)) > zones) return false
    return sentShape.format !== undefined ||
      isWithin(sentLetters, shownLetters) ||
      isWithin(shownLetters, sentLetters)
      ? undefined
      : false
  }
  if (!Array.isArray(value) || !Array.isArray(shown)) return undefined
  // Texts may be folded, and then be the same.
  const foldedIn = (all: readonly unknown[]) =>
    new Set(all.map(item => (typeof item === 'string' ? lettersOf(item) : JSON.stringify(item))))
  const items = foldedIn(value)
  if (isDeepStrictEqual(value.slice(0, shown.length), shown)) {
    const before = foldedIn(shown)
    const isCut = [...foldedIn(value.slice(shown.length))].some(item => item !== '' && !before.has(item))
    return isCut ? false : undefined
  }
  return shown.length === 0 || shown.length < items.size - Number(items.has('')) ? false : undefined
}
