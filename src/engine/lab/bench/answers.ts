import { isDeepStrictEqual } from 'node:util'
import { sql } from 'kysely'
import { onDatabase } from 'spec-served-cli/internal/local/prepare'
import { animals, scarce } from './operations.ts'

/** A server's answer, limited to the parts that all servers must share. */
export interface Answer {
  request: string
  status: number
  body: unknown
  location: string | null
  /** whether there is a next page */
  isCut: boolean
}

/** Longest wait for an answer, in ms. */
const timeout = 10_000

/**
 * Asks an unused server for all that every server must answer alike. These are present and missing records, filters,
 * pages, invalid input, and orders down to the last animal. Only status and code of a refusal count: its message is
 * the library's.
 */
export async function askAll(url: string, key: string, databaseUrl: string): Promise<Answer[]> {
  const answers: Answer[] = []
  async function ask(method: string, path: string, body?: unknown): Promise<string | null> {
    const response = await fetch(url + path, {
      method,
      headers: { 'x-api-key': key, ...(body !== undefined && { 'content-type': 'application/json' }) },
      signal: AbortSignal.timeout(timeout),
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    const { status, headers } = response
    const said = await response.json().catch(() => undefined)
    const read = said as Record<string, unknown> | undefined // all of them answer objects and lists
    if (typeof read?.shipDate === 'string') read.shipDate = new Date(read.shipDate).toISOString() // .000Z is Z
    const cursor = headers.get('x-next-cursor')
    const shown = path.replace(/cursor=[^&%]+/, 'cursor=…')
    answers.push({
      request: `${method} ${shown} ${JSON.stringify(body) ?? ''}`,
      status,
      body: status === 400 ? read?.code : read,
      location: headers.get('location'),
      isCut: cursor !== null,
    })
    return cursor
  }
  const get = (path: string) => ask('GET', path)
  for (const id of [1, animals / 2, animals, animals + 1, 0, 'abc', '9007199254740993'])
    await get(`/pets/${id}`)

  for (const query of ['', '?limit=1', '?limit=100', '?status=sold&limit=5', '?categoryId=999999'])
    await get(`/pets${query}`)
  for (const query of ['limit=20', 'status=pending&limit=7', 'categoryId=3&status=available&limit=50']) {
    let cursor = await get(`/pets?${query}`)
    for (let page = 2; page <= 3 && cursor; page++) cursor = await get(`/pets?${query}&cursor=${cursor}`)
  }
  for (const query of ['limit=0', 'limit=101', 'limit=x', 'status=lost', 'categoryId=x', 'cursor=%25'])
    await get(`/pets?${query}`)

  const orders: unknown[] = [
    { petId: 2, quantity: 3 },
    { petId: 2, quantity: 1, shipDate: '2026-12-01T10:00:00+01:00' },
    ...[4, 2, 1, 1].map(quantity => ({ petId: scarce, quantity })),
    { petId: animals + 1, quantity: 1 },
    { petId: 2 },
    { petId: 2, quantity: 0 },
    { petId: 2, quantity: 1, colour: 'red' },
  ]
  for (const body of orders) await ask('POST', '/store/orders', body)
  const pets: unknown[] = [
    { name: 'Mia', categoryId: 7 },
    { name: 'Zoë', categoryId: 8, status: 'pending' },
    { name: 'Mia', categoryId: 999_999 },
    { categoryId: 7 },
    { name: '', categoryId: 7 },
    '{"name":',
  ]
  for (const body of pets) await ask('POST', '/pets', body)
  await get(`/pets/${animals + 1}`)
  answers.push(await stateOf(databaseUrl))
  return answers
}

/** Returns the state of the database in the form of an answer. */
async function stateOf(databaseUrl: string): Promise<Answer> {
  const body = await onDatabase(databaseUrl, async db => {
    const pets = await sql`
      select id, name, category_id, status, stock, open_orders from pets
      where id in (2, ${scarce}::int) or id > ${animals}::int order by id`.execute(db)
    const orders =
      await sql`select id, pet_id, quantity, ship_date, complete from orders order by id`.execute(db)
    return { pets: withoutGaps(pets.rows), orders: withoutGaps(orders.rows) }
  })
  return { request: 'the rows in the end', status: 0, body, location: null, isCut: false }
}

/** Rows by their order: a refused insert may have taken a number. */
const withoutGaps = (rows: readonly unknown[]) =>
  rows.map((row, index) => ({ ...(row as object), id: index }))

/** Returns the differences between answers and the expected ones. */
export function differences(expected: readonly Answer[], actual: readonly Answer[]): string[] {
  return expected.flatMap((answer, index) =>
    isDeepStrictEqual(answer, actual[index])
      ? []
      : [`${answer.request}: ${JSON.stringify(actual[index])} instead of ${JSON.stringify(answer)}`],
  )
}
