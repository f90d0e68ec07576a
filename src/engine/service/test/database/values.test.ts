import { sql } from 'kysely'
import { freshDatabase } from 'spec-served-lab/support/database'
import { shared } from 'spec-served-lab/support/fixtures'
import { describe, expect, test } from 'vitest'

const database = shared(freshDatabase)

async function read(expression: ReturnType<typeof sql>): Promise<unknown> {
  const { rows } = await sql<{ value: unknown }>`select ${expression} as value`.execute(database.db)
  return rows[0]?.value
}

describe('a bigint', () => {
  test.each(['0', '1', '9007199254740991', '-9007199254740991'])('%s comes back as a number', async text => {
    expect(await read(sql`${text}::bigint`)).toBe(Number(text))
  })

  test.each(['9007199254740992', '9007199254740993', '9223372036854775807', '-9007199254740993'])(
    '%s is refused with a remedy, not rounded',
    async text => {
      await expect(read(sql`${text}::bigint`)).rejects.toThrow(
        new RegExp(`${text}, .* MAXVALUE 9007199254740991`),
      )
      expect(await read(sql`1::bigint`)).toBe(1)
    },
  )
})

describe('a point in time', () => {
  test.each([
    '2026-11-21T04:46:56.123Z',
    '1970-01-01T00:00:00.000Z',
    '0001-01-01T00:00:00.000Z',
    '0099-12-31T23:59:59.999Z',
    '9999-12-31T23:59:59.999Z',
  ])('%s comes back as it was stored', async text => {
    expect(await read(sql`${text}::timestamptz`)).toEqual(new Date(text))
  })

  test('a time with an offset comes back as the same instant', async () => {
    expect(await read(sql`${'2026-07-01T12:00:00+05:30'}::timestamptz`)).toEqual(
      new Date('2026-07-01T06:30:00Z'),
    )
  })

  test('a time before the year 1 or after the year 9999 comes back as the same instant', async () => {
    expect(await read(sql`${'0001-06-01 00:00:00+00 BC'}::timestamptz`)).toEqual(
      new Date('0000-06-01T00:00:00Z'),
    )
    expect(await read(sql`${'10000-01-01 23:58:59+00'}::timestamptz`)).toEqual(
      new Date('+010000-01-01T23:58:59Z'),
    )
  })

  test('a time that no date can hold is refused', async () => {
    await expect(read(sql`'infinity'::timestamptz`)).rejects.toThrow('infinity')
  })
})

test('the session keeps time in UTC', async () => {
  expect(await read(sql`to_char('2026-07-01T00:00:00Z'::timestamptz, 'HH24:MI OF')`)).toBe('00:00 +00')
})
