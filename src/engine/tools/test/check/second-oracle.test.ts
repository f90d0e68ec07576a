import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { temporaryDirectory } from 'spec-served/internal/testing/temporary'
import { expect, onTestFinished, test } from 'vitest'
import { openSecondOracle } from '../../check/second-oracle.ts'

const document = `
openapi: 3.0.3
info: { title: Lending, version: 1.0.0 }
paths:
  /books:
    get:
      responses:
        '200':
          description: Books
          headers:
            X-Total: { schema: { type: integer, minimum: 0 } }
            X-Left: { $ref: '#/components/headers/Left' }
          content: { application/json: { schema: { type: array, items: { $ref: 'book.yaml#/Book' } }, example: [{ title: 7 }] } }
        4XX: { $ref: '#/components/responses/Refused' }
components:
  headers: { Left: { schema: { type: integer, maximum: 9 } } }
  responses:
    Refused: { description: No, content: { application/json: { schema: { type: object, required: [code] } } } }
`
const book = `
Book:
  type: object
  required: [title, secret]
  properties: { title: { type: string, nullable: true }, secret: { type: string, writeOnly: true } }
  additionalProperties: false
`

async function oracle(text = document) {
  const directory = temporaryDirectory()
  onTestFinished(() => rm(directory, { recursive: true }))
  await writeFile(join(directory, 'book.yaml'), book)
  await writeFile(join(directory, 'openapi.yaml'), text)
  return openSecondOracle(join(directory, 'openapi.yaml'))
}

const json = { 'content-type': 'application/json; charset=utf-8' }

test.each([
  ['fits', 200, { ...json, 'x-total': '3' }, [{ title: null }], []],
  [
    'has a property that a schema in another file closes out',
    200,
    json,
    [{ title: 'A', x: 1 }],
    [/#\/0.*additionalProp/],
  ],
  ['lacks a required property', 404, json, {}, [/Refused.*required/]],
  ['has a header field out of bounds', 200, { ...json, 'x-total': '-1' }, [], [/X-Total: .*minimum/]],
  [
    'has a header field that a component rules out',
    200,
    { ...json, 'x-left': '10' },
    [],
    [/X-Left: .*maximum/],
  ],
  ['has an undeclared status', 500, json, {}, [/the status 500 is not declared/]],
] as const)('a reply that %s', async (_, status, headers, body, wanted) => {
  const faults = (await (await oracle())?.reply('GET', '/books', { status, headers, body })) ?? ['no oracle']
  expect(faults).toHaveLength(wanted.length)
  for (const [i, pattern] of wanted.entries()) expect(faults[i]).toMatch(pattern)
})

test('an example that does not fit its schema is reported with its place', async () => {
  const { judged, faults } = (await (await oracle())?.examples()) ?? { judged: 0, faults: [] }
  expect(judged).toBe(1)
  expect(faults).toEqual([
    expect.stringMatching(/paths\/~1books\/get\/responses\/200.*#\/0\/title does not fit .*type/),
  ])
})

test('a document that is none by OpenAPI’s own schema is left out', async () => {
  expect(await oracle(document.replace('description: Books', 'summary: Books'))).toBeUndefined()
})
