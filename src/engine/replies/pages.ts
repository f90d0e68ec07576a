import { hash } from 'node:crypto'
import { ApiError } from './api-error.ts'

/** Where a page begins: after the row with these sort keys. */
export type Keys = readonly (string | number)[]

interface KeyTypes {
  string: string
  number: number
}

/** The page that a list request asks for, by its `limit` and `cursor`. */
export interface Page {
  /**
   * Reads the cursor of the request.
   * @param kinds the types of the sort keys that the cursor must hold
   * @returns the keys after which the page begins, or undefined on the first page
   * @throws ApiError for a cursor that is broken or belongs to another list, other filters or another order
   */
  after<const Kinds extends readonly (keyof KeyTypes)[]>(
    kinds: Kinds,
  ): { [Index in keyof Kinds]: KeyTypes[Kinds[Index]] } | undefined
  /**
   * Cuts the page out of the rows read for it.
   * @param rows up to one more than `limit`: the one too many tells that there is another page
   * @param keys the sort keys of a row
   */
  cut<Row>(
    rows: readonly Row[],
    keys: (row: Row) => Keys,
  ): { rows: Row[]; headers: { Link: string; 'X-Next-Cursor'?: string } }
}

/** @param query as validated: each list has a `limit` */
export function pageOf(operation: { id: string; path: string }, query: object): Page {
  return new AskedPage(operation, query)
}

type Asked = { limit: number; cursor?: string } & Record<string, unknown>

/** Takes the query apart when a list asks: of all operations each is handed its page. */
class AskedPage implements Page {
  readonly #operation: { id: string; path: string }
  readonly #query: object
  #found: List | undefined

  constructor(operation: { id: string; path: string }, query: object) {
    this.#operation = operation
    this.#query = query
  }

  #asked() {
    return this.#query as Asked // each list has them
  }

  after<const Kinds extends readonly (keyof KeyTypes)[]>(kinds: Kinds) {
    const { cursor } = this.#asked()
    if (cursor === undefined) return undefined
    const read = parse(cursor)
    if (!read || read.keys.length !== kinds.length || read.keys.some((key, i) => !fits(key, kinds[i])))
      throw badCursor('is not one of ours')
    if (read.of !== this.#list().fingerprint)
      throw badCursor('belongs to another list, other filters or another order')
    return read.keys as { [Index in keyof Kinds]: KeyTypes[Kinds[Index]] } // each has just been checked
  }

  cut<Row>(rows: readonly Row[], keys: (row: Row) => Keys) {
    const { url, fingerprint } = this.#list()
    const page = rows.slice(0, this.#asked().limit)
    const last = page.at(-1)
    const first = `<${url}>; rel="first"`
    if (rows.length === page.length || last === undefined) return { rows: page, headers: { Link: first } }
    const cursor = Buffer.from(JSON.stringify([fingerprint, ...keys(last)])).toString('base64url')
    const next = `<${url}&cursor=${cursor}>; rel="next"` // RFC 8288
    return { rows: page, headers: { Link: `${first}, ${next}`, 'X-Next-Cursor': cursor } }
  }

  /** The list of which this is a page; who pages far asks for the same one again and again. */
  #list(): List {
    this.#found ??= this.#find()
    return this.#found
  }

  #find(): List {
    const { id, path } = this.#operation
    const query = this.#asked()
    let asked = `${path} ${id}`
    for (const name in query) if (name !== 'cursor') asked += ` ${name} ${JSON.stringify(query[name])}`
    if (asked !== lastList.asked) lastList = { asked, ...listOf(id, path, query) }
    return lastList
  }
}

interface List {
  /** its first page */
  url: string
  /** what a cursor belongs to: a list, and all of its query but where the page begins and how long it is */
  fingerprint: string
}

/** The list that was asked for last, and by what. */
let lastList: List & { asked: string } = { asked: '', url: '', fingerprint: '' }

function listOf(id: string, path: string, { limit, cursor: _, ...filters }: Asked): List {
  const entries = Object.entries(filters).filter(([, value]) => value !== undefined)
  const search = new URLSearchParams({ limit: String(limit) })
  for (const [name, value] of entries) search.set(name, String(value))
  const canonical = JSON.stringify([id, entries.sort(([a], [b]) => (a < b ? -1 : 1))])
  return { url: `${path}?${search}`, fingerprint: hash('sha256', canonical, 'base64url').slice(0, 12) }
}

function parse(cursor: string): { of: string; keys: Keys } | undefined {
  if (!/^[\w-]+$/.test(cursor)) return undefined
  try {
    const value: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString())
    if (!Array.isArray(value) || typeof value[0] !== 'string') return undefined
    return { of: value[0], keys: value.slice(1) }
  } catch {
    return undefined
  }
}

function fits(key: unknown, kind: 'string' | 'number' | undefined): boolean {
  if (kind === 'number') return Number.isSafeInteger(key)
  return typeof key === 'string' && key.isWellFormed() && !key.includes('\0')
}

function badCursor(message: string): ApiError {
  return new ApiError('invalid_request', `The cursor ${message}.`, {
    details: [{ path: '/query/cursor', message }],
  })
}
