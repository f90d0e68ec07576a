/** The places of dates and whole numbers of 64 bits in a value: a component's name, or those of its parts. */
export type Place =
  | 'date'
  | 'int64'
  | `#${string}`
  | {
      of?: Readonly<Record<string, Place>>
      items?: Place
      others?: Place
      /** those of its alternatives, or of its parts */
      any?: readonly Place[]
    }

/** The values of a document that are no plain JSON. */
export interface Places {
  int64?: 'bigint' | 'string' | undefined
  components: Readonly<Record<string, Place>>
  /** those of bodies by operations such as `POST /pets` */
  bodies: Readonly<Record<string, Place>>
  /** those of replies by operations, then by status, range or `default` */
  replies: Readonly<Record<string, Readonly<Record<string, Place>>>>
}

interface Parts {
  kinds: Set<Place>
  parts: Exclude<Place, string>[]
}

// Node has these since version 22, browsers since 2025.
const { rawJSON } = JSON as unknown as { rawJSON(text: string): object } // TypeScript's libraries lack them
const parse = JSON.parse as (
  text: string,
  revive: (name: string, value: unknown, context?: { source?: string }) => unknown,
) => unknown

const isInteger = /^-?\d+$/

/** Reads JSON. A whole number that a double does not hold becomes a bigint. */
export function parseExactly(text: string): unknown {
  return parse(text, (_, value, { source = '' } = {}) =>
    typeof value === 'number' && !Number.isSafeInteger(value) && isInteger.test(source)
      ? BigInt(source)
      : value,
  )
}

/** Returns a value that was read, with dates and whole numbers at their places. All other numbers are plain. */
export function toValues({ int64, components }: Places, value: unknown, ...places: Place[]): unknown {
  const read = (node: unknown, path: readonly Place[]): unknown => {
    const { kinds, parts } = partsAt(components, path)
    if (typeof node === 'string') return kinds.has('date') && isDateTime(node) ? new Date(node) : node
    if (typeof node === 'number' || typeof node === 'bigint') {
      if (!kinds.has('int64') || !(typeof node === 'bigint' || Number.isInteger(node))) return Number(node)
      return int64 === 'bigint' ? BigInt(node) : String(node)
    }
    return within(node, parts, read)
  }
  return read(value, places)
}

/** Writes JSON. Bigints are numbers, and so are texts at the places of whole numbers. */
export function stringifyExactly({ components }: Places, value: unknown, ...places: Place[]): string {
  const write = (node: unknown, path: readonly Place[]): unknown => {
    const { kinds, parts } = partsAt(components, path)
    if (typeof node === 'bigint') return rawJSON(String(node))
    if (typeof node === 'string' && kinds.has('int64') && isInteger.test(node))
      return rawJSON(String(BigInt(node)))
    return within(node, parts, write)
  }
  return JSON.stringify(write(value, places)) ?? 'null'
}

/** Returns a value with texts in place of dates and bigints, as parameters and forms have them. */
export function toTexts(value: unknown): unknown {
  if (value instanceof Date) return value.toISOString()
  if (typeof value === 'bigint') return String(value)
  return within(value, [], toTexts)
}

/** Returns a plain object or a list whose parts were changed, each by its places; any other value as it is. */
function within(
  node: unknown,
  parts: Parts['parts'],
  change: (part: unknown, places: readonly Place[]) => unknown,
): unknown {
  if (Array.isArray(node)) {
    const places = parts.flatMap(({ items }) => items ?? [])
    return node.map(item => change(item, places))
  }
  if (typeof node !== 'object' || node === null || !isPlain(node)) return node
  const entries = Object.entries(node).map(([name, child]) => {
    const places = parts.flatMap(({ of = {}, others }) =>
      Object.hasOwn(of, name) ? (of[name] ?? []) : (others ?? []),
    )
    return [name, change(child, places)]
  })
  return Object.fromEntries(entries)
}

const isPlain = (node: object) => [Object.prototype, null].includes(Object.getPrototypeOf(node))

/** Whether a text is a date and time (RFC 3339, section 5.6). */
const isDateTime = (text: string) =>
  /^\d{4}-\d\d-\d\dt\d\d:\d\d:\d\d(\.\d+)?(z|[+-]\d\d:\d\d)$/i.test(text) && !Number.isNaN(Date.parse(text))

/** The kinds and parts of places, with components and alternatives followed. */
function partsAt(components: Places['components'], places: readonly Place[]): Parts {
  const found: Parts = { kinds: new Set(), parts: [] }
  const seen = new Set<Place>()
  const visit = (place: Place | undefined): void => {
    if (place === undefined || seen.has(place)) return
    seen.add(place)
    if (typeof place === 'object') {
      found.parts.push(place)
      place.any?.forEach(visit)
    } else if (place.startsWith('#')) visit(components[place.slice(1)])
    else found.kinds.add(place)
  }
  places.forEach(visit)
  return found
}
