import fc from 'fast-check'
import { Unreadable } from 'spec-served-document/values/faults'
import { parseStrictJson } from 'spec-served-document/values/strict-json'
import { unitsOf } from 'spec-served-lab/support/cost'
import { shared } from 'spec-served-lab/support/fixtures'
import { startStore } from 'spec-served-lab/support/store'
import { describe, expect, test } from 'vitest'

const store = shared(() => startStore())

/** Members or items that fill a body of 1 MiB. */
function fill(itemAt: (index: number) => string, from: string, to: string): string {
  const items: string[] = []
  for (let length = 2; ; ) {
    const item = itemAt(items.length)
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
    ['the same name', fill(() => '"a":0', '{', '}')],
    ['names of 10 KB with control characters', fill(i => `"${'\\u0001'.repeat(1_600)}${i}":0`, '{', '}')],
    ['numbers of 20 digits', fill(() => '1.0000000000000000001', '[', ']')],
    ['nested arrays', '['.repeat(500_000) + ']'.repeat(500_000)],
    ['nested objects', `${'{"a":'.repeat(170_000)}0${'}'.repeat(170_000)}`],
    ['nested arrays without end', '['.repeat(1_000_000)],
    ['quotation marks', '"'.repeat(1_000_000)],
    ['a number', `{"name":${'9'.repeat(1_000_000)}}`],
    ['a name of slashes and tildes', `{"${'/~'.repeat(500_000)}":1}`],
    ['a name of pairs', `{"x${'🐕'.repeat(250_000)}":1}`],
    ['a name that stands twice', `{"${'n'.repeat(500_000)}":1,"${'n'.repeat(500_000)}":1}`],
    ['a text', `{"name":"${'x'.repeat(1_000_000)}"}`],
  ])('a body of 1 MiB (%s) is a 400 with a small answer', async (_, body) => {
    for (const id of ['createPets', 'createPet'] as const) {
      const reply = await send(id, body)
      expect(reply).toMatchObject({ status: 400, body: { code: 'invalid_request' } })
      const answer = JSON.stringify(reply.body)
      expect(answer.length).toBeLessThan(30_000)
      expect(answer.isWellFormed()).toBe(true)
      for (const path of paths(reply) ?? []) expect(path.length).toBeLessThanOrEqual(201)
    }
  })

  test('a body of more than 10,000 values is not parsed', async () => {
    const zeros = (count: number) => `[${Array(count).fill(0)}]`
    expect((await send('createPets', zeros(9_999))).body.message).toContain('at most 100 items')
    const reply = await send('createPets', zeros(10_000))
    expect(reply.body.details).toEqual([{ path: '', message: 'holds more than 10000 values' }])
  })
})

test('the refusal of a large body has its first faults, and how many more there are', async () => {
  const pets = Array(100).fill({ name: '', categoryId: 0 })
  const { details, message } = (await send('createPets', JSON.stringify(pets))).body
  expect(details).toHaveLength(100)
  expect(message).toContain('(and 299 more)')
})

test('a list with more items than the document allows is refused for that alone: its items are not checked', async () => {
  const details = [{ path: '', message: 'must have at most 100 items' }]
  expect((await send('createPets', JSON.stringify(Array(3_333).fill(null)))).body).toMatchObject({ details })
})

test.each([100, 102, 100_000])('only the first hundred of %i levels are checked', async depth => {
  const reply = await send('createPet', `${'{"a":['.repeat(depth / 2)}${']}'.repeat(depth / 2)}`)
  expect(reply.status).toBe(400)
  if (depth === 100) expect(paths(reply)).toContain('/a')
  else {
    expect(reply.body.message).toContain('is nested deeper than 100 levels')
    expect(paths(reply)).toEqual(['/a/0'.repeat(50)])
  }
})

/** Returns the value of a text, or the error of the reader. */
function read(text: string): object {
  try {
    return { value: parseStrictJson(text) }
  } catch (error) {
    return { faults: error instanceof Unreadable ? error.faults : error }
  }
}

test.each([
  ['{"name": "a", "n\\u0061me": "b"}', ['/name']],
  ['{"a": {"b": [0, {"c/d": 1, "e": {}, "c/d": 1}]}}', ['/a/b/1/c~1d']],
  ['{"a": 1, "b": {"a": 1}, "b": {}}', ['/b']],
  ['{"": 1, "": 1}', ['/']],
  ['[{"a":1,"a":2},{"b":1,"b":2}]', ['/0/a', '/1/b']],
])('a name that stands twice in an object is named with its place: %s', (text, pointers) => {
  expect(read(text)).toEqual({
    faults: pointers.map(path => ({ path, message: 'stands twice in its object' })),
  })
})

test('numbers are judged as in exact arithmetic', () => {
  const part = fc.bigInt({ min: 0n, max: 10n ** 25n })
  const exponent = fc.integer({ min: -30, max: 30 })
  const same = (digits: bigint, power: number, written: string) => {
    const [mantissa = '', scale = '0'] = written.split('e')
    const [whole = '', fraction = ''] = mantissa.split('.')
    const shift = Number(scale) - fraction.length
    const least = Math.min(power, shift)
    return digits * 10n ** BigInt(power - least) === BigInt(whole + fraction) * 10n ** BigInt(shift - least)
  }
  fc.assert(
    fc.property(part, exponent, (digits, power) => {
      const text = `${digits}e${power}`
      const isTaken = same(digits, power, String(Number(text)))
      const fault = { message: expect.stringContaining('a double holds') }
      expect(read(text)).toMatchObject(isTaken ? { value: Number(text) } : { faults: [fault] })
    }),
    { seed: 1 },
  )
  for (const number of ['-0', '1E+2', '0e999999999999', '5e-324', `1${'0'.repeat(300)}e-300`])
    expect(read(`[${number}]`)).toEqual({ value: [Number(number)] })
})

