import { readFileSync } from 'node:fs'
import { readValue } from 'spec-served-document/reading/read'
import { type Changes, tinyDocument } from 'spec-served-lab/support/pairs'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import type { Severity } from '../changes/change.ts'
import { type Finding, judge } from '../changes/judge.ts'

const today = '2026-06-15'
const read = (document: object) => readValue(document, 'a document')
const casesIn = (name: string) => parse(readFileSync(new URL(name, import.meta.url), 'utf8'))

/** The new document has a new major version, so that the version is right. */
const findingsOf = async (before: Changes, after: Changes): Promise<Finding[]> =>
  judge(await read(tinyDocument(before)), await read(tinyDocument(after, '2.0.0')), today)

/** Severity and rule of each finding. */
const verdicts = async (before: Changes, after: Changes): Promise<string[]> =>
  (await findingsOf(before, after)).map(({ severity, rule }) => `${severity} ${rule}`).sort()

const signs: Record<Severity, string> = { breaking: 'B', version: 'V', warning: 'w', info: '.' }

/** The gravest of findings that belong to a place; findings come gravest first. */
function verdictOf(findings: readonly Finding[], place = ''): string {
  const [first] = findings.filter(
    ({ places }) => place === '' || places.some(candidate => candidate.includes(place)),
  )
  return first ? signs[first.severity] : '.'
}

const schemas: {
  ranges: [what: string, wide: object, narrow: object, narrowing: string, widening: string][]
  pairs: [what: string, one: object, other: object, verdict: string][]
} = casesIn('breaking-schemas.yaml')

test.each([3, 12, 14, 20, 40])(
  'a change below %i choices within each other is breaking, tried or not',
  async depth => {
    const nested = (type: string) =>
      Array.from({ length: depth }).reduce<object>(inner => ({ anyOf: [inner, { type: 'boolean' }] }), {
        type,
      })
    const findings = await findingsOf({ reply: nested('object') }, { reply: nested('integer') })
    expect(findings[0]).toMatchObject({ severity: 'breaking', rule: 'alternative-added' })
    const isTried = findings[0]?.example !== undefined
    expect(isTried || findings[0]?.why?.startsWith('it lies too deep')).toBe(true)
    expect(isTried).toBe(depth < 13)
    const same = await findingsOf({ reply: nested('object') }, { reply: nested('object') })
    expect(same.map(({ severity }) => severity)).not.toContain('breaking')
  },
)

test.each([60, 100, 220])('a change of the last of %i alternatives is breaking', async count => {
  const among = (type: string) => {
    const others = Array.from({ length: count - 1 }, (_, index) => ({ type: 'string', const: `a${index}` }))
    return { anyOf: [...others, { type }] }
  }
  const [first] = await findingsOf({ reply: among('object') }, { reply: among('integer') })
  expect(first).toMatchObject({ severity: 'breaking', rule: 'alternative-added' })
})

test.each(schemas.ranges)(
  '%s: whether more or less is taken, and who reads it, makes the severity',
  async (_what, wide, narrow, narrowing, widening) => {
    expect(await verdicts({ body: wide }, { body: narrow })).toEqual([`breaking ${narrowing}`])
    expect(await verdicts({ body: narrow }, { body: wide })).toEqual([`info ${widening}`])
    expect(await verdicts({ reply: wide }, { reply: narrow })).toEqual([`info ${narrowing}`])
    expect(await verdicts({ reply: narrow }, { reply: wide })).toEqual([`breaking ${widening}`])
  },
)

/** The verdicts for a schema in a request and in a response, for a change and for its reverse. */
async function bothWays(one: Changes, other: Changes): Promise<string> {
  const told = async (before: Changes, after: Changes) => {
    const both = ({ schema, ...rest }: Changes) => ({ body: schema, reply: schema, ...rest })
    const findings = await findingsOf(both(before), both(after))
    return verdictOf(findings, 'request body') + verdictOf(findings, 'response')
  }
  return `${await told(one, other)} ${await told(other, one)}`
}

test.each(schemas.pairs)('%s', async (_what, one, other, verdict) => {
  expect(await bothWays({ schema: one }, { schema: other })).toBe(verdict)
})

