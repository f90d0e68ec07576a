import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createConfig } from '@redocly/openapi-core'
import { examineDocument, notesOn, rulesFor } from 'spec-served-cli/internal/lint/lint'
import { redoclyRemedies } from 'spec-served-cli/internal/lint/redocly-remedies'
import { mended } from 'spec-served-cli/internal/lint/violation'
import { type Form, forms, shapeMeant } from 'spec-served-document/reading/grammar'
import { runScript } from 'spec-served-lab/support/command'
import { sharedDirectory } from 'spec-served-lab/support/fixtures'
import { modelFrom } from 'spec-served-lab/support/model'
import { violationsOf } from 'spec-served-lab/support/remedies'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'

const petstore = parse(await readFile('spec/openapi.yaml', 'utf8'))
const rules = rulesFor.full

/** The beginnings of places, by the words that stand for them. */
const places: Record<string, string> = {
  pets: 'paths /pets get',
  create: 'paths /pets post',
  pet: 'paths /pets/{petId} get',
  order: 'paths /store/orders post',
  schemas: 'components schemas',
}
const placeOf = (words: string) => words.replace(/^\w+/, word => places[word] ?? word).split(' ')

const inline = { description: 'd', content: { 'application/json': { schema: { type: 'object' } } } }
const petOf = { of: { petId: 'path.petId' } }

