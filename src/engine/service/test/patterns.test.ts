import { spawnSync } from 'node:child_process'
import fc from 'fast-check'
import { matcherOf, toRegExp } from 'spec-served-document/pattern'
import { readValue } from 'spec-served-document/reading/read'
import { describe, expect, test } from 'vitest'

/** Far more than is needed, and nothing beside what patterns take that try all ways. */
const patience = 290_000

/** Runs a module in a process of its own, as nothing else ends a loop of the regular expressions. */
function run(code: string): unknown {
  const options = { timeout: patience, encoding: 'utf8' } as const
  const { stdout, stderr } = spawnSync('node', ['--input-type=module-typescript', '-e', code], options)
  expect(stderr).toBe('')
  return JSON.parse(stdout || '"It has not ended."')
}

const hanging = [
  ['^(a+)+$', 'a', 'aaaa'],
  ['^([a-z]+)+$', 'z', 'word'],
  ['^(a|a)*$', 'a', 'aa'],
  ['^(a|ab)*c?(b|ba)*$', 'ab', 'abab'],
  ['a+$', 'a', 'xa'],
  ['\\s+x', ' ', 'a  x'],
  ['(.*)(.*)(.*)y', 'x', 'xy'],
  ['^\\d*[0-9]*\\d*x$', '1', '12x'],
  ['^(?=.*\\d)(?!x)([a-z\\d]+)+$', 'a1', 'a1'],
  ['^(\\w+\\s?)+(?<!_)$', 'a ', 'a b'],
  ['^0x(?!0{40})([a-f\\d]+)+$', '0x', `0x${'a'.repeat(40)}`],
  ['^a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a{28}$', 'a', 'a'.repeat(28)],
] as const

test('a text of 100,000 characters is matched at once, whatever the pattern', () => {
  const code = `
    import { serve, echo } from './src/engine/lab/support/engine.ts'
    const hanging = ${JSON.stringify(hanging)}
    const statuses = []
    for (const [pattern, part, fitting] of hanging) {
      const schema = { type: 'object', properties: { text: { type: 'string', pattern } } }
      const content = { 'application/json': { schema } }
      const operation = { operationId: 'a', requestBody: { content }, responses: { 200: { description: 'ok' } } }
      const app = await serve(
        { openapi: '3.0.3', info: { title: 'A', version: '1' }, paths: { '/a': { post: operation } } },
        { a: echo },
      )
      const post = async text => (await app.inject({ method: 'POST', url: '/a', payload: { text } })).statusCode
      statuses.push([await post(part.repeat(100_000 / part.length) + '!'), await post(fitting)])
      await app.close()
    }
    console.log(JSON.stringify(statuses))`
  expect(run(code)).toEqual(hanging.map(() => [400, 200]))
})

test('a text that is no URL is refused at once, however many colons it has', () => {
  const code = `
    import { createAjv } from './src/engine/document/values/json-schema.ts'
    const isUrl = createAjv().compile({ type: 'string', format: 'url' })
    const texts = ['http://a:b:c@example.com/x', 'ftp://example.com', 'http://' + ':'.repeat(500_000), 'http://' + 'a@'.repeat(500_000)]
    console.log(JSON.stringify(texts.map(text => isUrl(text))))`
  expect(run(code)).toEqual([true, true, false, false])
})

