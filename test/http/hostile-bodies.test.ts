import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { JsonError, parseStrictJson } from '../../src/engine/requests/strict-json.ts'
import { startStore, type TestStore } from '../support/store.ts'

/** What a text is read as, or what keeps it from being read. */
function read(text: string): object {
  try {
    return { value: parseStrictJson(text) }
  } catch (error) {
    return { faults: error instanceof JsonError ? error.faults : error }
  }
}

let store: TestStore
beforeAll(async () => {
  store = await startStore()
})
afterAll(() => store.close())

/** Members or items that fill a body of 1 MiB. */
function fill(one: (index: number) => string, from: string, to: string): string {
  const items: string[] = []
  for (let length = 2, i = 0; ; i++) {
    const item = one(i)
    length += item.length + 1
    if (length > 1_048_576) return `${from}${items.join()}${to}`
    items.push(item)
  }
}

const send = (id: 'createPets' | 'createPet' | 'createCategory', rawBody: string) =>
  store.call(id, { rawBody })
const paths = (reply: { body: { details?: { path: string }[] | undefined } }) =>
  reply.body.details?.map(detail => detail.path)

describe('a body of 1 MiB that costs much to look at', () => {
  test.each<[string, string]>([
    ['zeros', fill(() => '0', '[', ']')],
    ['empty objects', fill(() => '{}', '[', ']')],
    ['distinct names', fill(i => `"${i}x":0`, '{', '}')],
    ['objects of distinct names', fill(i => `{"${i}x":0}`, '[', ']')],
    ['the same name', fill(() => '"a":0', '{', '}')],
    ['names with escapes', fill(i => `"\\u0061${i}":0`, '{', '}')],
    ['names of 10 KB with control characters', fill(i => `"${'\\u0001'.repeat(1_600)}${i}":0`, '{', '}')],
    ['numbers of 20 digits', fill(() => '1.0000000000000000001', '[', ']')],
    ['NUL characters', fill(() => '"\\u0000"', '[', ']')],
    ['nested arrays', '['.repeat(500_000) + ']'.repeat(500_000)],
    ['nested objects', `${'{"a":'.repeat(170_000)}0${'}'.repeat(170_000)}`],
    ['nested arrays without end', '['.repeat(1_000_000)],
    ['ends of arrays', ']'.repeat(1_000_000)],
    ['quotation marks', '"'.repeat(1_000_000)],
    ['a number', `{"name":${'9'.repeat(1_000_000)}}`],
    ['a number with zeros', `{"name":0.${'0'.repeat(1_000_000)}1}`],
    ['a name', `{"${'n'.repeat(1_000_000)}":1}`],
    ['a name of slashes and tildes', `{"${'/~'.repeat(500_000)}":1}`],
    ['a name of pairs', `{"x${'🐕'.repeat(250_000)}":1}`],
    ['a name that stands twice', `{"${'n'.repeat(500_000)}":1,"${'n'.repeat(500_000)}":1}`],
    ['a text', `{"name":"${'x'.repeat(1_000_000)}"}`],
  ])('(%s) is a 400 with a small answer', async (_, body) => {
    for (const id of ['createPets', 'createPet'] as const) {
      const reply = await send(id, body)
      expect(reply).toMatchObject({ status: 400, body: { code: 'invalid_request' } })
      const answer = JSON.stringify(reply.body)
      expect(answer.length).toBeLessThan(30_000)
      expect(answer.isWellFormed()).toBe(true)
      for (const path of paths(reply) ?? []) expect(path.length).toBeLessThanOrEqual(201)
    }
  })

  test('is not parsed when it holds more than 10,000 values', async () => {
    const zeros = (count: number) => `[${Array(count).fill(0)}]`
    expect((await send('createPets', zeros(9_999))).body.message).toContain('at most 100 items')
    const reply = await send('createPets', zeros(10_000))
    expect(reply.body.details).toEqual([{ path: '', message: 'holds more than 10000 values' }])
  })
})

test('of the faults of a large body the first are told, and how many more there are', async () => {
  const pets = Array(3_333).fill({ name: '', categoryId: 0 })
  const { details, message } = (await send('createPets', JSON.stringify(pets))).body
  expect(details).toHaveLength(100)
  expect(details?.[0]).toEqual({ path: '', message: 'must have at most 100 items' })
  expect(message).toContain('(and 9999 more)')
})