test('a body that is spaced out or long costs little more than JSON.parse', async () => {
  const pet = { name: 'Rex', categoryId: 1, price: 12.5, tags: ['a', 'b'], note: 'a nice dog' }
  const many = Array(300).fill(pet)
  const asPythonWritesIt = JSON.stringify(many, null, 1).replaceAll(/\n\s*/g, ' ')
  for (const text of [JSON.stringify(many), asPythonWritesIt, JSON.stringify(many, null, 2)]) {
    const repeat = (parse: (text: string) => unknown) => () => {
      for (let i = 0; i < 100; i++) parse(text)
    }
    const usual = await unitsOf(repeat(JSON.parse), 0)
    expect(await unitsOf(repeat(parseStrictJson), 8 * usual)).toBeLessThan(8 * usual)
  }
})

/** Returns where a text stops being JSON, as this reader and V8 tell. V8 does not always tell. */
function placesIn(text: string): { ours: string | undefined; of: string | undefined } | undefined {
  try {
    JSON.parse(text)
    return undefined
  } catch (error) {
    const [, line, column] = /line (\d+) column (\d+)/.exec(String(error)) ?? []
    const { faults } = read(text) as { faults: { message: string }[] } // as it is no JSON
    const ours = /line \d+, column \d+(?=: expected .+ and found .+$)/.exec(faults[0]?.message ?? '')?.[0]
    return { ours, of: line && `line ${line}, column ${column}` }
  }
}

test('the first character that does not fit is named with its place, as V8 knows it', () => {
  let placed = 0
  const character = fc.constantFrom(...'[]{}:,"\\ \n0123.-+eEtrufalsn\u0001x')
  fc.assert(
    fc.property(
      fc.jsonValue({ maxDepth: 3 }),
      fc.boolean(),
      fc.nat(),
      character,
      (value, isIn, offset, inserted) => {
        const text = JSON.stringify(value, null, 2)
        const place = offset % (text.length + 1)
        const places = placesIn(text.slice(0, place) + inserted + text.slice(place + (isIn ? 0 : 1)))
        if (!places) return
        expect(places.ours).toEqual(places.of ?? expect.any(String))
        if (places.of) placed += 1
      },
    ),
    { seed: 1, numRuns: 2_000 },
  )
  expect(placed).toBeGreaterThan(500)
})

test.each([
  ['{"name": "x" "categoryId": 1}', 'line 1, column 14: expected `,` or `}` and found `"`'],
  ['{\n  "name": "x",\r\n}', 'line 3, column 1: expected a name in double quotes and found `}`'],
  ["{'name': 1}", "line 1, column 2: expected a name in double quotes or `}` and found `'`"],
  ['{"a"; 1}', 'line 1, column 5: expected `:` and found `;`'],
  ['[1 2]', 'line 1, column 4: expected `,` or `]` and found `2`'],
  ['[1,]', 'line 1, column 4: expected a value and found `]`'],
  ['[}', 'line 1, column 2: expected a value or `]` and found `}`'],
  ['True', 'line 1, column 1: expected a value and found `T`'],
  ['nul', 'line 1, column 4: expected `null` and found the end'],
  ['[fa1se]', 'line 1, column 4: expected `false` and found `1`'],
  ['[-]', 'line 1, column 3: expected a digit and found `]`'],
  ['[1.e5]', 'line 1, column 4: expected a digit and found `e`'],
  ['["a', 'line 1, column 4: expected the closing `"` and found the end'],
  ['["a\n"]', 'line 1, column 4: expected the closing `"` and found U+000A'],
  ['["\\x"]', 'line 1, column 4: expected one of `"\\/bfnrtu` and found `x`'],
  ['["\\u12g4"]', 'line 1, column 7: expected a hexadecimal digit and found `g`'],
  ['{} 🐕', 'line 1, column 4: expected the end and found `🐕`'],
  ['[\u202e', 'line 1, column 2: expected a value or `]` and found U+202E'],
])('the refusal of a text that is no JSON, %j, says what does not fit', (text, message) => {
  expect(read(text)).toEqual({ faults: [{ path: '', message: `is not valid JSON: ${message}` }] })
})

test('all other texts are taken or refused as by JSON.parse', () => {
  const isRefused = (text: string) => {
    const found = read(text)
    if ('value' in found) expect(found.value).toEqual(JSON.parse(text))
    return !('value' in found)
  }
  fc.assert(
    fc.property(fc.jsonValue({ stringUnit: 'binary' }), value => {
      const text = JSON.stringify(value)
      expect(isRefused(text)).toBe(/"(__proto__|prototype)"|\\u0000/.test(text))
    }),
    { seed: 1 },
  )
  for (const text of ['[1,]', '{"a"}', '{"a":1,}', '[01]', '[1.]', '[+1]', '["\\x"]', '[-]', 'nul', '[}', ''])
    expect(isRefused(text), text).toBe(true)
})
