import { createHash } from 'node:crypto'
import { operations } from '../../generated/operations.ts'
import type { OperationId } from '../../handlers/handler.ts'
import { ApiError } from './api-error.ts'

/** Where a page begins: after the row with these sort keys. */
export type Keys = readonly (string | number)[]

type Query = Readonly<Record<string, unknown>>

/** What a cursor belongs to: a list, and all of its query but where the page begins and how long it is. */
function fingerprint(id: OperationId, query: Query): string {
  const { limit, cursor, ...rest } = query
  const entries = Object.entries(rest).filter(([, value]) => value !== undefined)
  const canonical = JSON.stringify([id, entries.sort(([a], [b]) => (a < b ? -1 : 1))])
  return createHash('sha256').update(canonical).digest('base64url').slice(0, 12)
}

interface KeyTypes {
  string: string
  number: number
}

/**
 * Reads the cursor of a list request.
 * @param id the list operation
 * @param kinds the types of the sort keys that the cursor must hold
 * @returns the keys, or undefined on the first page
 * @throws ApiError 400 for a cursor that is broken or belongs to another list, other filters or another order
 */
export function readCursor<const Kinds extends readonly (keyof KeyTypes)[]>(
  id: OperationId,
  query: Query & { cursor?: string | undefined },
  kinds: Kinds,
): { [Index in keyof Kinds]: KeyTypes[Kinds[Index]] } | undefined {
  if (query.cursor === undefined) return undefined
  const cursor = parse(query.cursor)
  if (!cursor || cursor.keys.length !== kinds.length || cursor.keys.some((key, i) => !fits(key, kinds[i])))
    throw badCursor('is not one of ours')
  if (cursor.of !== fingerprint(id, query))
    throw badCursor('belongs to another list, other filters or another order')
  return cursor.keys as { [Index in keyof Kinds]: KeyTypes[Kinds[Index]] } // each key has just been checked
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
  return new ApiError(400, 'invalid_request', `The cursor ${message}.`, {
    details: [{ path: '/query/cursor', message }],
  })
}

/**
 * Cuts a page out of the rows read for it.
 * @param id the list operation
 * @param query the request's query, as validated
 * @param rows up to one more than `query.limit`: the one too many tells that there is another page
 * @param keys the sort keys of a row
 */
export function cutPage<Row>(
  id: OperationId,
  query: Query & { limit: number },
  rows: readonly Row[],
  keys: (row: Row) => Keys,
): { rows: Row[]; headers: { Link: string; 'X-Next-Cursor'?: string } } {
  const page = rows.slice(0, query.limit)
  const last = page.at(-1)
  const first = link(id, { ...query, cursor: undefined }, 'first')
  if (rows.length === page.length || last === undefined) return { rows: page, headers: { Link: first } }
  const cursor = Buffer.from(JSON.stringify([fingerprint(id, query), ...keys(last)])).toString('base64url')
  const next = link(id, { ...query, cursor }, 'next')
  return { rows: page, headers: { Link: `${first}, ${next}`, 'X-Next-Cursor': cursor } }
}

/** A link to a page of the list (RFC 8288). */
function link(id: OperationId, query: Query, rel: string): string {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) if (value !== undefined) search.set(name, String(value))
  return `<${operations[id].path}?${search}>; rel="${rel}"`
}
