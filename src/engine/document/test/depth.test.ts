import fc from 'fast-check'
import { generate } from 'spec-served-cli/internal/generate/emit'
import { expect, test } from 'vitest'
import { modelOf, partsOf } from '../model.ts'
import { DocumentRefused } from '../reading/fault.ts'
import { schemasWithin } from '../reading/nodes.ts'
import { parseDocument } from '../reading/read.ts'

/** A document whose one body is the first of these schemas, or what is written in its place. */
const withSchemas = (schemas: readonly string[], body = `{ schema: { $ref: '#/components/schemas/S0' } }`) =>
  [
    'openapi: 3.0.3',
    'info: { title: T, version: "1" }',
    `paths: { /a: { post: { requestBody: { content: { application/json: ${body} } }, responses: { default: { description: d } } } } }`,
    'components:',
    '  schemas:',
    ...schemas.map((schema, index) => `    S${index}: ${schema}`),
    '',
  ].join('\n')

const to = (index: number) => `{ $ref: '#/components/schemas/S${index}' }`
const chain = (length: number, link: (next: string, index: number) => string) =>
  withSchemas([...Array.from({ length }, (_, index) => link(to(index + 1), index)), '{ type: string }'])

/** Content, headers of which refer to the content at the next places, where OpenAPI has no references. */
const inlined = (levels: number, times: number) => {
  const next = (index: number) =>
    Array.from(
      { length: times },
      (_, branch) => `h${branch}: { content: { b: { $ref: '#/x-m/${index + 1}' } } }`,
    )
  const parts = Array.from(
    { length: levels },
    (_, index) => `  - { encoding: { a: { headers: { ${next(index)} } } } }\n`,
  )
  return `${withSchemas(['{ type: string }'], `{ $ref: '#/x-m/0' }`)}x-m:\n${parts.join('')}  - {}\n`
}

async function refusalOf(text: string): Promise<string[]> {
  try {
    await parseDocument(text, 'doc.yaml')
    return []
  } catch (error) {
    if (!(error instanceof DocumentRefused)) throw error
    return error.faults.map(({ line, rule, message }) => `${line} ${rule} ${message}`)
  }
}

test.each([
  ['properties', chain(800, next => `{ type: object, properties: { p: ${next} } }`)],
  ['alternatives, each twice', chain(800, next => `{ anyOf: [${next}, ${next}] }`)],
  ['parts', chain(2_000, next => `{ allOf: [${next}] }`)],
  ['lists', chain(2_000, next => `{ type: array, items: ${next} }`)],
])('schemas that lead too deep by their %s are refused, with the first that does', async (_, text) => {
  const [fault, ...others] = await refusalOf(text)
  expect(others).toEqual([])
  expect(fault).toMatch(/^\d{3,4} depth References lead more than 400 objects deep from here/)
})

test('a chain of references is refused once, where it becomes too long', async () => {
  expect(await refusalOf(chain(2_000, next => next))).toEqual([
    '105 chain #/components/schemas/S100 leads on over more than 100 references: name the part itself.',
  ])
})

test.each([
  ['deep', inlined(800, 1)],
  ['wide', inlined(20, 2)],
])('what references would unfold without end (%s) is refused with its place', async (_, text) => {
  expect(await refusalOf(text)).toEqual([
    expect.stringMatching(/^\d+ depth Too much is to be taken in the place of references here/),
  ])
})

test('a reference of any length is refused in a few words', async () => {
  const [fault] = await refusalOf(withSchemas([`{ $ref: '#${'/components'.repeat(20_000)}' }`]))
  expect(fault).toMatch(/leads nowhere/)
  expect(fault?.length).toBeLessThan(300)
})

test('as deep as may be, a document is read and generated from', async () => {
  const { document } = await parseDocument(
    chain(380, next => `{ type: object, properties: { p: ${next} } }`),
    'doc.yaml',
  )
  const model = modelOf(document)
  const first = document.components?.schemas?.S0 ?? {}
  expect([...schemasWithin(model, first)]).toHaveLength(381)
  expect((await generate(document, 'doc.yaml', 'none')).get('schema.ts')).toContain('S380')
})

test('whatever schemas refer to, also to themselves, reading ends: with a model, or with faults and places', async () => {
  const shapes = [
    'ONE',
    '{ allOf: [ONE, TWO] }',
    '{ properties: { p: ONE, q: TWO } }',
    '{ oneOf: [ONE, { not: TWO }] }',
    '{ items: ONE }',
  ]
  const schema = fc
    .tuple(fc.constantFrom(...shapes), fc.array(fc.nat(7), { minLength: 2, maxLength: 2 }))
    .map(([shape, [first = 0, second = 0]]) =>
      shape.replace('ONE', () => to(first)).replace('TWO', () => to(second)),
    )
  await fc.assert(
    fc.asyncProperty(fc.array(schema, { minLength: 8, maxLength: 8 }), async schemas => {
      const text = withSchemas(schemas)
      const refused = await refusalOf(text)
      if (refused.length > 0) {
        expect(refused.join('\n')).toMatch(/^\d+ (cycle|depth)/)
        return
      }
      const { document } = await parseDocument(text, 'doc.yaml')
      const model = modelOf(document)
      const first = document.components?.schemas?.S0 ?? {}
      expect(partsOf(model, first).length + [...schemasWithin(model, first)].length).toBeGreaterThan(0)
    }),
    { numRuns: 100 },
  )
})
