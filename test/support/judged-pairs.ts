import type { Changes } from './pairs.ts'

const string = { type: 'string' }
const integer = { type: 'integer' }
const number = { type: 'number' }
const object = (properties: object, more: object = {}) => ({ type: 'object', properties, ...more })
const strict = (properties: object) =>
  object(properties, { required: Object.keys(properties), additionalProperties: false })
const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` })
const one = (...oneOf: object[]) => ({ oneOf })
const any = (...anyOf: object[]) => ({ anyOf })
const all = (...allOf: object[]) => ({ allOf })
const list = (items: object, more: object = {}) => ({ type: 'array', items, ...more })
const pattern = (text: string, more: object = {}) => ({ ...string, pattern: text, ...more })
const by = (propertyName: string, mapping?: object) => ({
  discriminator: { propertyName, ...(mapping && { mapping }) },
})

/** Schemas that the pairs below refer to. */
const components = {
  Cat: object({ kind: string, claws: integer }, { required: ['kind', 'claws'] }),
  Dog: object({ kind: string, tail: string }, { required: ['kind', 'tail'] }),
  Kitten: object({ kind: string, claws: integer }, { required: ['kind', 'claws'] }),
  Named: object({ name: string }, { required: ['name'] }),
  Chain: object({ next: ref('Chain'), value: integer }),
  Ring: object({ next: object({ next: ref('Ring'), value: integer }), value: integer }),
}

/**
 * What a reader of OpenAPI would say of two schemas: of the way there and of the way back, each in a request and in a
 * response. `B` is breaking, `w` a warning, `.` neither.
 */
export const schemaPairs: [what: string, one: object, other: object, verdict: string][] = [
  // numbers
  ['steps of 0.1, of 0.01', { ...number, multipleOf: 0.1 }, { ...number, multipleOf: 0.01 }, '.B B.'],
  ['steps of 0.3, of 0.1', { ...number, multipleOf: 0.3 }, { ...number, multipleOf: 0.1 }, '.B B.'],
  ['steps of 0.1, of 0.25', { ...number, multipleOf: 0.1 }, { ...number, multipleOf: 0.25 }, 'BB BB'],
  [
    'steps of 2, of 2 and 3',
    all(integer, { multipleOf: 2 }),
    all(integer, { multipleOf: 2 }, { multipleOf: 3 }),
    'B. .B',
  ],
  [
    'steps of 2 and 3, of 6',
    all(integer, { multipleOf: 2 }, { multipleOf: 3 }),
    { ...integer, multipleOf: 6 },
    '.. ..',
  ],
  [
    'steps of 4 and 6, of 24',
    all(integer, { multipleOf: 4 }, { multipleOf: 6 }),
    { ...integer, multipleOf: 24 },
    'B. .B',
  ],
  ['integers, multiples of 1', integer, { ...integer, multipleOf: 1 }, '.. ..'],
  ['integers, whole numbers', integer, { ...number, multipleOf: 1 }, '.. ..'],
  ['integers above 1.5, from 2', { ...integer, minimum: 1.5 }, { ...integer, minimum: 2 }, '.. ..'],
  ['listed numbers, with a bound that all keep', { enum: [1, 2] }, { enum: [1, 2], minimum: 0 }, '.. ..'],
  [
    'listed numbers, with a bound',
    { ...integer, enum: [1, 2] },
    { ...integer, enum: [1, 2], minimum: 2 },
    'B. .B',
  ],
  [
    'multiples of 5 to 9, of 5 to 7',
    { ...integer, multipleOf: 5, minimum: 0, maximum: 9 },
    { ...integer, multipleOf: 5, minimum: 0, maximum: 7 },
    '.. ..',
  ],
  [
    'below 10, up to 10',
    { ...number, maximum: 10, exclusiveMaximum: true },
    { ...number, maximum: 10 },
    '.B B.',
  ],
  [
    'below 10, up to 9 among integers',
    { ...integer, maximum: 10, exclusiveMaximum: true },
    { ...integer, maximum: 9 },
    '.. ..',
  ],
  // texts
  ['letters, anything by `.*`', pattern('^[a-z]+$'), pattern('.*'), '.B B.'],
  ['anything, `.*`', string, pattern('.*'), '.. ..'],
  ['small letters, all letters', pattern('^[a-z]+$'), pattern('^[A-Za-z]+$'), '.B B.'],
  ['digits in two notations', pattern('^\\d{3}$'), pattern('^[0-9][0-9][0-9]$'), '.. ..'],
  ['letters, digits', pattern('^[a-z]+$'), pattern('^[0-9]+$'), 'BB BB'],
  ['up to 50 letters, up to 49', pattern('^[a-z]{1,50}$'), pattern('^[a-z]{1,49}$'), 'B. .B'],
  ['a or b, in two notations', pattern('^(a|b)$'), pattern('^[ab]$'), '.. ..'],
  ['an anchor less', pattern('^a$'), pattern('^a'), '.B B.'],
  [
    'three letters, and their length',
    pattern('^[a-z]{3}$'),
    pattern('^[a-z]{3}$', { maxLength: 3 }),
    '.. ..',
  ],
  ['two patterns, the first', all(pattern('^a'), pattern('b$')), pattern('^a'), '.B B.'],
  ['a pattern that looks ahead, another', pattern('^(?=.*a)[a-z]+$'), pattern('^(?=.*b)[a-z]+$'), 'BB BB'],
  ['any text, one to hide', string, { ...string, format: 'password' }, '.. ..'],
  ['any text, a date', string, { ...string, format: 'date' }, 'B. .B'],
  [
    'listed texts, also by length',
    { ...string, enum: ['a', 'bc'] },
    { ...string, enum: ['a', 'bc'], maxLength: 2 },
    '.. ..',
  ],
  // objects
  ['open by silence, by `{}`', object({}), object({}, { additionalProperties: {} }), '.. ..'],
  [
    'open by `{}`, by `true`',
    object({}, { additionalProperties: {} }),
    object({}, { additionalProperties: true }),
    '.. ..',
  ],
  [
    'open by a text, by `true`',
    object({}, { additionalProperties: { description: 'any' } }),
    object({}),
    '.. ..',
  ],
  ['items of any kind, said or not', { type: 'array' }, list({}), '.. ..'],
  [
    'closed, open by `{}`',
    strict({ a: string }),
    { ...strict({ a: string }), additionalProperties: {} },
    '.B B.',
  ],
  [
    'a map of texts, with a number among them',
    object({}, { additionalProperties: string }),
    object({ a: integer }, { additionalProperties: string }),
    'BB BB',
  ],
  [
    'a map of texts, with one of them named',
    object({}, { additionalProperties: string }),
    object({ a: string }, { additionalProperties: string }),
    '.. wB',
  ],
  [
    'the order of names',
    object({ a: string, b: string }, { required: ['a', 'b'] }),
    object({ b: string, a: string }, { required: ['b', 'a'] }),
    '.. ..',
  ],
  ['an example more', object({ a: string }), object({ a: { ...string, example: 'x' } }), '.. ..'],
  [
    'an extension within',
    object({ a: string }),
    object({ a: { ...string, 'x-note': 1 } }, { 'x-note': 2 }),
    '.. ..',
  ],
  // unions
  ['one of two, in another order', one(string, integer), one(integer, string), '.. ..'],
  ['one or any of two that exclude each other', one(string, integer), any(string, integer), '.. ..'],
  [
    'one or any of two that overlap',
    one(object({ a: string }), object({ b: string })),
    any(object({ a: string }), object({ b: string })),
    '.B B.',
  ],
  ['a third that overlaps none', one(string, integer), one(string, integer, { type: 'boolean' }), '.B B.'],
  [
    'a third that overlaps one',
    one({ ...string, maxLength: 5 }, integer),
    one({ ...string, maxLength: 5 }, integer, { ...string, minLength: 5 }),
    'BB B.',
  ],
  [
    'one of them widened into the other',
    one({ ...integer, maximum: 5 }, { ...integer, minimum: 6 }),
    one({ ...integer, maximum: 6 }, { ...integer, minimum: 6 }),
    'B. ..',
  ],
  ['a union with a title', any(string, integer), { ...any(string, integer), title: 'Either' }, '.. ..'],
  [
    'a union, with a third, beside a type',
    { type: 'object', ...any(ref('Cat'), ref('Dog')) },
    { type: 'object', ...any(ref('Cat'), ref('Dog'), ref('Named')) },
    '.B B.',
  ],
  ['a schema, or another too', ref('Cat'), any(ref('Cat'), ref('Dog')), '.B B.'],
  ['a schema, or another too, within allOf', ref('Cat'), all(any(ref('Cat'), ref('Dog'))), '.B B.'],
  [
    'a schema, or another too, beside a type',
    ref('Cat'),
    { type: 'object', ...any(ref('Cat'), ref('Dog')) },
    '.B B.',
  ],
  [
    'a schema, or another too, with a text',
    ref('Cat'),
    { description: 'either', ...one(ref('Cat'), ref('Named')) },
    '.B B.',
  ],
  [
    'a union, and the same within allOf',
    any(ref('Cat'), ref('Dog')),
    all(any(ref('Cat'), ref('Dog'))),
    '.. ..',
  ],
  ['a union of one, the one', one(ref('Cat')), ref('Cat'), '.. ..'],
  ['a union of the same twice, the one', any(string, string), string, '.. ..'],
  ['any of a part and the whole, the whole', any({ ...string, maxLength: 3 }, string), string, '.. ..'],
  [
    'a union within a union, flat',
    any(any(string, integer), { type: 'boolean' }),
    any(string, integer, { type: 'boolean' }),
    '.. ..',
  ],
  [
    'common keywords around a union, within',
    { type: 'object', required: ['a'], ...any(object({ a: string }), object({ a: integer })) },
    any(object({ a: string }, { required: ['a'] }), object({ a: integer }, { required: ['a'] })),
    '.. ..',
  ],
  [
    'a union of listed texts, one list',
    one({ ...string, enum: ['a'] }, { ...string, enum: ['b'] }),
    { ...string, enum: ['a', 'b'] },
    '.. ..',
  ],
  [
    'two unions, one of them',
    all(any(string, integer), any(string, { type: 'boolean' })),
    any(string, integer),
    '.B B.',
  ],
  ['null by a union, by nullable', one(string, { enum: [null] }), { ...string, nullable: true }, '.. ..'],
  [
    'an alternative narrowed that another holds',
    any({ ...integer, maximum: 5 }, integer),
    any({ ...integer, maximum: 3 }, integer),
    '.. ..',
  ],
  [
    'a nested alternative narrowed',
    object({ a: any({ ...string, maxLength: 5 }, integer) }),
    object({ a: any({ ...string, maxLength: 4 }, integer) }),
    'B. .B',
  ],
  // not
  [
    'all but a, all but a and b',
    { ...string, not: { enum: ['a'] } },
    { ...string, not: { enum: ['a', 'b'] } },
    'B. .B',
  ],
  ['not a number, for a text', string, { ...string, not: integer }, '.. ..'],
  ['twice not', { not: { not: string } }, string, '.. ..'],
  [
    'first under not, then plain',
    object({ a: { not: ref('Named') }, b: ref('Named') }),
    object({
      a: { not: object({ name: integer }, { required: ['name'] }) },
      b: object({ name: integer }, { required: ['name'] }),
    }),
    'BB BB',
  ],
  [
    'not any of two, not the one',
    { ...string, not: any({ enum: ['a'] }, { enum: ['b'] }) },
    { ...string, not: { enum: ['a'] } },
    '.B B.',
  ],
  // discriminators
  [
    'one that demands a property',
    one(object({ kind: string }), integer),
    { ...one(object({ kind: string }), integer) },
    '.. ..',
  ],
  [
    'a discriminator comes',
    any(ref('Cat'), ref('Dog')),
    { ...any(ref('Cat'), ref('Dog')), ...by('kind') },
    'B. .B',
  ],
  [
    'said by names, by a mapping',
    { ...one(ref('Cat'), ref('Dog')), ...by('kind') },
    { ...one(ref('Cat'), ref('Dog')), ...by('kind', { Cat: ref('Cat').$ref, Dog: ref('Dog').$ref }) },
    '.. ..',
  ],
  [
    'other values',
    { ...one(ref('Cat'), ref('Dog')), ...by('kind', { cat: ref('Cat').$ref, dog: ref('Dog').$ref }) },
    { ...one(ref('Cat'), ref('Dog')), ...by('kind', { cat: ref('Cat').$ref, hound: ref('Dog').$ref }) },
    'BB BB',
  ],
  [
    'values that change places',
    { ...one(ref('Cat'), ref('Dog')), ...by('kind', { a: ref('Cat').$ref, b: ref('Dog').$ref }) },
    { ...one(ref('Cat'), ref('Dog')), ...by('kind', { b: ref('Cat').$ref, a: ref('Dog').$ref }) },
    'BB BB',
  ],
  [
    'another schema that says the same, for a value',
    { ...one(ref('Cat'), ref('Dog')), ...by('kind', { a: ref('Cat').$ref }) },
    { ...one(ref('Kitten'), ref('Dog')), ...by('kind', { a: ref('Kitten').$ref }) },
    '.. ..',
  ],
  [
    'another name, where names are values',
    { ...one(ref('Cat'), ref('Dog')), ...by('kind') },
    { ...one(ref('Kitten'), ref('Dog')), ...by('kind') },
    'BB BB',
  ],
  [
    'a third, told apart by its name',
    { ...one(ref('Cat'), ref('Dog')), ...by('kind') },
    { ...one(ref('Cat'), ref('Dog'), ref('Kitten')), ...by('kind') },
    '.B B.',
  ],
  // shapes
  ['a recursive schema, unrolled once', ref('Chain'), ref('Ring'), '.. ..'],
  ['allOf in another order', all(ref('Cat'), ref('Named')), all(ref('Named'), ref('Cat')), '.. ..'],
  [
    'in allOf, and taken together',
    all(object({ a: string }), object({ b: integer })),
    object({ a: string, b: integer }),
    '.. ..',
  ],
  ['texts, or numbers', string, integer, 'BB BB'],
  [
    'truth values, both of them listed',
    { type: 'boolean' },
    { type: 'boolean', enum: [true, false] },
    '.. ..',
  ],
]

const at = (name: string, schema: object, more: object = {}) => ({
  'list.parameters': [{ name, in: 'query', schema, ...more }],
})
const path = (schema: object) => ({ 'get.parameters': [{ name: 'id', in: 'path', required: true, schema }] })
const error = (schema: object) => ({ description: 'no', content: { 'application/json': { schema } } })
const key = (more: object) => ({
  'components.securitySchemes.Key': { type: 'apiKey', in: 'header', name: 'X-API-Key', ...more },
})
const oauth = (flows: object) => ({ 'components.securitySchemes.Key': { type: 'oauth2', flows } })
const flow = { tokenUrl: 'https://a.example/token', scopes: { read: 'Read' } }
const server = (url: string) => ({ servers: [{ url }] })
const media = (...types: string[]) => ({
  'create.requestBody': { content: Object.fromEntries(types.map(type => [type, {}])) },
})
const answer = (...types: string[]) => ({
  'get.responses.200.content': Object.fromEntries(types.map(type => [type, {}])),
})
const codes = (...names: string[]) => ({ 'list.responses.404.x-codes': names })
const [narrow, wide] = [object({ a: { ...string, maxLength: 4 } }), object({ a: string })]
const pet = (more: object = {}) => ({
  'components.schemas.Pet': object({ kind: string }, { required: ['kind'], ...by('kind') }),
  'components.schemas.Fish': all(ref('Pet'), object({ fins: integer })),
  body: ref('Pet'),
  reply: ref('Pet'),
  ...more,
})

/** The same for two documents: of the way there, and of the way back. */
export const documentPairs: [what: string, one: Changes, other: Changes, verdict: string][] = [
  // statuses
  [
    'an error under the default, as it is there',
    { 'get.responses.default': error(wide) },
    { 'get.responses.default': error(wide), 'get.responses.404': error(wide) },
    '..',
  ],
  [
    'an error under the default, stricter',
    { 'get.responses.default': error(wide) },
    { 'get.responses.default': error(wide), 'get.responses.404': error(narrow) },
    '.B',
  ],
  [
    'an error under the default, of another kind',
    { 'get.responses.default': error(wide) },
    { 'get.responses.default': error(wide), 'get.responses.404': error(string) },
    'BB',
  ],
  [
    'an error under its range, wider',
    { 'get.responses.4XX': error(narrow) },
    { 'get.responses.4XX': error(narrow), 'get.responses.404': error(wide) },
    'B.',
  ],
  [
    'a range under the default, of another kind',
    { 'get.responses.default': error(wide) },
    { 'get.responses.default': error(wide), 'get.responses.5XX': error(string) },
    'BB',
  ],
  [
    'a success beside a default for errors',
    { 'get.responses.default': error(wide) },
    { 'get.responses.default': error(wide), 'get.responses.202': error(string) },
    'wB',
  ],
  [
    'a success where the default is all',
    { 'get.responses': { default: error(wide) } },
    { 'get.responses': { default: error(wide), 200: error(string) } },
    'BB',
  ],
  [
    'a success under its range',
    { 'get.responses': { '2XX': error(wide) } },
    { 'get.responses': { '2XX': error(wide), 201: error(string) } },
    'BB',
  ],
  // media types
  ['any image, PNG in a request', media('image/*'), media('image/png'), 'B.'],
  ['anything, PNG in a request', media('*/*'), media('image/png'), 'B.'],
  ['PNG, PNG or any image', media('image/png'), media('image/png', 'image/*'), '.B'],
  ['any image, PNG in a response', answer('image/*'), answer('image/png'), '.w'],
  ['JSON, JSON in UTF-8', answer('application/json'), answer('application/json; charset=utf-8'), '..'],
  ['a type in other letters', media('application/json'), media('Application/JSON'), '..'],
  ['a type with a version, without', media('application/json;version=1'), media('application/json'), '.B'],
  // security
  ['an extension of a scheme', key({}), key({ 'x-rotation': 90 }), '..'],
  ['a text of a scheme', key({}), key({ description: 'A key.' }), '..'],
  ['a header in other letters', key({}), key({ name: 'x-api-key' }), '..'],
  ['another header', key({}), key({ name: 'X-Key' }), 'BB'],
  [
    'a scheme in other letters',
    key({ type: 'http', scheme: 'bearer' }),
    key({ type: 'http', scheme: 'Bearer' }),
    '..',
  ],
  [
    'a hint of what a token looks like',
    key({ type: 'http', scheme: 'bearer' }),
    key({ type: 'http', scheme: 'bearer', bearerFormat: 'JWT' }),
    '..',
  ],
  [
    'a flow more',
    oauth({ clientCredentials: flow }),
    oauth({ clientCredentials: flow, password: flow }),
    '.B',
  ],
  [
    'another address for tokens',
    oauth({ clientCredentials: flow }),
    oauth({ clientCredentials: { ...flow, tokenUrl: 'https://b.example/token' } }),
    'BB',
  ],
  [
    'a scope that is offered',
    oauth({ clientCredentials: flow }),
    oauth({ clientCredentials: { ...flow, scopes: { read: 'Read', write: 'Write' } } }),
    '..',
  ],
  [
    'an extension of a flow',
    oauth({ clientCredentials: flow }),
    oauth({ clientCredentials: { ...flow, 'x-note': 1 } }),
    '..',
  ],
  // servers
  ['a slash at the end', server('https://a.example/v1'), server('https://a.example/v1/'), '..'],
  ['a host in other letters', server('https://A.example'), server('https://a.example'), '..'],
  ['a path in other letters', server('https://a.example/V1'), server('https://a.example/v1'), 'BB'],
  // what a URL writes
  ['a number, a text in the query', at('q', integer), at('q', string), '.B'],
  ['a number, a text in the path', path(integer), path(string), '.B'],
  [
    'a number, a text in a header',
    at('q', integer, { in: 'header' }),
    at('q', string, { in: 'header' }),
    '.B',
  ],
  ['a truth value, a text in the query', at('q', { type: 'boolean' }), at('q', string), '.B'],
  [
    'a truth value, its two texts',
    at('q', { type: 'boolean' }),
    at('q', { ...string, enum: ['true', 'false'] }),
    '..',
  ],
  [
    'listed numbers, listed texts',
    at('q', { ...integer, enum: [1, 2] }),
    at('q', { ...string, enum: ['1', '2'] }),
    '..',
  ],
  ['numbers, short texts', at('q', integer), at('q', { ...string, maxLength: 2 }), 'BB'],
  ['numbers, texts that are UUIDs', path(integer), path({ ...string, format: 'uuid' }), 'BB'],
  ['lists of numbers, of texts', at('q', list(integer)), at('q', list(string)), '.B'],
  ['a number, a truth value', at('q', integer), at('q', { type: 'boolean' }), 'BB'],
  [
    'JSON in a parameter is no text',
    { 'list.parameters': [{ name: 'q', in: 'query', content: { 'application/json': { schema: integer } } }] },
    { 'list.parameters': [{ name: 'q', in: 'query', content: { 'application/json': { schema: string } } }] },
    'BB',
  ],
  // inheritance
  [
    'an heir more',
    pet(),
    pet({ 'components.schemas.Bird': all(ref('Pet'), object({ wings: integer })) }),
    'BB',
  ],
  [
    'an heir changed',
    pet(),
    pet({ 'components.schemas.Fish': all(ref('Pet'), object({ fins: string })) }),
    'BB',
  ],
  [
    'an heir of an heir',
    pet({ 'components.schemas.Eel': all(ref('Fish'), object({ volts: integer })) }),
    pet({ 'components.schemas.Eel': all(ref('Fish'), object({ volts: string })) }),
    'BB',
  ],
  [
    'an heir with a text',
    pet(),
    pet({
      'components.schemas.Fish': { ...all(ref('Pet'), object({ fins: integer })), description: 'Swims.' },
    }),
    '..',
  ],
  // codes
  ['a code more', codes('a'), codes('a', 'b'), 'ww'],
  ['codes in another order', codes('a', 'b'), codes('b', 'a'), '..'],
  ['codes that were not named', {}, codes('a'), '.w'],
  // extensions and encodings
  ['an extension of an operation', {}, { 'list.x-internal': true }, '..'],
  ['an extension of a parameter', {}, { 'list.parameters.0.x-note': 1 }, '..'],
  [
    'an extension of an encoding',
    { 'create.requestBody.content.application/json.encoding': { a: { contentType: 'text/plain' } } },
    {
      'create.requestBody.content.application/json.encoding': {
        a: { contentType: 'text/plain', 'x-note': 1 },
      },
    },
    '..',
  ],
  [
    'another type of a part',
    { 'create.requestBody.content.application/json.encoding': { a: { contentType: 'text/plain' } } },
    { 'create.requestBody.content.application/json.encoding': { a: { contentType: 'image/png' } } },
    'BB',
  ],
  ['an extension of the document', {}, { 'x-owner': { team: 'pets' } }, '..'],
]

/** The components of both documents of a pair of schemas. */
export const withComponents: Changes = Object.fromEntries(
  Object.entries(components).map(([name, schema]) => [`components.schemas.${name}`, schema]),
)