const later: {
  rewritten: [what: string, in30: object, in31: object][]
  pairs: [what: string, one: object, other: object, verdict: string][]
} = casesIn('breaking-schemas-3.1.yaml')

test.each(later.pairs)('%s, in 3.1', async (_what, one, other, verdict) => {
  const openapi = '3.1.0'
  expect(await bothWays({ schema: one, openapi }, { schema: other, openapi })).toBe(verdict)
})

test.each(later.rewritten)('%s in the terms of 3.0 and of 3.1', async (_what, in30, in31) => {
  expect(await bothWays({ schema: in30 }, { schema: in31, openapi: '3.1.0' })).toBe('.. ..')
})

const documents: {
  rows: Record<string, [why: string, before: Changes, after: Changes, ...expected: string[]][]>
  pairs: [what: string, one: Changes, other: Changes, verdict: string][]
} = casesIn('breaking-documents.yaml')

describe.each(Object.entries(documents.rows))('%s', (_group, rows) => {
  test.each(
    rows.map(([why, before, after, ...expected]) => ({
      why,
      before,
      after,
      expected,
      verdict: expected.join(', ') || 'nothing',
    })),
  )('$why: $verdict', async ({ before, after, expected }) => {
    expect(await verdicts(before, after)).toEqual(expected.sort())
  })
})

test.each(documents.pairs)('%s', async (_what, one, other, verdict) => {
  expect(verdictOf(await findingsOf(one, other)) + verdictOf(await findingsOf(other, one))).toBe(verdict)
})

test('a document against itself gives no findings', async () => {
  expect(judge(await read(tinyDocument({})), await read(tinyDocument({})), today)).toEqual([])
})

test('a change of a shared schema is one finding that names every place', async () => {
  const reply = { $ref: '#/components/schemas/Thing' }
  const changed = { 'components.schemas.Thing.properties.name': { type: 'integer' } }
  const [finding] = await findingsOf({ reply }, { reply, ...changed })
  expect(finding).toMatchObject({
    pointer: '#/components/schemas/Thing/properties/name/type',
    places: [
      'GET /things (listThings) response 200 [].name',
      'GET /things/{id} (getThing) response 200 .name',
    ],
    what: 'string became integer',
  })
})

const text = { 'list.description': 'All.' }
const addition = { 'list.parameters.2': { name: 'page', in: 'query', schema: { type: 'integer' } } }
const warning = { 'list.parameters.0.schema.default': 5 }
const removal = { list: undefined }

test.each<[what: string, changes: Changes, before: string, after: string, ...rules: string[]]>([
  ['nothing changed', {}, '1.0.0', '1.0.0'],
  ['nothing but the version changed', {}, '1.0.0', '1.0.1'],
  ['a text without a new version', text, '1.0.0', '1.0.0', 'version version-bump'],
  ['a text with a patch', text, '1.0.0', '1.0.1'],
  ['an addition with a patch', addition, '1.0.0', '1.0.1', 'version version-bump'],
  ['an addition with a minor version', addition, '1.0.0', '1.1.0'],
  ['a warning with a patch', warning, '1.0.0', '1.0.1', 'version version-bump'],
  [
    'a break with a minor version',
    removal,
    '1.0.0',
    '1.9.0',
    'breaking operation-removed',
    'version version-bump',
  ],
  ['a break with a major version', removal, '1.0.0', '2.0.0', 'breaking operation-removed'],
  ['a break on the way to a major version', removal, '1.0.0', '2.0.0-rc.1', 'breaking operation-removed'],
  ['a break before 1.0.0 with a minor version', removal, '0.1.0', '0.2.0', 'breaking operation-removed'],
  [
    'a break before 1.0.0 with a patch',
    removal,
    '0.1.0',
    '0.1.1',
    'breaking operation-removed',
    'version version-bump',
  ],
  ['a version that goes back', {}, '1.2.0', '1.1.9', 'version version-backwards'],
  ['1.10.0 after 1.9.0', addition, '1.9.0', '1.10.0'],
])('%s', async (_what, changes, before, after, ...rules) => {
  const findings = judge(
    await read(tinyDocument({}, before)),
    await read(tinyDocument(changes, after)),
    today,
  )
  const grave = findings.filter(({ severity }) => severity === 'breaking' || severity === 'version')
  expect(grave.map(({ severity, rule }) => `${severity} ${rule}`)).toEqual(rules)
})