/** The mends and messages by the rule that is broken. A mend without a value leaves its place out. */
const broken: [rule: string, at: string, value: unknown, remedy: RegExp][] = [
  ['known-extensions', 'pets x-stabilty', 'beta', /Leave out: x-stabilty\. Write at .*: x-stability: beta/],
  ['known-extensions', 'schemas Pet x-nobody', 1, /Leave out: x-nobody\./],
  ['stability', 'pets x-stability', 'betta', /Write: x-stability: beta$/],
  ['stability', 'pets x-stability', 'alpha', /Decide: one of experimental, beta; else leave it out/],
  ['lifecycle', 'pet deprecated', undefined, /Write: deprecated: true/],
  ['lifecycle', 'pet deprecated', undefined, /Leave out: responses.410/],
  ['lifecycle', 'pet x-deprecated-sunset', undefined, /Write: x-deprecated-sunset: 2026-12-02/],
  ['lifecycle', 'pet x-deprecated-at', undefined, /Write: x-deprecated-at: 2030-06-08/],
  ['lifecycle', 'pets deprecated', true, /Decide: when it ends; `npx spec-served deprecate listPets/],
  [
    'lifecycle',
    'pets deprecated',
    true,
    /Write: responses: \{ "410": \{ \$ref: "#\/components\/responses\/Gone" \} \}/,
  ],
  ['lifecycle', 'pet x-deprecated-sunset', '2030-02-30', /Decide: which day/],
  ['lifecycle', 'pet x-deprecated-sunset', '2026-08-01', /Write: x-deprecated-sunset: 2026-12-02/],
  ['successor', 'pet x-successor', 'listPet', /Write: x-successor: listPets/],
  ['successor', 'pet x-successor', 'nothing', /Decide: one of listPets, .*; else leave it out/],
  ['successor', 'pet x-successor', 'getPet', /Leave out: x-successor\. Leave out at .*: x-successor-url\./],
  ['successor', 'pet x-successor', undefined, /Leave out: x-successor-url/],
  ['successor', 'pets x-successor', 'getUsage', /Leave out: x-successor\./],
  ['successor', 'pet x-successor-url', '/pets?id={petId}', /Write: x-successor-url: \/pets$/],
  ['successor', 'pet x-successor-url', '/pets?ids={id}', /Write: x-successor-url: \/pets$/],
  ['tags', 'pets tags', ['Animal'], /Write: - Animals/],
  ['tags', 'pets tags', ['Store'], /Decide: one of Orders, Inventory/],
  ['tags', 'pets tags', ['Animals', 'Orders'], /Write: tags: \[Animals\]/],
  ['tags', 'tags 1 x-parent', 'Pest', /Write: x-parent: Pets$/],
  ['tags', 'tags 1 x-parent', 'Shop', /Decide: one of Pets, Store/],
  ['scopes', 'pets x-required-scope', undefined, /Write: x-required-scope: read/],
  ['scopes', 'create x-required-scope', 'see', /Write: x-required-scope: write/],
  ['scopes', 'paths /health get x-required-scope', 'read', /Leave out: x-required-scope/],
  ['rate-limits', 'x-rate-limits ban', undefined, /Write: ban: \{ refusals: 20, /],
  [
    'rate-limits',
    'x-rate-limits ban window',
    'hour',
    /^window of the ban must be one of minute, day\. Write: window: minute$/,
  ],
  ['rate-limits', 'x-rate-limits anonymous', 'Nobody', /Write: anonymous: Free/],
  [
    'rate-limits',
    'x-rate-limits plans Pro',
    { minute: 5 },
    /Decide: how many .* Pro: \{ minute: 5, day: 1000 \}/,
  ],
  ['rate-limits', 'x-rate-limits plans Free minute', 'sixty', / Free: \{ minute: 60, day: 1000 \}/],
  ['rate-limits', 'x-rate-limits plans Free', { day: 9 }, / Free: \{ minute: 9, day: 9 \}/],
  [
    'rate-limits',
    'x-rate-limits plans Free day',
    59,
    /59 requests a day, and 60 a minute.* as day: 60 or more/,
  ],
  [
    'unshown-properties',
    'schemas NewPet properties nickname',
    { type: 'string', maxLength: 9 },
    /nickname with a record, and no reply shows it\. Decide: .* writeOnly: true/,
  ],
  [
    'rate-limits',
    'x-rate-limits plans More',
    { custom: true },
    /Write at #\/components\/schemas\/Plan: enum: \[/,
  ],
  ['rate-limits', 'x-rate-limits windows 0', { name: 'minute' }, /Decide: both, as/],
  ['rate-limits', 'x-rate-limits windows 0 name', '分', /Decide: another name/],
  ['rate-limits', 'x-rate-limits windows 0 name', 'a "minute"', /Decide: another name/],
  ['rate-limits', 'x-rate-limits windows 0 name', 'custom', /Decide: another name/],
  ['rate-limits', 'x-rate-limits windows 0 name', 'day', /Decide: another name/],
  ['rate-limits', 'x-rate-limits windows 0 name', '', /Decide: another name/],
  ['lifetimes', 'x-lifetimes sunsetWarnings', 86_400, /seconds: 86400/],
  ['lifetimes', 'x-lifetimes sunsetWarnings', { seconds: 90_000 }, /Write: seconds: 172800/],
  ['lifetimes', 'x-lifetimes sunsetWarnings', 'long', /Decide: how long/],
  ['lifetimes', 'x-lifetimes nobody', { seconds: 1 }, /Leave out: nobody/],
  ['bounds', 'x-request-bounds nothing', 1, /Leave out: nothing/],
  ['bounds', 'x-request-bounds bodyValues', 'many', /Decide: how many, as bodyValues: 100/],
  [
    'wider-requests',
    'schemas NewPet properties name maxLength',
    101,
    /maxLength 101, .* Write: maxLength: 100/,
  ],
  ['wider-requests', 'schemas InventoryUpdate properties quantity minimum', -1, /Write: minimum: 0/],
  ['numbers-of-prose', 'pets description', 'It lists up to 12 animals.', /says 12.*Decide/],
  ['numbers-of-prose', 'info description', 'A body has at most 2 MiB.', /says 2097152.*Decide/],
  ['numbers-of-prose', 'info description', 'Send a body of 2.5 MiB.', /says 2621440.*Decide/],
  ['numbers-of-prose', 'x-request-bounds bodyBytes', 524_288, /says 1048576 \(“1 MiB”\)/],
  ['numbers-of-prose', 'info description', 'Replies are kept for 36 hours.', /says 129600.*Decide/],
  ['numbers-of-prose', 'info description', 'You have 61 requests a minute.', /says 61.*Decide/],
  ['numbers-of-prose', 'info description', 'A key ends in 37 letters.', /says 37.*Decide/],
  [
    'limit-examples',
    'x-rate-limits plans Free minute',
    50,
    /message: 50 requests a minute are used up|"50 requests a minute/,
  ],
  ['limit-examples', 'x-rate-limits plans Free minute', 50, /q=60.*Write.*q=50;w=60/],
  [
    'limit-examples',
    'components headers RateLimit-Policy schema example',
    '"minute";q=100;w=60',
    /q=100.*Write.*q=60/,
  ],
  [
    'limit-examples',
    'components headers RateLimit-Policy schema example',
    '"hour";q=60;w=3600',
    /Write.*"minute";q=60;w=60/,
  ],
  [
    'limit-examples',
    'components headers RateLimit schema example',
    '"minute";r=2000;t=17',
    /Write.*r=1000;t=17/,
  ],
  [
    'limit-examples',
    'components headers X-RateLimit-Limit schema example',
    61,
    /says 61.*Write: example: 60/,
  ],
  [
    'limit-examples',
    'components headers X-RateLimit-Remaining schema example',
    200_000,
    /Write: example: 100000/,
  ],
  ['error-codes', 'components responses NotFound x-codes', undefined, /x-codes/],
  ['error-codes', 'components responses NotFound x-codes', ['not_fuond'], /Write: x-codes: \[not_found\]/],
  [
    'error-codes',
    'components responses NotFound x-codes',
    ['invalid_request'],
    /Decide: which of 400 and 404/,
  ],
  ['error-codes', 'pets responses 200 x-codes', ['not_found'], /Leave out: x-codes/],
  [
    'error-codes',
    'components responses PetInUse content application/json example code',
    'category_in_use',
    /example has the code category_in_use, .* Decide: one of pet_in_use; else/,
  ],
  ['told-refusals', 'paths /pets/{petId} delete x-effects', undefined, /pet_in_use.* Decide/],
  [
    'described-effects',
    'order description',
    'At 0 it becomes `sold`.',
    /becomes `sold`, and no effect.* Decide/,
  ],
  ['described-effects', 'order description', 'It is `available`.', /makes status `pending`, .* Decide/],
  [
    'idle-refusals',
    'paths /usage get responses 429',
    { $ref: '#/components/responses/RateLimited' },
    /getUsage has no quota, .*429.* Leave out: 429/,
  ],
  ['idle-refusals', 'create parameters', undefined, /no parameter Idempotency-Key, .*422\. Leave out: 422/],
  ['idle-refusals', 'create parameters', undefined, /never answers idempotency_key_in_use\. Decide/],
  [
    'idle-refusals',
    'pets responses 412',
    { $ref: '#/components/responses/PreconditionFailed' },
    /no parameter If-Match, .* Leave out: 412/,
  ],
  [
    'secret-replies',
    'paths /api-keys post responses 201 headers Cache-Control',
    { $ref: '#/components/headers/CacheControl' },
    /shows a secret, .* Write.*NoStore/,
  ],
  ['secret-replies', 'components headers NoStore schema enum', ['no-cache'], /shows a secret, .* Decide/],
  ['effects', 'pets x-effects', { of: {} }, /Write: x-effects: \[ \{ of: /],
  ['effects', 'pet x-effects', [{}], /Decide: all three/],
  ['effects', 'pet x-effects', [{ ...petOf, becomes: {}, also: 1 }], /Leave out: also/],
  ['effects', 'pet x-effects', [{ of: { page: 1 }, becomes: {} }], /Decide: which, of .*\{petId\}/],
  ['effects', 'pet x-effects', [{ ...petOf, becomes: { colour: 'red' } }], /Leave out: colour/],
  ['effects', 'pet x-effects', [{ ...petOf, becomes: { status: 'body.status' } }], /Decide: what is taken/],
  ['effects', 'pet x-effects', [{ ...petOf, needs: {}, otherwise: 'not_foun' }], /otherwise: not_found/],
  ['effects', 'pet x-effects', [{ ...petOf, without: { list: 'listOrder' } }], /list: listOrders/],
  [
    'effects',
    'pet x-effects',
    [{ ...petOf, without: { list: 'listOrders', with: { pets: 1 } } }],
    /Leave out: pets/,
  ],
  [
    'removable',
    'schemas OrderPatch properties shipDate nullable',
    undefined,
    /Write at .*OrderPatch\/properties: shipDate: \{.*nullable: true/,
  ],
  [
    'merge-patches',
    'schemas PetPatch properties home',
    { type: 'object', properties: { a: {} } },
    /Decide: .* write `required` with all of them/,
  ],
  ['version', 'openapi', '3.1.0', /Write: openapi: 3\.0\.3/],
  [
    'callbacks',
    'create callbacks',
    { done: { '{$request.body#/name}': { post: { responses: {} } } } },
    /Nobody makes this call.*Leave out: done/,
  ],
  ['links', 'pets responses 200 links', { next: { operationId: 'getPets' } }, /operationId: getPet/],
  ['links', 'create responses 201 links', { own: { operationId: 'getPet' } }, /petId: \$response\.body#\/id/],
  ['media-types', 'pets requestBody', { content: { 'application/json': {} } }, /Leave out: requestBody/],
  ['media-types', 'pets responses 200 content text/csv', {}, /Leave out: text\/csv/],
  ['security', 'components securitySchemes ApiKey in', 'query', /in: header/],
  [
    'security',
    'components securitySchemes Token',
    { type: 'http', scheme: 'bearer' },
    /Decide: who checks it/,
  ],
  ['statuses', 'pets responses 103', { description: 'd' }, /a final status, from 200\. Leave out: 103/],
  ['servers', 'pets servers', [{ url: '/' }], /served at one place.*Leave out: servers/],
  ['servers', 'servers 0 variables', {}, /Decide: what it is usually/],
  [
    'parameters',
    'components parameters limit allowEmptyValue',
    true,
    /OpenAPI will drop.*Leave out: allowEmptyValue/,
  ],
  [
    'parameters',
    'components parameters limit required',
    true,
    /its default means nothing\. Leave out: required/,
  ],
  ['read-and-write', 'schemas Pet readOnly', true, /Leave out: readOnly/],
  [
    'discriminators',
    'schemas Pet discriminator',
    { propertyName: 'name' },
    /put it beside those\. Leave out: discriminator/,
  ],
  ['idle-keywords', 'schemas Pet xml', {}, /No XML.*Leave out: xml/],
  [
    'code-descriptions',
    'schemas ErrorCode x-enum-descriptions pet_in_use',
    'Short.',
    /Decide: the words, as pet_in_use: \|-/,
  ],
  [
    'code-descriptions',
    'schemas ErrorCode x-enum-descriptions nobody',
    'A.\n\nB.',
    /nobody is no value.*Leave out: nobody/,
  ],
  ['code-descriptions', 'schemas ErrorCode enum 0', 'pet_lost', /Decide: the words, as pet_lost/],
  [
    'declared-statuses',
    'create responses 413',
    undefined,
    /"413": \{ \$ref: "#\/components\/responses\/PayloadTooLarge" \}/,
  ],
  [
    'response-headers',
    'pets responses 200 headers RateLimit',
    undefined,
    /RateLimit: \{ \$ref: "#\/components\/headers\/RateLimit" \}/,
  ],
  [
    'response-headers',
    'components responses NotFound headers X-Request-Id',
    undefined,
    /X-Request-Id: \{ \$ref/,
  ],
  [
    'error-bodies',
    'order responses 404',
    { ...inline, headers: {} },
    /schema: \{ \$ref: "#\/components\/schemas\/Error" \}/,
  ],
  ['examples', 'pet responses 200 content application/json example', undefined, /example: \{ id: /],
  [
    'reply-examples',
    'order responses 201 content application/json example quantity',
    2,
    /reply shows 2, and that of the request sends 1\. Write: quantity: 1$/,
  ],
  [
    'reply-examples',
    'paths /pets/batch post responses 201 content application/json example 1 name',
    'Tom',
    /shows "Tom", and that of the request sends "Mia"\. Write: name: Mia$/,
  ],
  [
    'reply-examples',
    'paths /categories/{categoryId} patch responses 200 content application/json example description',
    'Short.',
    /sends null\. Leave out: description\.$/,
  ],
  ['descriptions', 'pets summary', undefined, /Write: summary: List pets/],
  [
    'tool-descriptions',
    'pets',
    { ...petstore.paths['/pets'].get, summary: 'Pets', description: 'Pets.' },
    /Decide: what it does, and when to use it/,
  ],
  ['bounded-requests', 'schemas NewPet properties name maxLength', undefined, /Write: maxLength: 200/],
  ['bounded-requests', 'components parameters limit schema maximum', undefined, /Write: maximum: 2147483647/],
  ['closed-objects', 'schemas Pet additionalProperties', undefined, /Write: additionalProperties: false/],
  ['integer-width', 'components parameters limit schema format', 'int64', /Leave out: format/],
  ['integer-width', 'schemas Id format', undefined, /Write: format: int64/],
]

test.each(broken)('what breaks %s at %j %j comes with what to do', async (rule, place, value, remedy) => {
  const document = structuredClone(petstore)
  mended(document, { place: placeOf(place), value })
  const found = violationsOf(await modelFrom(document), {
    [rule]: rules[rule] ?? expect.fail(`no rule ${rule}`),
  })
  expect(found.map(({ text }) => text).join('\n')).toMatch(remedy)
  for (const { text } of found) expect(text, 'a message is one line').not.toContain('\n')
})

test.each([
  ['Free: { minute: 60, day: 1000 }', 'Free: { minute: 60 }'],
  ['Free: { minute: 60, day: 1000 }', 'Free: { minute: sixty, day: 1000 }'],
  ['Free: { minute: 60, day: 1000 }', 'Free: { minute: 6000, day: 1000 }'],
  ['Pro: { minute: 300, day: 10000 }', 'Pro: { minut: 300, day: 10000 }'],
  ['anonymous: Free', 'anonymous: Fre'],
  ['{ name: minute, seconds: 60 }', '{ name: minute, seconds: -1 }'],
  ['window: minute, seconds: 900', 'window: hour, seconds: 900'],
])('a plan that has %s as %s is one fault, at its line', async (right, wrong) => {
  const text = await readFile('spec/openapi.yaml', 'utf8')
  const { faults } = await examineDocument('spec/openapi.yaml', 'full', { text: text.replace(right, wrong) })
  const line = text.slice(0, text.indexOf(right)).split('\n').length
  expect(faults.map(fault => [fault.line, fault.rule])).toEqual([[line, 'project/rate-limits']])
})

const short = { type: 'string', maxLength: 9 }
test.each<[keyword: string, sent: object, shown: object, remedy: RegExp]>([
  ['a pattern', short, { ...short, pattern: '^[a-z]+$' }, /pattern open.* Write: pattern: \^\[a-z\]\+\$/],
  [
    'another pattern',
    { ...short, pattern: 'a' },
    { ...short, pattern: 'b' },
    /pattern a,.* Write: pattern: b$/,
  ],
  ['a format', short, { ...short, format: 'uuid' }, /Write: format: uuid$/],
  ['whole numbers', { type: 'number' }, { type: 'integer' }, /type number,.* Write: type: integer$/],
  [
    'a step',
    { type: 'number', multipleOf: 0.01 },
    { type: 'number', multipleOf: 0.1 },
    /Write: multipleOf: 0\.1$/,
  ],
  ['no step', { type: 'number' }, { type: 'number', multipleOf: 0.1 }, /Write: multipleOf: 0\.1$/],
  ['a list of values', short, { ...short, enum: ['a'] }, /enum open.* Write:/],
  ['fewer values', { enum: ['a', 'b'] }, { enum: ['a'] }, /enum \["a","b"\].* Write:/],
  [
    'different items',
    { type: 'array', items: short },
    { type: 'array', items: short, uniqueItems: true },
    /uniqueItems: true/,
  ],
  [
    'bounds of items',
    { type: 'array', items: short },
    { type: 'array', items: { ...short, maxLength: 5 } },
    /extra\[\] .*maxLength: 5$/,
  ],
  [
    'bounds of a part',
    { properties: { a: short } },
    { properties: { a: { ...short, maxLength: 5 } } },
    /extra\.a .*maxLength: 5$/,
  ],
  ['what is in allOf', { allOf: [short] }, { allOf: [{ ...short, minLength: 2 }] }, /Write: minLength: 2$/],
])('a request that takes more than its reply can show is named: %s', async (_, sent, shown, remedy) => {
  const document = structuredClone(petstore)
  mended(document, { place: placeOf('schemas NewPet properties extra'), value: sent })
  mended(document, { place: placeOf('schemas Pet properties extra'), value: shown })
  const { 'wider-requests': wider = expect.fail('no rule') } = rules
  const found = violationsOf(await modelFrom(document), { wider })
  expect(found.map(({ text }) => text).join('\n')).toMatch(remedy)
  mended(document, { place: placeOf('schemas NewPet properties extra'), value: shown })
  expect(violationsOf(await modelFrom(document), { wider })).toEqual([])
})

test('a secret that clients send with a record need not be shown', async () => {
  const document = structuredClone(petstore)
  const value = { type: 'string', maxLength: 9, writeOnly: true }
  mended(document, { place: placeOf('schemas NewPet properties nickname'), value })
  const { 'unshown-properties': unshown = expect.fail('no rule') } = rules
  expect([...unshown(await modelFrom(document))]).toEqual([])
})

const wrongValues = [
  ...['', 'strnig', 'intger', 'yes', 'Off', 'name', '12', '1.5', '-1', '[', '(a', '*', 'true', 'null', 'a b'],
  ...[-1, 1.5, true, null, [], {}, [1], { a: 1 }],
]
test.each(Object.keys(forms))('what is to be written in place of a wrong %s is not wrong itself', form => {
  const [isRight] = forms[form as Form] // the record's own keys
  for (const value of wrongValues.filter(candidate => !isRight(candidate))) {
    const remedy = shapeMeant(form as Form, value)
    const [, shown = ''] = /such as (.+)$/.exec(remedy) ?? /^write ((?!one|the).+)$/.exec(remedy) ?? []
    const line = shown.replace(/, in quotes$/, '')
    if (line === '') continue
    const written: unknown = parse(form === 'type' ? `{ ${line} }` : line)
    const meant = form === 'type' ? Object(written).type : written
    expect(isRight(meant), `${JSON.stringify(value)}: ${remedy}`).toBe(true)
  }
})

const source = await readFile('spec/openapi.yaml', 'utf8')
test.each([
  [/^ {2}version: .*/m, '  version: 1.10', /^struct #\/info\/version .* Write it in quotes: "1\.10"$/],
  [/^ {2}version: .*/m, '  version:', /version is missing here \(info\): write `version: 1\.0\.0`\.$/],
  [
    /^info:/m,
    'inof:',
    /^structure #\/inof info is missing here \(document\): write info in the place of inof\.$/,
  ],
  [/^servers:/m, 'server:', /^note #\/server server says nothing here \(document\): write servers/],
  [
    /pattern: .*/,
    'pattern: "["',
    /"\[" is no regular expression of ECMA-262 \(Unterminated character class\): /,
  ],
  [/type: integer/, 'type: intger', /this is "intger": write type: integer\.$/],
  [/maxLength: \d+/, 'maxLength: many', /this is "many": write the one that is meant, such as 10\.$/],
  [/required: true/, 'required: yes', /this is "yes": write true\.$/],
  [/required: \[name\b.*\]/, 'required: name', /this is "name": write \[name\]\.$/],
  [/additionalProperties: false/, 'additionalProperties: no', /this is "no": write false\.$/],
  [/in: path/, 'in: paht', /write `in: path`, or another of them\.$/],
  [/"200":/, '"20O":', /^response .* write "200" or another of these\.$/],
  [/^ {2}\/pets:/m, '  pets:', /A path begins with a slash: write \/pets\.$/],
])('one fault (%s as %s) is shown once', async (from, to, message) => {
  const { faults } = await examineDocument('spec/openapi.yaml', 'full', { text: source.replace(from, to) })
  expect(faults.map(fault => `${fault.rule} ${fault.pointer} ${fault.message}`)).toEqual([
    expect.stringMatching(message),
  ])
})

test('lint notes limits whose name is misspelt', async () => {
  const misspelt = source.replace('x-rate-limits:', 'x-rate-limit:')
  const { read = expect.fail('refused') } = await examineDocument('a.yaml', 'full', { text: misspelt })
  expect(notesOn(read).map(({ message }) => message)).toContain(
    'x-rate-limit says nothing here. Decide: whether x-rate-limits is meant.',
  )
})

test('each rule is among those that were broken', () => {
  expect([...new Set(broken.map(([rule]) => rule))].sort()).toEqual(Object.keys(rules).sort())
})

test('the rules of others come with what to do, each that is in force', async () => {
  const config = await createConfig({ extends: ['recommended'] })
  const active = Object.entries(config.rules.oas3_0 ?? {}).filter(([, setting]) => setting !== 'off')
  expect(active.length).toBeGreaterThan(30)
  expect(Object.keys(redoclyRemedies).sort()).toEqual(active.map(([name]) => name).sort())
  for (const remedy of Object.values(redoclyRemedies)) expect(remedy).toMatch(/^(Write|Leave out|Decide)\b/)
})

describe('npm run lint:spec -- --fix', () => {
  const directory = sharedDirectory()
  const file = join(directory, 'library.yaml')
  /** A document with limits, and nothing that the rules ask for. */
  const bare = `# A library
openapi: 3.0.3
info: { title: Library, version: 1.0.0 } # keep me
x-rate-limits: { windows: [{ name: minute, seconds: 60 }], plans: { Free: { minute: 60 } }, anonymous: Free }
tags: [{ name: Books }]
security: [{ ApiKey: [] }]
paths:
  /books:
    # all of them
    get:
      operationId: listBooks
      tags: [Boks] # a slip
      responses:
        200: { description: ok, content: { application/json: { schema: { $ref: "#/components/schemas/Books" } } } }
    post:
      operationId: addBook
      x-required-scope: wirte # another
      tags: [Books]
      requestBody:
        required: true
        content:
          application/json:
            schema: { $ref: "#/components/schemas/Book" }
      responses:
        201: # made
          description: made
          x-codes: [none]
components:
  securitySchemes:
    ApiKey: { type: apiKey, in: header, name: X-API-Key }
  schemas:
    Books:
      type: array
      maxItems: 10
      items: { $ref: "#/components/schemas/Book" }
    Book:
      type: object
      properties:
        # of the cover
        title: { type: string, xml: { name: t }, example: Emma }
`
  const fix = () => runScript('lint', [file, '--fix'])

  test('lint:spec --fix writes every remedy into a bare document, and tells what people have to decide', async () => {
    await writeFile(file, bare)
    const first = await fix()
    expect(first.stdout).toMatch(
      /^fixed .*declared-statuses #\/paths\/~1books\/get\/responses The operation can also/m,
    )
    expect(first.stdout).toMatch(/^fixed .*idle-keywords .*Leave out: xml\.$/m)
    expect(first.code).toBe(1)
    const left = new Set(
      first.stderr
        .trim()
        .split('\n')
        .slice(0, -1) // how many there are
        .map(line => line.split(' ')[1]),
    )
    expect([...left]).toEqual([
      'no-empty-servers',
      'info-license',
      'tag-description',
      'project/code-descriptions',
    ])
    const text = await readFile(file, 'utf8')
    const { get, post } = parse(text).paths['/books']
    expect(Object.keys(get.responses)).toEqual(['200', '400', '401', '403', '414', '429', '500', '503'])
    expect(get).toMatchObject({ tags: ['Books'], 'x-required-scope': 'read', summary: 'List books' })
    expect(post).toMatchObject({ 'x-required-scope': 'write' })
    expect(post.responses['201']).not.toHaveProperty('x-codes')
    for (const kept of bare
      .split('\n')
      .filter(line => /#(?! *made|\/)/.test(line) && !/slip|another/.test(line)))
      expect(text).toContain(kept)
    for (const comment of ['# a slip', '# another', '201: # made']) expect(text).toContain(comment)
    expect((await fix()).stdout).toBe('')
    expect(await readFile(file, 'utf8')).toBe(text)
  })

  test('lint:spec --fix leaves alone what is written in another file', async () => {
    const item = `get:
  operationId: listNews
  summary: List the news
  description: List the news.
  tags: [Books]
  responses: { 200: { description: ok } }
`
    await writeFile(join(directory, 'news.yaml'), item)
    await writeFile(file, bare.replace('  /books:', '  /news: { $ref: news.yaml }\n  /books:'))
    const { code, stderr } = await fix()
    expect(code).toBe(1)
    expect(stderr).toMatch(/news\.yaml:1:1 project\/scopes .*Write: x-required-scope: read/)
    expect(await readFile(join(directory, 'news.yaml'), 'utf8')).toBe(item)
    expect(parse(await readFile(file, 'utf8')).paths['/books'].get).toHaveProperty('x-required-scope')
  })

  test('lint:spec --json tells the faults and the fixed violations to programs', async () => {
    await writeFile(file, bare)
    const { code, stdout } = await runScript('lint', ['--spec', file, '--fix', '--json'])
    const { faults, fixed } = JSON.parse(stdout)
    expect([code, faults[0].rule]).toEqual([1, 'no-empty-servers'])
    expect(fixed[0]).toMatchObject({
      file: expect.stringContaining('library.yaml'),
      line: 12,
      rule: 'project/tags',
    })
  })
})
