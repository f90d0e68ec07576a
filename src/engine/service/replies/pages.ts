import { hash } from 'node:crypto'
import { uriOf } from 'spec-served-document/contract/path-templates'
import type { Model } from 'spec-served-document/model'
import { exact, type Json } from 'spec-served-document/values/exact-json'
import { schemesOf } from '../callers/security.ts'
import { ApiError } from '../errors/api-error.ts'

/** The sort keys of the row after which a page begins. */
export type Keys = readonly (string | number)[]

type Kind = 'string' | 'number'
type KeysOf<Kinds extends readonly Kind[]> = {
  [Index in keyof Kinds]: Kinds[Index] extends 'number' ? number : string
}

/** The page that a list request asks for, by its `limit` and `cursor`. */
export type Page = ReturnType<ReturnType<typeof pagesOf>>

type Asked = { limit: number; cursor?: string } & Record<string, unknown>

/** Returns a function for the requested page of a list. It takes the URL, and the validated path and query. */
export function pagesOf(model: Model) {
  const keys = schemesOf(model).flatMap(({ scheme }) => (scheme.in === 'query' && scheme.name) || [])
  const json = model.hasBigints ? exact : JSON
  const noFilters = new Set(['', 'limit', 'cursor', ...keys])

  return (operationId: string, url: string, path: unknown, query: object) => {
    const { limit, cursor, ...filters } = query as Asked // each list has both parameters; other operations request no page
    const fingerprint = () => fingerprintOf(json, operationId, path ?? {}, filters)

    return {
      /**
       * Returns the sort keys, of these kinds, after which the page begins; undefined on the first page.
       * @throws ApiError for a cursor that is broken or belongs to another list, other filters or another order
       */
      after<const Kinds extends readonly Kind[]>(kinds: Kinds) {
        if (cursor === undefined) return undefined
        const [of, ...values] = parse(cursor)
        if (
          of === undefined ||
          values.length !== kinds.length ||
          values.some((key, i) => !fits(key, kinds[i]))
        )
          throw badCursor('is not one of this service: take it from the reply before, or leave it out')
        if (of !== fingerprint()) throw badCursor('belongs to another list, other filters or another order')
        return values as unknown as KeysOf<Kinds> // each has just been checked
      },

      /**
       * Cuts a page from its rows, which are one more than `limit` if another page follows. `keys`: the sort keys. `end`: the
       * keys up to which a search got that stopped before it had so many rows. The next page begins after them.
       */
      cut<Row>(rows: readonly Row[], keysOf: (row: Row) => Keys, end?: Keys) {
        const first = firstPage(url, limit, noFilters)
        const page = rows.slice(0, limit)
        const last = page.at(-1)
        const link = `<${first}>; rel="first"` // RFC 8288
        const after = rows.length > page.length && last ? keysOf(last) : end
        if (!after) return { rows: page, headers: { Link: link } }
        const next = Buffer.from(JSON.stringify([fingerprint(), ...after])).toString('base64url')
        const links = `${link}, <${first}&cursor=${next}>; rel="next"`
        return { rows: page, headers: { Link: links, 'X-Next-Cursor': next } }
      },
    }
  }
}

/** Keeps the filters as they were sent: only their parameters' styles say how to write them. */
function firstPage(url: string, limit: number, noFilters: ReadonlySet<string>): string {
  const [, path = '', search = ''] = /^([^?]*)\??(.*)$/.exec(url) ?? []
  const nameOf = (pair: string) => [...new URLSearchParams(pair).keys()][0] ?? ''
  const filters = search.split('&').filter(pair => !noFilters.has(nameOf(pair)))
  return uriOf([`${path}?limit=${limit}`, ...filters].join('&'))
}

/** The identity of a cursor's list: its operation, path and query, without `limit` and `cursor`. */
function fingerprintOf(json: Pick<Json, 'stringify'>, id: string, path: object, filters: object): string {
  const entries = Object.entries(filters).filter(([, value]) => value !== undefined)
  const sorted = entries.sort(([a], [b]) => (a < b ? -1 : 1))
  const canonical = json.stringify([id, sorted, ...Object.values(path)])
  return hash('sha256', canonical, 'base64url').slice(0, 12)
}

/** Returns the fingerprint and the unchecked keys of a cursor, or nothing for a malformed one. */
function parse(cursor: string): Keys {
  try {
    const value: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString())
    return Array.isArray(value) && /^[\w-]+$/.test(cursor) ? value : []
  } catch {
    return []
  }
}

function fits(key: unknown, kind: Kind | undefined): boolean {
  if (kind === 'number') return Number.isSafeInteger(key)
  return typeof key === 'string' && key.isWellFormed() && !key.includes('\0')
}

function badCursor(message: string): ApiError {
  const details = [{ path: '/query/cursor', message }]
  return new ApiError('invalid_request', `The query parameter cursor ${message}.`, { details })
}
