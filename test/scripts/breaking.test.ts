import { describe, expect, test } from 'vitest'
import { judge } from '../../scripts/breaking/judge.ts'
import { readValue } from '../../src/document/read.ts'
import { callbackRows } from '../support/callback-pairs.ts'
import { linkRows } from '../support/link-pairs.ts'
import { type Changes, type Row, tinyDocument } from '../support/pairs.ts'

const today = '2026-06-15'

/** Severity and rule of each finding; the new document has a new major version, so that the version is right. */
async function verdicts(before: Changes, after: Changes, day = today): Promise<string[]> {
  const findings = judge(await read(tinyDocument(before)), await read(tinyDocument(after, '2.0.0')), day)
  return findings.map(({ severity, rule }) => `${severity} ${rule}`)
}

const read = (document: object) => readValue(document, 'a document')

const string = { type: 'string' }
const integer = { type: 'integer' }
const object = (properties: object, more: object = {}) => ({ type: 'object', properties, ...more })
const closed = { additionalProperties: false }
const answers = { responses: { 200: { description: 'ok' } } }
const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` })
const [cat, dog] = [object({ claws: integer }), object({ tail: string })]

/** A schema that takes more, one that takes less, and the rules that see the way from one to the other. */
const schemas: [what: string, wide: unknown, narrow: unknown, narrowing: string, widening: string][] = [
  ['number, integer', { type: 'number' }, integer, 'type-narrowed', 'type-widened'],
  ['any type, string', {}, string, 'type-narrowed', 'type-widened'],
  ['null too, never null', { ...string, nullable: true }, string, 'null-refused', 'null-allowed'],
  ['any value, an enum', string, { ...string, enum: ['a'] }, 'enum-added', 'enum-removed'],
  [
    'two values, one',
    { ...string, enum: ['a', 'b'] },
    { ...string, enum: ['a'] },
    'enum-value-removed',
    'enum-value-added',
  ],
  ['any string, a date', string, { ...string, format: 'date' }, 'format-added', 'format-removed'],
  [
    'int64, int32',
    { ...integer, format: 'int64' },
    { ...integer, format: 'int32' },
    'format-narrowed',
    'format-widened',
  ],
  ['any string, a pattern', string, { ...string, pattern: '^a' }, 'pattern-added', 'pattern-removed'],
  ['no minimum, one', integer, { ...integer, minimum: 1 }, 'minimum-narrowed', 'minimum-widened'],
  [
    'minimum 1, 2',
    { ...integer, minimum: 1 },
    { ...integer, minimum: 2 },
    'minimum-narrowed',
    'minimum-widened',
  ],
  [
    'maximum 9, 8',
    { ...integer, maximum: 9 },
    { ...integer, maximum: 8 },
    'maximum-narrowed',
    'maximum-widened',
  ],
  [
    'up to 9, below 9',
    { type: 'number', maximum: 9 },
    { type: 'number', maximum: 9, exclusiveMaximum: true },
    'maximum-narrowed',
    'maximum-widened',
  ],
  [
    'from 1, above 1',
    { type: 'number', minimum: 1 },
    { type: 'number', minimum: 1, exclusiveMinimum: true },
    'minimum-narrowed',
    'minimum-widened',
  ],
  ['no least length, one', string, { ...string, minLength: 1 }, 'min-length-narrowed', 'min-length-widened'],
  [
    'no greatest length, one',
    string,
    { ...string, maxLength: 9 },
    'max-length-narrowed',
    'max-length-widened',
  ],
  [
    '9 characters, 8',
    { ...string, maxLength: 9 },
    { ...string, maxLength: 8 },
    'max-length-narrowed',
    'max-length-widened',
  ],
  [
    'any number of items, one at least',
    { type: 'array' },
    { type: 'array', minItems: 1 },
    'min-items-narrowed',
    'min-items-widened',
  ],
  [
    '9 items, 8',
    { type: 'array', maxItems: 9 },
    { type: 'array', maxItems: 8 },
    'max-items-narrowed',
    'max-items-widened',
  ],
  [
    'any number of properties, one at least',
    { type: 'object' },
    { type: 'object', minProperties: 1 },
    'min-properties-narrowed',
    'min-properties-widened',
  ],
  [
    'any number of properties, 9 at most',
    { type: 'object' },
    { type: 'object', maxProperties: 9 },
    'max-properties-narrowed',
    'max-properties-widened',
  ],
  [
    'multiples of 2, of 4',
    { ...integer, multipleOf: 2 },
    { ...integer, multipleOf: 4 },
    'multiple-of-narrowed',
    'multiple-of-widened',
  ],
  [
    'any number, multiples of 2',
    integer,
    { ...integer, multipleOf: 2 },
    'multiple-of-narrowed',
    'multiple-of-widened',
  ],
  [
    'items that repeat, unique ones',
    { type: 'array' },
    { type: 'array', uniqueItems: true },
    'unique-items-added',
    'unique-items-removed',
  ],
  [
    'any items, strings',
    { type: 'array' },
    { type: 'array', items: string },
    'items-constrained',
    'items-unconstrained',
  ],
  [
    'numbers as items, integers',
    { type: 'array', items: { type: 'number' } },
    { type: 'array', items: integer },
    'type-narrowed',
    'type-widened',
  ],
  [
    'optional, required',
    object({ a: string }),
    object({ a: string }, { required: ['a'] }),
    'property-became-required',
    'property-became-optional',
  ],
  [
    'a longer property, a shorter',
    object({ a: string }),
    object({ a: { ...string, maxLength: 5 } }),
    'max-length-narrowed',
    'max-length-widened',
  ],
  [
    'open, closed',
    object({}),
    object({}, closed),
    'additional-properties-closed',
    'additional-properties-opened',
  ],
  [
    'any other property, strings',
    object({}),
    object({}, { additionalProperties: string }),
    'additional-properties-constrained',
    'additional-properties-unconstrained',
  ],
  [
    'other numbers, other integers',
    { type: 'object', additionalProperties: { type: 'number' } },
    { type: 'object', additionalProperties: integer },
    'type-narrowed',
    'type-widened',
  ],
  [
    'two alternatives, one',
    { oneOf: [string, integer] },
    { oneOf: [string] },
    'alternative-removed',
    'alternative-added',
  ],
  [
    'two alternatives, the one alone',
    { anyOf: [string, integer] },
    string,
    'alternative-removed',
    'alternative-added',
  ],
  [
    'two named alternatives, one',
    { anyOf: [ref('Thing'), ref('Tree')] },
    { anyOf: [ref('Tree')] },
    'alternative-removed',
    'alternative-added',
  ],
  [
    'a wider alternative, a narrower',
    { oneOf: [{ ...string, maxLength: 9 }, integer] },
    { oneOf: [integer, { ...string, maxLength: 5 }] },
    'max-length-narrowed',
    'max-length-widened',
  ],
  [
    'no alternatives, some',
    object({}),
    object({}, { anyOf: [{ required: ['a'] }, { required: ['b'] }] }),
    'alternatives-constrained',
    'alternatives-unconstrained',
  ],
  [
    'anyOf, oneOf',
    { anyOf: [cat, dog] },
    { oneOf: [cat, dog] },
    'alternatives-kind-changed',
    'alternatives-kind-changed',
  ],
  [
    'null as an alternative, or not',
    { oneOf: [string, integer], nullable: true },
    { oneOf: [string, integer] },
    'alternative-removed',
    'alternative-added',
  ],
  [
    'null beside allOf, or not',
    { allOf: [ref('Thing')], nullable: true },
    { allOf: [ref('Thing')] },
    'null-refused',
    'null-allowed',
  ],
  ['anything, all but', string, { ...string, not: { enum: ['a'] } }, 'not-added', 'not-removed'],
  [
    'less ruled out, more',
    { ...string, not: { type: 'string', maxLength: 2 } },
    { ...string, not: { type: 'string', maxLength: 5 } },
    'max-length-widened',
    'max-length-narrowed',
  ],
  [
    'a bound that allOf tightens',
    { allOf: [string] },
    { allOf: [string, { maxLength: 5 }] },
    'max-length-narrowed',
    'max-length-widened',
  ],
]

describe.each(schemas)('%s', (_what, wide, narrow, narrowing, widening) => {
  test('a request that takes less breaks', async () => {
    expect(await verdicts({ body: wide }, { body: narrow })).toEqual([`breaking ${narrowing}`])
  })
  test('a request that takes more does not', async () => {
    expect(await verdicts({ body: narrow }, { body: wide })).toEqual([`info ${widening}`])
  })
  test('a response that holds less does not', async () => {
    expect(await verdicts({ reply: wide }, { reply: narrow })).toEqual([`info ${narrowing}`])
  })
  test('a response that holds more breaks', async () => {
    expect(await verdicts({ reply: narrow }, { reply: wide })).toEqual([`breaking ${widening}`])
  })
})

const page = { name: 'page', in: 'query', schema: integer }
const deprecated = (since: string, sunset: string) => ({
  'list.deprecated': true,
  'list.x-deprecated-at': since,
  'list.x-deprecated-sunset': sunset,
})
const free = { 'list.x-stability': 'experimental' }
const media = (type: string) => ({ content: { [type]: { schema: string } } })

const rows: Record<string, Row[]> = {
  operations: [
    ['clients call what is gone', {}, { list: undefined }, 'breaking operation-removed'],
    [
      'its sunset has passed',
      deprecated('2025-01-01', '2026-06-15'),
      { list: undefined },
      'info operation-removed',
    ],
    [
      'its sunset is tomorrow',
      deprecated('2025-01-01', '2026-06-16'),
      { list: undefined },
      'breaking operation-removed',
    ],
    [
      'deprecated without an end',
      { 'list.deprecated': true },
      { list: undefined },
      'breaking operation-removed',
    ],
    ['nobody has to call it', {}, { 'paths./more.get': answers }, 'info operation-added'],
    [
      'clients call the old path',
      { 'paths./a.get': { operationId: 'a', ...answers } },
      { 'paths./b.get': { operationId: 'a', ...answers } },
      'breaking operation-moved',
    ],
    [
      'a name that nobody gave is no promise',
      { 'paths./a/{id}.get': answers },
      { 'paths./a/{other}.get': answers },
    ],
    [
      'what nobody named is not the same elsewhere',
      { 'paths./a-b.get': answers },
      { 'paths./a/b.get': answers },
      'breaking operation-removed',
      'info operation-added',
    ],
    [
      'a name for what had none takes none away',
      { 'paths./a.get': answers },
      { 'paths./a.get': { operationId: 'getA', ...answers } },
      'info operation-id-changed',
    ],
    [
      'a name that was given is a promise',
      { 'paths./a.get': { operationId: 'getA', ...answers } },
      { 'paths./a.get': answers },
      'breaking operation-id-changed',
    ],
    ['its tag only orders the docs', {}, { 'list.tags': ['default'] }],
    [
      'generated methods are named after it',
      {},
      { 'list.operationId': 'all' },
      'breaking operation-id-changed',
    ],
    ['a first name harms nobody', { 'list.operationId': undefined }, {}, 'info operation-id-changed'],
    ['what was experimental may go', free, { list: undefined }, 'info operation-removed'],
    [
      'what was experimental may change',
      free,
      { ...free, 'list.operationId': 'all' },
      'info operation-id-changed',
    ],
    [
      'beta may not',
      { 'list.x-stability': 'beta' },
      { 'list.x-stability': 'beta', 'list.operationId': 'all' },
      'breaking operation-id-changed',
    ],
    [
      'a webhook stays away',
      { 'create.callbacks': { done: { '{$url}': {} } } },
      {},
      'breaking callback-removed',
    ],
    [
      'a webhook changes',
      { 'create.callbacks': { done: { '{$a}': {} } } },
      { 'create.callbacks': { done: { '{$b}': {} } } },
      'warning callback-changed',
    ],
    ['a webhook more', {}, { 'create.callbacks': { done: { '{$url}': {} } } }, 'info callback-added'],
  ],
  'stability and lifecycle': [
    ['stable was a promise', {}, { 'list.x-stability': 'beta' }, 'breaking stability-lowered'],
    ['beta was one too', { 'list.x-stability': 'beta' }, free, 'breaking stability-lowered'],
    ['more is promised', free, {}, 'info stability-raised'],
    ['180 days of notice', {}, deprecated('2026-06-15', '2026-12-12'), 'info deprecated'],
    ['179 days of notice', {}, deprecated('2026-06-15', '2026-12-11'), 'breaking sunset-too-soon'],
    [
      'predated, so that less is left',
      {},
      deprecated('2026-01-01', '2026-12-11'),
      'breaking sunset-too-soon',
    ],
    ['no end is told', {}, { 'list.deprecated': true }, 'breaking sunset-missing'],
    [
      '31 days for beta',
      { 'list.x-stability': 'beta' },
      { 'list.x-stability': 'beta', ...deprecated('2026-06-15', '2026-07-16') },
      'info deprecated',
    ],
    [
      '30 days for beta',
      { 'list.x-stability': 'beta' },
      { 'list.x-stability': 'beta', ...deprecated('2026-06-15', '2026-07-15') },
      'breaking sunset-too-soon',
    ],
    [
      'clients planned for the later day',
      deprecated('2026-01-01', '2027-02-01'),
      deprecated('2026-01-01', '2027-01-01'),
      'breaking sunset-earlier',
    ],
    [
      'it works longer',
      deprecated('2026-01-01', '2027-01-01'),
      deprecated('2026-01-01', '2027-02-01'),
      'info sunset-later',
    ],
    [
      'no end is told any more',
      deprecated('2026-01-01', '2027-01-01'),
      { 'list.deprecated': true },
      'breaking sunset-removed',
    ],
    [
      'an end is told',
      { 'list.deprecated': true },
      deprecated('2026-06-15', '2027-01-01'),
      'info sunset-added',
    ],
    ['it stays', deprecated('2026-01-01', '2027-01-01'), {}, 'info deprecation-withdrawn'],
    [
      'another way is named',
      { ...deprecated('2026-01-01', '2027-01-01'), 'list.x-successor': 'a' },
      { ...deprecated('2026-01-01', '2027-01-01'), 'list.x-successor': 'b' },
      'info successor-changed',
    ],
  ],
  parameters: [
    [
      'its name is only ours',
      {},
      {
        'paths./things/{id}': undefined,
        'paths./things/{thing}': {
          get: {
            operationId: 'getThing',
            parameters: [{ name: 'thing', in: 'path', required: true, schema: string }],
            responses: {
              200: { description: 'ok', content: { 'application/json': { schema: { type: 'object' } } } },
            },
          },
        },
      },
    ],
    [
      'requests lack it',
      {},
      { 'list.parameters.2': { ...page, required: true } },
      'breaking required-parameter-added',
    ],
    ['nobody has to send it', {}, { 'list.parameters.2': page }, 'info parameter-added'],
    ['requests that send it fail', { 'list.parameters.2': page }, {}, 'breaking parameter-removed'],
    [
      'its sunset has passed',
      { 'list.parameters.2': { ...page, deprecated: true, 'x-deprecated-sunset': '2026-01-01' } },
      {},
      'info parameter-removed',
    ],
    [
      'requests may lack it',
      {},
      { 'list.parameters.0.required': true },
      'breaking parameter-became-required',
    ],
    [
      'clients may leave it out',
      { 'list.parameters.0.required': true },
      {},
      'info parameter-became-optional',
    ],
    ['clients send it elsewhere', {}, { 'list.parameters.0.in': 'header' }, 'breaking parameter-moved'],
    [
      'headers have no case',
      { 'list.parameters.2': { name: 'X-A', in: 'header', schema: string } },
      { 'list.parameters.2': { name: 'x-a', in: 'header', schema: string } },
    ],
    [
      'it may stand at the path',
      { 'list.parameters': [page], 'create.parameters': [page] },
      { 'list.parameters': [], 'paths./things.parameters': [page] },
    ],
    ['other values', {}, { 'list.parameters.0.schema': { type: 'boolean' } }, 'breaking type-changed'],
    ['a number is a text too', {}, { 'list.parameters.0.schema': string }, 'info type-widened'],
    ['not each text is a number', { 'list.parameters.0.schema': string }, {}, 'breaking type-narrowed'],
    ['more values', {}, { 'list.parameters.0.schema': { type: 'number' } }, 'info type-widened'],
    ['fewer values', {}, { 'list.parameters.0.schema.maximum': 50 }, 'breaking maximum-narrowed'],
    [
      'silence means something else',
      { 'list.parameters.0.schema.default': 10 },
      { 'list.parameters.0.schema.default': 20 },
      'warning default-changed',
    ],
    [
      'lists are split otherwise',
      {},
      { 'list.parameters.1.explode': false },
      'breaking parameter-style-changed',
    ],
    [
      'one value is written the same',
      {},
      { 'list.parameters.0.style': 'form', 'list.parameters.0.explode': false },
    ],
    [
      'at the path it is one change',
      { 'paths./things.parameters': [page] },
      { 'paths./things.parameters': [{ ...page, schema: { type: 'boolean' } }] },
      'breaking type-changed',
    ],
    ['as it was, only said', {}, { 'list.parameters.1.explode': true, 'list.parameters.1.style': 'form' }],
    [
      'lists are split by another sign',
      {},
      { 'list.parameters.1.style': 'pipeDelimited' },
      'breaking parameter-style-changed',
    ],
    ['one value is never split', {}, { 'list.parameters.0.explode': false }],
    [
      'the value is wrapped otherwise',
      {},
      {
        'list.parameters.0': {
          name: 'limit',
          in: 'query',
          content: { 'application/json': { schema: integer } },
        },
      },
      'breaking parameter-style-changed',
    ],
    [
      'empty is refused',
      { 'list.parameters.0.allowEmptyValue': true },
      {},
      'breaking parameter-form-narrowed',
    ],
    ['ends in time', {}, { 'list.parameters.0.deprecated': true }, 'info deprecated'],
  ],
  'request bodies': [
    [
      'requests lack it',
      {},
      { 'get.requestBody': { required: true, ...media('text/plain') } },
      'breaking required-request-body-added',
    ],
    ['nobody has to send it', {}, { 'get.requestBody': media('text/plain') }, 'info request-body-added'],
    ['what clients send is lost', {}, { 'create.requestBody': undefined }, 'breaking request-body-removed'],
    [
      'requests may lack it',
      {},
      { 'create.requestBody.required': true },
      'breaking request-body-became-required',
    ],
    [
      'clients may leave it out',
      { 'create.requestBody.required': true },
      {},
      'info request-body-became-optional',
    ],
    [
      'clients send the old type',
      {},
      { 'create.requestBody': media('text/plain') },
      'breaking media-type-removed',
      'info media-type-added',
    ],
    [
      'clients may send another type',
      { 'create.requestBody': media('text/a') },
      { 'create.requestBody': { content: { 'text/a': { schema: string }, 'text/b': {} } } },
      'info media-type-added',
    ],
    [
      'parts are read otherwise',
      {},
      { 'create.requestBody.content.application/json.encoding': { a: { explode: false } } },
      'breaking encoding-changed',
    ],
    [
      'requests lack it',
      { body: object({}) },
      { body: object({ a: string }, { required: ['a'] }) },
      'breaking required-property-added',
    ],
    [
      'nobody has to send it',
      { body: object({}, closed) },
      { body: object({ a: string }, closed) },
      'info property-added',
    ],
    [
      'a closed object refuses it',
      { body: object({ a: string }, closed) },
      { body: object({}, closed) },
      'breaking property-removed',
    ],
    [
      'an open object only ignores it',
      { body: object({ a: string }) },
      { body: object({}) },
      'warning property-removed',
    ],
    [
      'it has to fit the others now',
      { body: object({ a: string }, { additionalProperties: integer }) },
      { body: object({}, { additionalProperties: integer }) },
      'breaking type-changed',
      'warning property-removed',
    ],
    [
      'its sunset has passed',
      { body: object({ a: { ...string, deprecated: true, 'x-deprecated-sunset': '2026-01-01' } }, closed) },
      { body: object({}, closed) },
      'info property-removed',
    ],
    [
      'clients can’t send it any more',
      { body: object({ a: string }, closed) },
      { body: object({ a: { ...string, readOnly: true } }, closed) },
      'breaking property-removed',
    ],
    [
      'clients never send it',
      { body: object({ a: { ...string, readOnly: true } }) },
      { body: object({ a: { ...string, readOnly: true } }, { required: ['a'] }) },
    ],
    [
      'neither holds the other',
      { body: { ...string, format: 'date' } },
      { body: { ...string, format: 'uuid' } },
      'breaking format-changed',
    ],
    [
      'neither holds the other',
      { body: { ...string, pattern: 'a' } },
      { body: { ...string, pattern: 'b' } },
      'breaking pattern-changed',
    ],
    [
      'neither holds the other',
      { body: { ...integer, multipleOf: 2 } },
      { body: { ...integer, multipleOf: 3 } },
      'breaking multiple-of-changed',
    ],
    ['listed values tell their type', { body: { enum: ['a'] } }, { body: { type: 'string', enum: ['a'] } }],
    ['other values have another type', { body: { enum: ['a'] } }, { body: integer }, 'breaking type-changed'],
    [
      'one value goes, one comes',
      { body: { enum: ['a', 'b'] } },
      { body: { enum: ['a', 'c'] } },
      'breaking enum-value-removed',
      'info enum-value-added',
    ],
    [
      'the sign moved',
      { body: { oneOf: [ref('Thing'), ref('Tree')], discriminator: { propertyName: 'kind' } } },
      { body: { oneOf: [ref('Thing'), ref('Tree')], discriminator: { propertyName: 'type' } } },
      'breaking discriminator-changed',
    ],
    [
      'the sign lost a value',
      {
        body: {
          oneOf: [ref('Thing'), ref('Tree')],
          discriminator: { propertyName: 'kind', mapping: { a: 'Thing', b: 'Tree' } },
        },
      },
      {
        body: {
          oneOf: [ref('Thing'), ref('Tree')],
          discriminator: { propertyName: 'kind', mapping: { a: 'Thing' } },
        },
      },
      'breaking discriminator-value-removed',
      'info discriminator-value-added',
    ],
    [
      'moved into allOf, it is the same',
      { body: object({ a: string, b: integer }, { required: ['a'] }) },
      { body: { allOf: [object({ a: string }, { required: ['a'] }), object({ b: integer })] } },
    ],
    ['moved behind a reference, it is the same', { body: object({ name: string }) }, { body: ref('Thing') }],
    [
      'moved into allOf with a text, it is the same',
      { body: ref('Thing') },
      { body: { allOf: [ref('Thing')], description: 'more' } },
    ],
    [
      'the order of alternatives means nothing',
      { body: { oneOf: [string, integer] } },
      { body: { oneOf: [integer, string] } },
    ],
    [
      'among integers, above 0 is from 1',
      { body: { ...integer, minimum: 0, exclusiveMinimum: true } },
      { body: { ...integer, minimum: 1 } },
    ],
    ['at least 0 characters says nothing', { body: string }, { body: { ...string, minLength: 0 } }],
  ],
  responses: [
    [
      'clients expect the success',
      {},
      { 'get.responses': { 201: { description: 'ok' } } },
      'breaking status-removed',
      'warning status-added',
    ],
    ['clients wait for the error', {}, { 'list.responses.404': undefined }, 'warning status-removed'],
    ['another success', {}, { 'get.responses.202': { description: 'later' } }, 'warning status-added'],
    ['another error', {}, { 'get.responses.409': { description: 'no' } }, 'info status-added'],
    [
      'the default had covered it',
      { 'get.responses.default': { description: 'no' } },
      { 'get.responses.default': { description: 'no' }, 'get.responses.500': { description: 'no' } },
    ],
    [
      'its range covers it, and more',
      { 'get.responses.404': { description: 'no' } },
      { 'get.responses.4XX': { description: 'no' } },
      'info status-added',
    ],
    [
      'clients read the old type',
      {},
      { 'get.responses.200.content': { 'text/plain': {} } },
      'breaking media-type-removed',
      'warning media-type-added',
    ],
    [
      'clients may get another type',
      {},
      { 'get.responses.200.content.text/plain': {} },
      'warning media-type-added',
    ],
    [
      'clients read it',
      { 'get.responses.200.headers': { A: { schema: string } } },
      {},
      'breaking header-removed',
    ],
    [
      'clients need not read it',
      {},
      { 'get.responses.200.headers': { 'X-A': { schema: string } } },
      'info header-added',
    ],
    [
      'clients rely on it',
      {},
      { 'list.responses.200.headers.X-Total.required': false },
      'breaking header-became-optional',
    ],
    [
      'clients always find it',
      { 'list.responses.200.headers.X-Total.required': false },
      {},
      'info header-became-required',
    ],
    [
      'clients read a number',
      {},
      { 'list.responses.200.headers.X-Total.schema': string },
      'breaking type-widened',
    ],
    [
      'its sunset has passed',
      {
        'list.responses.200.headers.X-Total.deprecated': true,
        'list.responses.200.headers.X-Total.x-deprecated-sunset': '2026-01-01',
      },
      { 'list.responses.200.headers': {} },
      'info header-removed',
    ],
    ['ends in time', {}, { 'list.responses.200.headers.X-Total.deprecated': true }, 'info deprecated'],
    [
      'a header may hold a media type',
      { 'get.responses.200.headers': { 'X-A': { content: { 'text/plain': { schema: string } } } } },
      { 'get.responses.200.headers': { 'X-A': { content: { 'text/plain': { schema: integer } } } } },
      'breaking type-changed',
    ],
    ['clients read it', { reply: object({ a: string }) }, { reply: object({}) }, 'breaking property-removed'],
    [
      'new fields are announced',
      { reply: object({}, closed) },
      { reply: object({ a: string }, { ...closed, required: ['a'] }) },
      'info required-property-added',
    ],
    ['clients never got it', { reply: object({ a: { ...string, writeOnly: true } }) }, { reply: object({}) }],
    [
      'clients do not know the value',
      { reply: { enum: ['a'] } },
      { reply: { enum: ['a', 'b'] } },
      'breaking enum-value-added',
    ],
    [
      'error codes are announced to be open',
      {},
      { 'error.properties.code.enum': ['a', 'b', 'c'] },
      'warning enum-value-added',
    ],
    ['errors are else held to the same', {}, { 'error.properties.code': integer }, 'breaking type-changed'],
    [
      'a default means nothing there',
      { reply: { ...string, default: 'a' } },
      { reply: { ...string, default: 'b' } },
      'info default-changed',
    ],
    [
      'through a reference and an array',
      {},
      { 'components.schemas.Thing.properties.name': integer },
      'breaking type-changed',
    ],
    [
      'a recursive schema ends, and its change is told once',
      { reply: ref('Tree') },
      { reply: ref('Tree'), 'components.schemas.Tree.properties.children.maxItems': 3 },
      'info max-items-narrowed',
    ],
    [
      'a recursive schema means what it unrolls to',
      { reply: ref('Tree') },
      { reply: object({ children: { type: 'array', items: ref('Tree') } }) },
    ],
  ],
  access: [
    ['a key is needed', { security: [] }, {}, 'breaking security-added'],
    ['no key is needed', {}, { security: [] }, 'info security-relaxed'],
    ['anonymous callers were let in', { security: [{}, { Key: [] }] }, {}, 'breaking security-added'],
    [
      'a second credential is needed',
      {},
      { security: [{ Key: [], Token: [] }] },
      'breaking security-changed',
    ],
    [
      'another credential is enough too',
      {},
      { security: [{ Key: [] }, { Token: [] }] },
      'info security-relaxed',
    ],
    ['another credential is needed', {}, { security: [{ Token: [] }] }, 'breaking security-changed'],
    [
      'a scope more is needed',
      { security: [{ Token: ['a'] }] },
      { security: [{ Token: ['a', 'b'] }] },
      'breaking security-changed',
    ],
    [
      'the key goes elsewhere',
      {},
      { 'components.securitySchemes.Key.name': 'X-Key' },
      'breaking security-changed',
    ],
    [
      'a scheme’s name is only ours',
      {},
      {
        security: [{ Other: [] }],
        'components.securitySchemes.Other': { type: 'apiKey', in: 'header', name: 'X-API-Key' },
      },
    ],
    ['said at each operation, it is the same', {}, { 'list.security': [{ Key: [] }] }],
    ['keys lack the other scope', {}, { 'list.x-required-scope': 'admin' }, 'breaking scope-changed'],
    ['keys lack the scope', {}, { 'get.x-required-scope': 'read' }, 'breaking scope-added'],
    ['more keys will do', {}, { 'list.x-required-scope': undefined }, 'info scope-removed'],
    ['it was free', { 'get.x-quota-free': true }, {}, 'breaking quota-counted'],
    ['it is free', {}, { 'get.x-quota-free': true }, 'info quota-free'],
  ],
  servers: [
    [
      'clients call the old one',
      {},
      { 'servers.0.url': 'https://{region}.test' },
      'breaking server-removed',
      'info server-added',
    ],
    ['clients may call another', {}, { 'servers.1': { url: 'https://two.example' } }, 'info server-added'],
    [
      'silence means another',
      {},
      { 'servers.0.variables.region.default': 'us' },
      'warning server-variable-default-changed',
    ],
    [
      'clients call that region',
      {},
      { 'servers.0.variables.region.enum': ['eu'] },
      'breaking server-variable-value-removed',
    ],
    [
      'a region more',
      {},
      { 'servers.0.variables.region.enum': ['eu', 'us', 'asia'] },
      'info server-variable-value-added',
    ],
    [
      'one operation moves',
      {},
      { 'get.servers': [{ url: 'https://two.example' }] },
      'breaking server-removed',
      'info server-added',
    ],
  ],
  limits: [
    ['less a minute', {}, { 'limits.plans.Free.minute': 50 }, 'breaking quota-harsher'],
    ['more a minute', {}, { 'limits.plans.Free.minute': 70 }, 'info quota-milder'],
    ['a plan is gone', {}, { 'limits.plans.Pro': undefined }, 'breaking plan-removed'],
    ['a plan is new', {}, { 'limits.plans.Team': { minute: 100 } }, 'info plan-added'],
    ['fixed instead of agreed', {}, { 'limits.plans.Big': { minute: 100 } }, 'breaking plan-custom-harsher'],
    ['agreed instead of fixed', {}, { 'limits.plans.Pro': { custom: true } }, 'info plan-custom-milder'],
    ['the same number for longer', {}, { 'limits.windows.0.seconds': 120 }, 'breaking window-harsher'],
    ['the same number for less time', {}, { 'limits.windows.0.seconds': 30 }, 'info window-milder'],
    ['callers without a key get more', {}, { 'limits.anonymous': 'Pro' }, 'info anonymous-milder'],
    ['callers without a key get less', { 'limits.anonymous': 'Pro' }, {}, 'breaking anonymous-harsher'],
    ['banned for longer', {}, { 'limits.ban.seconds': 1000 }, 'breaking ban-seconds-harsher'],
    ['banned for less', {}, { 'limits.ban.seconds': 60 }, 'info ban-seconds-milder'],
    ['banned sooner', {}, { 'limits.ban.refusals': 10 }, 'breaking ban-refusals-harsher'],
    ['banned later', {}, { 'limits.ban.refusals': 30 }, 'info ban-refusals-milder'],
    ['a ban comes', { 'limits.ban': undefined }, {}, 'breaking ban-harsher'],
    ['a ban goes', {}, { 'limits.ban': undefined }, 'info ban-milder'],
    ['kept for less', {}, { 'lifetimes.replies.seconds': 60 }, 'breaking lifetime-shorter'],
    ['kept for longer', {}, { 'lifetimes.replies.seconds': 90_000 }, 'info lifetime-longer'],
    ['kept for ever', {}, { 'lifetimes.replies': undefined }, 'info lifetime-longer'],
    ['others mean something else by it', { limits: 'on demand' }, { limits: { windows: { minute: 60 } } }],
  ],
  ...callbackRows,
  ...linkRows,
  texts: [
    ['a description', {}, { 'list.description': 'All things.' }],
    ['a summary', {}, { 'list.summary': 'Things' }],
    ['an example', {}, { 'components.schemas.Thing.example': { name: 'a' } }],
    ['a schema that nothing uses', {}, { 'components.schemas.More': string }],
  ],
}

describe.each(Object.entries(rows))('%s', (_group, pairs) => {
  test.each(
    pairs.map(([why, before, after, ...expected]) => ({
      why,
      before,
      after,
      expected,
      verdict: expected.join(', ') || 'nothing',
    })),
  )('$why: $verdict', async ({ before, after, expected }) => {
    expect((await verdicts(before, after)).sort()).toEqual(expected.sort())
  })
})

test('a document against itself gives nothing', async () => {
  expect(judge(await read(tinyDocument({})), await read(tinyDocument({})), today)).toEqual([])
})

test('a change of a shared schema is one finding that names every place', async () => {
  const after = tinyDocument(
    { 'components.schemas.Thing.properties.name': integer, reply: ref('Thing') },
    '2.0.0',
  )
  const [finding] = judge(await read(tinyDocument({ reply: ref('Thing') })), await read(after), today)
  expect(finding).toMatchObject({
    pointer: '#/components/schemas/Thing/properties/name/type',
    places: [
      'GET /things (listThings) response 200 [].name',
      'GET /things/{id} (getThing) response 200 .name',
    ],
    what: 'string became integer',
  })
})

test.each([
  ['nothing changed', {}, '1.0.0', '1.0.0', []],
  ['nothing but the version changed', {}, '1.0.0', '1.0.1', []],
  ['a text without a new version', { 'list.description': 'All.' }, '1.0.0', '1.0.0', ['version-bump']],
  ['a text with a patch', { 'list.description': 'All.' }, '1.0.0', '1.0.1', []],
  ['an addition with a patch', { 'list.parameters.2': page }, '1.0.0', '1.0.1', ['version-bump']],
  ['an addition with a minor version', { 'list.parameters.2': page }, '1.0.0', '1.1.0', []],
  ['a warning with a patch', { 'list.parameters.0.schema.default': 5 }, '1.0.0', '1.0.1', ['version-bump']],
  [
    'a break with a minor version',
    { list: undefined },
    '1.0.0',
    '1.9.0',
    ['operation-removed', 'version-bump'],
  ],
  ['a break with a major version', { list: undefined }, '1.0.0', '2.0.0', ['operation-removed']],
  [
    'a break on the way to a major version',
    { list: undefined },
    '1.0.0',
    '2.0.0-rc.1',
    ['operation-removed'],
  ],
  ['a break before 1.0.0 with a minor version', { list: undefined }, '0.1.0', '0.2.0', ['operation-removed']],
  [
    'a break before 1.0.0 with a patch',
    { list: undefined },
    '0.1.0',
    '0.1.1',
    ['operation-removed', 'version-bump'],
  ],
  ['a version that goes back', {}, '1.2.0', '1.1.9', ['version-backwards']],
  ['1.10.0 after 1.9.0', { 'list.parameters.2': page }, '1.9.0', '1.10.0', []],
])('%s: version %j', async (_what, changes, before, after, rules) => {
  const findings = judge(
    await read(tinyDocument({}, before)),
    await read(tinyDocument(changes, after)),
    today,
  )
  expect(findings.filter(({ severity }) => severity === 'breaking').map(({ rule }) => rule)).toEqual(rules)
})