describe('patterns', () => {
  const patterns = [
    ...hanging.map(([pattern]) => pattern),
    '(\\s\\S)+\\s*',
    '^([^\\s]+|\\W*)x+$',
    '(a.b)+.*\\D+',
    '^([\\w.-]+@)+[\\d\\-\\]]+$',
    '(\\u00e9|\\u{1f415}|🐈)+x*',
    '\\Bx+|y*\\b',
    '([^]|[])+x+',
    '^(x{2,3}){1,2}(?:yz){2}\\x41?\\cJ*$',
    '(\\p{L}|\\P{Script=Greek})+\\p{Lu}*',
    '^(?<name>a+)*b|c+$',
    '^[\\w\\-]+\\_*[\\s\\S]*$',
    '(?=a)b|a+$',
    '(?=[ab]*(?!a)x)a+(b|x)',
    'x(?=.\\b)(?:🐈|y*$)',
    '^a(?!b)([a-c]+)+$',
    '^(?!^[-a]*$)b?a*(?:x{0,1}$|(?=[xa.]{1,4}a*$)x{0,2}.x{0,2}a*$)',
    '(?:(?!ab)[^x]|(?<n>x)(?=$))+z|^$',
    '^([ab-]{1,60}(,[ab-]{1,60}){0,99})?$',
    '^(?:(a{1,700}b?){2,3}x){0,4}$',
    '(?:(?:a{0,600}){0,2}b{2,600}){0,2}|x{0,1200}y',
  ]
  // V8 is said to forget modifiers now and then (nodejs/node#60030). They are written out for it.
  const written = new Map([
    ['(?s:a.b)+.*x*', '(?:a[^]b)+.*x*'],
    ['(?i:straße|K)+\\b.*', '(?:[sSſ][tT][rR][aA][ßẞ][eE]|[kK\u212a])+\\b.*'],
  ])
  const texts = fc.oneof(
    fc.string({ unit: fc.constantFrom(...'aabbxyz1_ -.@\n\r\t\u00a0\u2028é🐕🐈ßſKSα!]') }),
    fc.string({ unit: 'binary' }),
  )
  test.each([...patterns, ...written.keys()])('a pattern means what it means in ECMA-262: %s', pattern => {
    const [matcher, native] = [matcherOf(pattern), toRegExp(written.get(pattern) ?? pattern)]
    fc.assert(
      fc.property(texts, text => matcher.test(text) === native?.test(text)),
      { seed: 1, numRuns: 2_000 },
    )
  })

  test('bounds within bounds mean what they mean in ECMA-262', () => {
    const matcher = matcherOf('^([a-z]{1,60}(,[a-z]{1,60}){2,99})?$')
    const of = (length: number, items: number) =>
      matcher.test(Array.from({ length: items }, () => 'a'.repeat(length)).join(','))
    expect([of(60, 100), of(1, 100), of(1, 3), of(60, 33), of(0, 1)]).toEqual([true, true, true, true, true])
    expect([of(61, 3), of(1, 101), of(60, 2), of(0, 3)]).toEqual([false, false, false, false])
  })

  test('a pattern of more than a thousand repetitions means what it means in ECMA-262', () => {
    const matcher = matcherOf('^(ab){2,2500}c{1500,}$')
    const of = (ab: number, c: number) => matcher.test('ab'.repeat(ab) + 'c'.repeat(c))
    expect([of(2, 1500), of(2500, 3000), of(2501, 1500), of(1, 1500), of(2, 1499)]).toEqual([
      true,
      true,
      false,
      false,
      false,
    ])
  })
})

test.each([
  ['(a)\\1+', 'refers back to what it has found (\\1)'],
  ['^a(?!b)(c+(?<!a))+$', 'looks ahead, and behind too ((?<!a))'],
  ['^(ab){0,20000}$', 'repeats something more than 10000 times ((ab){0,20000})'],
  ['^(((a{1000}){10}){10})+$', 'repeats something more than 10000 times (((a{1000}){10}){10})'],
])(
  'a document whose pattern can’t be matched in linear time is refused, with its place: %s',
  async (pattern, why) => {
    const schemas = { Code: { type: 'string', pattern } }
    const source = {
      openapi: '3.0.3',
      info: { title: 'A', version: '1' },
      paths: {},
      components: { schemas },
    }
    await expect(readValue(source, 'a.yaml')).rejects.toMatchObject({
      faults: [
        {
          file: 'a.yaml',
          pointer: '#/components/schemas/Code/pattern',
          message: expect.stringContaining(`The pattern ${why}, and no way is known`),
        },
      ],
    })
  },
)
