import { hash } from 'node:crypto'
import type { Model } from '../../document/model.ts'
import { schemesOf } from '../access/security.ts'
import { ApiError } from './api-error.ts'
import { uriOf } from './uri.ts'

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

/** Tells the page that is asked for. */
export interface Pages {
  /**
   * @param operationId of the list
   * @param url as it was asked for
   * @param path what is validated of its path, and of its query, in which each list has a `limit`
   */
  of(operationId: string, url: string, path: unknown, query: object): Page
}

export function pagesOf(model: Model): Pages {
  const keys = schemesOf(model).flatMap(({ scheme }) => (scheme.in === 'query' && scheme.name) || [])
  const noFilters = new Set(['', 'limit', 'cursor', ...keys])
  return { of: (...asked) => new AskedPage(noFilters, ...asked) }
}

type Asked = { limit: number; cursor?: string } & Record<string, unknown>

/** Takes the query apart when a list asks: of all operations each is handed its page. */
class AskedPage implements Page {
  readonly #noFilters: ReadonlySet<string>
  readonly #operationId: string
  readonly #url: string
  readonly #path: unknown
  readonly #query: object
  #found: List | undefined

  constructor(
    noFilters: ReadonlySet<string>,
    operationId: string,
    url: string,
    path: unknown,
    query: object,
  ) {
    this.#noFilters = noFilters
    this.#operationId = operationId
    this.#url = url
    this.#path = path
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
    const query = this.#asked()
    const [, path = '', search = ''] = /^([^?]*)\??(.*)$/.exec(this.#url) ?? []
    let asked = `${path} ${this.#operationId}`
    for (const name in query) if (name !== 'cursor') asked += ` ${name} ${JSON.stringify(query[name])}`
    if (asked !== lastList.asked)
      lastList = {
        asked,
        url: firstPage(path, search, query, this.#noFilters),
        fingerprint: fingerprintOf(this.#operationId, this.#path ?? {}, query),
      }
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

/** With the filters as they were sent: only their parameters' styles tell how to write them. */
function firstPage(path: string, search: string, { limit }: Asked, noFilters: ReadonlySet<string>): string {
  const filters = search.split('&').filter(pair => {
    const [name = ''] = new URLSearchParams(pair).keys()
    return !noFilters.has(name)
  })
  return uriOf([`${path}?limit=${limit}`, ...filters].join('&'))
}

function fingerprintOf(id: string, path: object, { limit: _, cursor: __, ...filters }: Asked): string {
  const entries = Object.entries(filters).filter(([, value]) => value !== undefined)
  const sorted = entries.sort(([a], [b]) => (a < b ? -1 : 1))
  const canonical = JSON.stringify([id, sorted, ...Object.values(path)])
  return hash('sha256', canonical, 'base64url').slice(0, 12)
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
