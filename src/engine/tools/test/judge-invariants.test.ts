import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { readValue } from 'spec-served-document/reading/read'
import { schemasIn } from 'spec-served-document/reading/walk'
import type { OpenApi, Schema } from 'spec-served-document/types'
import { createAjv, toJsonSchema } from 'spec-served-document/values/json-schema'
import { unitsOf } from 'spec-served-lab/support/cost'
import { decorated } from 'spec-served-lab/support/decorate'
import { type Changes, tinyDocument } from 'spec-served-lab/support/pairs'
import { anyValues, pairsOfLaterSchemas, pairsOfSchemas } from 'spec-served-lab/support/random-schemas'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { type Finding, judge } from '../changes/judge.ts'
import { child, rootOf } from '../changes/located.ts'
import { format } from '../changes/report.ts'
import { inJsonSchema } from '../changes/schemas/terms.ts'
import { createTrialAjv, validatorOf } from '../changes/schemas/validator.ts'

const today = '2026-06-15'

async function judged(before: OpenApi, after: OpenApi): Promise<Finding[]> {
  const [base, next] = [await readValue(before, 'base.yaml'), await readValue(after, 'next.yaml')]
  return judge(base, next, today)
}

const changed = (before: Changes, after: Changes) =>
  judged(tinyDocument(before), tinyDocument(after, '2.0.0'))

test('texts, unknown extensions and another order are no findings', async () => {
  const document: OpenApi = parse(readFileSync('spec/openapi.yaml', 'utf8'))
  const seeds = fc.sample(fc.noBias(fc.integer({ min: 1, max: 2 ** 30 })), { seed: 1, numRuns: 4 })
  for (const seed of seeds) {
    let state = seed
    const random = () => {
      state = (state * 48_271) % 2_147_483_647
      return state / 2_147_483_647
    }
    const findings = await judged(document, decorated(document, random))
    expect(findings.filter(({ rule }) => rule !== 'version-bump')).toEqual([])
  }
})

test('a document rewritten in the terms of 3.1 has not changed', async () => {
  const document: OpenApi = parse(readFileSync('spec/openapi.yaml', 'utf8'))
  const rewritten: OpenApi = structuredClone(document)
  rewritten.openapi = '3.1.0'
  for (const { schema } of [...schemasIn(rewritten)]) inTermsOf31(schema)
  for (const pair of [[document, rewritten] as const, [rewritten, document] as const]) {
    const findings = await judged(...pair)
    expect(findings.filter(({ rule }) => rule !== 'version-bump')).toEqual([])
  }
})

function inTermsOf31(schema: Schema): void {
  const { nullable, type, allOf, minimum, exclusiveMinimum, example, enum: values = [] } = schema
  if (nullable && type)
    schema.type = [type, 'null'].flat() as NonNullable<Schema['type']> // with one more
  else if (nullable && allOf) {
    schema.anyOf = [{ allOf }, { type: 'null' }]
    delete schema.allOf
  }
  delete schema.nullable
  if (exclusiveMinimum === true && minimum !== undefined) {
    schema.exclusiveMinimum = minimum
    delete schema.minimum
  }
  if (example !== undefined) schema.examples = [example]
  delete schema.example
  if (values.length !== 1) return
  schema.const = values[0]
  delete schema.enum
}

test.each([
  ['3.0.3', pairsOfSchemas],
  ['3.1.0', pairsOfLaterSchemas],
])(
  'no change that a value shows is called harmless, and few that none shows breaking (%s)',
  async (openapi, pairs) => {
    const ajv = createAjv({ allErrors: false, openapi })
    const takes = (schema: Schema) => {
      const validate = ajv.compile(toJsonSchema(schema) as object) // of an object
      return (value: unknown) => validate(structuredClone(value)) === true
    }
    let [alarms, falseAlarms] = [0, 0]
    for (const [one, other] of fc.sample(pairs, { seed: 1, numRuns: 100 })) {
      const [before, after] = [takes(one), takes(other)]
      const taken = anyValues.filter(before)
      const lost = taken.find(value => !after(value))
      const isBreaking = (await changed({ openapi, body: one }, { openapi, body: other })).some(
        ({ severity }) => severity === 'breaking',
      )
      if (lost !== undefined) expect({ one, other, lost, isBreaking }).toMatchObject({ isBreaking: true })
      if (isBreaking) alarms++
      // A schema that takes no value can lose none.
      if (isBreaking && lost === undefined && taken.length > 0) falseAlarms++
    }
    expect(alarms).toBeGreaterThan(20)
    expect(falseAlarms / alarms).toBeLessThan(0.15)
  },
)

test('nested alternatives in another order take no time', async () => {
  const nested = (depth: number, isReversed: boolean, length: number, leaf = { next: 0 }): object => {
    if (depth === 0) return { type: 'string', maxLength: leaf.next++ + length }
    const both = [1, 2].map(() => nested(depth - 1, isReversed, length, leaf))
    return { anyOf: isReversed ? both.reverse() : both }
  }
  const body = nested(10, false, 1)
  expect(JSON.stringify(body).length).toBeGreaterThan(40_000)
  expect(await changed({ body }, { body: nested(10, true, 1) })).toEqual([])
  const units = await unitsOf(() => changed({ body }, { body: nested(10, true, 2) }), 400)
  expect(units).toBeLessThan(400)
})

test('a finding shows where it is written, where clients meet it, and a value', async () => {
  const pick = (maxLength: number) => ({
    anyOf: [{ type: 'integer' }, { type: 'object', properties: { name: { type: 'string', maxLength } } }],
  })
  const findings = await changed({ body: pick(3) }, { body: pick(2) })
  const pointer =
    '#/paths/~1things/post/requestBody/content/application~1json/schema/anyOf/1/properties/name/maxLength'
  expect(format(findings, 'text')).toBe(
    `next.yaml:1 breaking max-length-narrowed ${pointer} ` +
      '[POST /things (createThing) request body (anyOf/1 object).name] ' +
      'maxLength was 3 and is 2 (such as {"name":"xxx"}): the service may refuse values that clients send',
  )
  expect(JSON.parse(format(findings, 'json'))).toMatchObject([
    { pointer: pointer.slice(1), example: '{"name":"xxx"}' },
  ])
})

test('the judge reads null, bounds and alternatives of 3.0 as the service does', async () => {
  const ajv = createAjv({ allErrors: false })
  const values = new Set(anyValues)
  for (const [schema] of fc.sample(pairsOfSchemas, { seed: 2, numRuns: 80 })) {
    const document = tinyDocument({ 'components.schemas.Read': nulled(schema) })
    const served = await readValue(document, 'a document')
    const read = inJsonSchema(served)
    const place = child(rootOf(read), 'components')
    const schemas = place && child(place, 'schemas')
    const located = schemas && child(schemas, 'Read')
    const validator =
      located && validatorOf(createTrialAjv(), [located], { reader: 'request', isWritten: false })
    const validate = ajv.compile(toJsonSchema(served.document.components?.schemas?.Read) as object) // of an object
    const wrong = [...values].filter(value => validator?.takes(value) !== validate(structuredClone(value)))
    expect(wrong, JSON.stringify(served.document.components?.schemas?.Read)).toEqual([])
  }
})

/** A schema with null allowed at every other of its objects, whatever else they say. */
function nulled(schema: Schema): Schema {
  let count = 0
  return JSON.parse(JSON.stringify(schema), (key, node) =>
    typeof node === 'object' && !Array.isArray(node) && key !== 'properties' && count++ % 2 === 0
      ? { ...node, nullable: true }
      : node,
  )
}