describe('nesting', () => {
  const nested = (depth: number) => `${'{"a":['.repeat(depth / 2)}${']}'.repeat(depth / 2)}`
  test('of 100 levels is looked at', async () => {
    expect(paths(await send('createPet', nested(100)))).toContain('/a')
  })

  test.each([102, 2_000, 100_000])('of %i levels is a 400 that says so', async depth => {
    const reply = await send('createPet', nested(depth))
    expect(reply.status).toBe(400)
    expect(reply.body.message).toContain('is nested deeper than 100 levels')
    expect(paths(reply)).toEqual(['/a/0'.repeat(50)])
  })
})

describe('a name that stands twice in an object', () => {
  test.each([
    ['{"name": "a", "name": "a"}', '/name'],
    ['{"name": "a", "n\\u0061me": "b"}', '/name'],
    ['{"a": {"b": [0, {"c/d": 1, "e": {}, "c/d": 1}]}}', '/a/b/1/c~1d'],
    ['{"a": 1, "b": {"a": 1}, "b": {}}', '/b'],
    ['{"": 1, "": 1}', '/'],
  ])('is refused: %s', async (body, path) => {
    const reply = await send('createCategory', body)
    expect(reply).toMatchObject({
      status: 400,
      body: { details: [{ path, message: 'stands twice in its object' }] },
    })
  })

  test('is found in each of several objects', () => {
    expect(read('[{"a":1,"a":2},{"b":1,"b":2}]')).toMatchObject({
      faults: [{ path: '/0/a' }, { path: '/1/b' }],
    })
  })

  test('may stand in several objects, and in texts', () => {
    const text = '[{"a": "\\",\\"a\\":", "b": {"a": "}"}}, {"a": ["a", "a"]}]'
    expect(read(text)).toEqual({ value: JSON.parse(text) })
  })
})

describe('a number', () => {
  test.each([
    '1.0000000000000000000001',
    '9007199254740991.4',
    '9007199254740993',
    '-9007199254740993',
    '1e400',
    '-1e400',
    '1e-400',
    '4.9e-324',
    '0.1234567890123456789',
    '12345678901234567890',
    `1${'0'.repeat(400)}`,
  ])('that a double does not hold is refused: %s', async number => {
    const reply = await send('createPet', `{"name": "Rex", "categoryId": ${number}}`)
    expect(reply.status).toBe(400)
    expect(reply.body.message).toContain('must be a number that a double holds without a change')
    expect(paths(reply)).toEqual(['/categoryId'])
  })

  test.each([
    '0',
    '-0',
    '1.0',
    '1e2',
    '1E+2',
    '0.1',
    '100e-2',
    '0.000',
    '0e999999999999',
    '1.7976931348623157e308',
    '5e-324',
    '9007199254740992',
    '0.30000000000000004',
    '1.000000000000000000000000',
    `1${'0'.repeat(300)}e-300`,
  ])('that a double holds is taken: %s', number => {
    expect(read(`[${number}]`)).toEqual({ value: [Number(number)] })
  })

  test('is judged as exact arithmetic would', () => {
    const part = fc.bigInt({ min: 0n, max: 10n ** 25n })
    const exponent = fc.integer({ min: -30, max: 30 })
    const same = (digits: bigint, power: number, written: string) => {
      const [mantissa = '', own = '0'] = written.split('e')
      const [whole = '', fraction = ''] = mantissa.split('.')
      const shift = Number(own) - fraction.length
      const least = Math.min(power, shift)
      return digits * 10n ** BigInt(power - least) === BigInt(whole + fraction) * 10n ** BigInt(shift - least)
    }
    fc.assert(
      fc.property(part, exponent, (digits, power) => {
        const text = `${digits}e${power}`
        const isTaken = same(digits, power, String(Number(text)))
        if (isTaken) expect(read(text)).toEqual({ value: Number(text) })
        else
          expect(read(text)).toMatchObject({
            faults: [{ message: expect.stringContaining('a double holds') }],
          })
      }),
      { seed: 1 },
    )
  })
})

test('whatever else JSON.parse takes or refuses, is taken or refused', () => {
  const refusal = (text: string) => {
    const found = read(text)
    if ('value' in found) expect(found.value).toEqual(JSON.parse(text))
    return !('value' in found)
  }
  fc.assert(
    fc.property(fc.jsonValue({ stringUnit: 'binary' }), value => {
      const text = JSON.stringify(value)
      expect(refusal(text)).toBe(/"(__proto__|prototype)"|\\u0000/.test(text))
      const cut = text.slice(0, -1)
      if (!isJson(cut)) expect(refusal(cut)).toBe(true)
    }),
    { seed: 1 },
  )
  for (const text of ['[1,]', '{"a"}', '{"a":1,}', '[01]', '[1.]', '[+1]', '["\\x"]', '[-]', 'nul', '[}', ''])
    expect(refusal(text), text).toBe(true)
})

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