test('a property that became required is named where the property stands', async () => {
  const thing = (required: string[]) => ({
    body: { type: 'object', required, properties: { name: { type: 'string' }, kind: { type: 'string' } } },
  })
  const [finding] = await findingsOf(thing(['kind']), thing(['kind', 'name']))
  expect(finding?.rule).toBe('property-became-required')
  expect(finding?.pointer).toMatch(/requestBody\/content\/application~1json\/schema\/properties\/name$/)
})

test('a change without a finding of its own is named with the version that it needs', async () => {
  const [finding] = judge(await read(tinyDocument({})), await read(tinyDocument(text)), today)
  expect(finding?.what).toBe(
    'the changes since 1.0.0 need 1.0.1 (patch), but the version is 1.0.0; the first of them is at #/paths/~1things/get/description',
  )
})

describe('what stands elsewhere and means the same is no change for clients', () => {
  const id = { name: 'id', in: 'path', required: true, schema: { type: 'string' } }
  const query = { name: 'q', in: 'query', schema: { type: 'integer' } }
  const responses = { 200: { description: 'ok' } }
  const judged = async (...sides: object[]) => {
    const source = { openapi: '3.0.3', info: { title: 'T', version: '1.0.0' } }
    const [base, next] = await Promise.all(sides.map(side => readValue({ ...source, ...side }, 'a')))
    if (!base || !next) throw new Error('There are two sides')
    return judge(base, next, '2026-06-15').map(({ severity, rule }) => `${severity} ${rule}`)
  }
  const get = { operationId: 'getA', parameters: [id, query], responses }
  const at = (prefix: string, server?: string) => ({
    ...(server !== undefined && { servers: [{ url: server }] }),
    paths: { [`${prefix}/a/{id}`]: { get }, [`${prefix}/b`]: { get: { operationId: 'getB', responses } } },
  })

  test.each([
    ['for the whole path', { parameters: [id, query], get: { operationId: 'getA', responses } }],
    ['in part for the whole path', { parameters: [id], get: { ...get, parameters: [query] } }],
    ['as a component', { get: { ...get, parameters: [{ $ref: '#/components/parameters/id' }, query] } }],
    ['twice, where the operation’s counts', { parameters: [{ ...id, schema: {} }, query], get }],
  ])('a parameter written %s', async (_, item) => {
    const joined = { paths: { '/a/{id}': item }, components: { parameters: { id } } }
    const own = { paths: { '/a/{id}': { get } } }
    expect(await judged(own, joined)).toEqual([expect.stringContaining('version-bump')])
    expect(await judged(joined, own)).toEqual([expect.stringContaining('version-bump')])
  })

  test.each([
    ['an address', 'https://a.example/v1', 'https://a.example'],
    ['a relative address', '/v1/', '/'],
    ['no servers at all', '/v1', undefined],
    ['a part of the path', 'https://a.example/api/v1', 'https://a.example/api'],
  ])('a base path that moved from the servers into the paths: %s', async (_, server, shorter) => {
    const bump = [expect.stringContaining('version-bump')]
    expect(await judged(at('', server), at('/v1', shorter))).toEqual(bump)
    expect(await judged(at('/v1', shorter), at('', server))).toEqual(bump)
  })

  test('a base path that changes, and an operation that is gone from it, are named', async () => {
    const moved = await judged(at('', 'https://a.example/v1'), at('/v2', 'https://a.example'))
    expect(moved).toEqual(expect.arrayContaining(['breaking server-removed', 'breaking operation-moved']))
    const { servers, paths } = at('/v1', 'https://a.example')
    const { '/v1/b': _, ...rest } = paths
    const gone = await judged(at('', 'https://a.example/v1'), { servers, paths: rest })
    expect(gone.filter(candidate => !candidate.includes('version'))).toEqual(['breaking operation-removed'])
    expect(await judged(at('', 'https://a.example/v1'), at('/v1', 'https://b.example'))).toContain(
      'breaking server-removed',
    )
  })
})
