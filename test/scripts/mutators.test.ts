import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { checkDocument } from '../../scripts/document/check.ts'
import { equivalentMutantsOf, type Mutant, mutantsOf, sample } from '../../scripts/mutants/mutators.ts'
import { differences } from '../support/differences.ts'
import { library } from '../support/library.ts'
import { ownModel } from '../support/model.ts'
import { temporaryDirectory } from '../support/temporary.ts'

const { document: project } = await ownModel()

/** A value and all below it, as far as they can be shared. */
const objectsIn = (value: unknown): object[] =>
  typeof value === 'object' && value !== null ? [value, ...Object.values(value).flatMap(objectsIn)] : []

/** What each mutant of a kind changes, of those whose ids hold a text. */
const changes = (kind: string, text = ''): string[][] =>
  mutantsOf(library())
    .filter(mutant => mutant.kind === kind && mutant.id.includes(text))
    .map(mutant => differences(library(), mutant.apply()))

const kindsOf = (mutants: readonly Mutant[]) => [...new Set(mutants.map(({ kind }) => kind))]

/** What kinds change in more than one place, as the document would be broken else: `kind | part of the id`, and how. */
const together = `
operationId renamed | books/get
  /paths/~1books/get/operationId "findBooks" → "findBooksX"
  /paths/~1books~1{book}/get/x-successor "findBooks" → "findBooksX"
operation opened | /delete
  /paths/~1books~1{book}~1pages/delete/x-required-scope "buy" → (none)
  /paths/~1books~1{book}~1pages/delete/security (none) → []
operation secured | 
  /paths/~1books~1{book}~1pages/get/security [] → [{"Card":[]}]
  /paths/~1books~1{book}~1pages/get/x-required-scope (none) → "borrow"
deprecated | books/post
  /paths/~1books/post/responses/410 (none) → {"description":"gone"}
  /paths/~1books/post/deprecated (none) → true
  /paths/~1books/post/x-deprecated-at (none) → "2026-01-01"
  /paths/~1books/post/x-deprecated-sunset (none) → "2026-12-31"
deprecation taken back | 
  /paths/~1books~1{book}/get/deprecated true → (none)
  /paths/~1books~1{book}/get/x-deprecated-at "2026-01-01" → (none)
  /paths/~1books~1{book}/get/x-deprecated-sunset "2026-12-31" → (none)
  /paths/~1books~1{book}/get/x-successor "findBooks" → (none)
  /paths/~1books~1{book}/get/x-successor-url "/books?isbn={book}" → (none)
  /paths/~1books~1{book}/get/responses/410 {"description":"gone"} → (none)
successor changed | 
  /paths/~1books~1{book}/get/x-successor "findBooks" → "addBook"
  /paths/~1books~1{book}/get/x-successor-url "/books?isbn={book}" → (none)
successor dropped | 
  /paths/~1books~1{book}/get/x-successor "findBooks" → (none)
  /paths/~1books~1{book}/get/x-successor-url "/books?isbn={book}" → (none)
window removed | windows/0
  /x-rate-limits/windows [{"name":"hour","seconds":3600},{"name":"week","seconds":604800}] → [{"name":"week","seconds":604800}]
  /x-rate-limits/plans/Child/hour 5 → (none)
  /x-rate-limits/ban/window "hour" → "week"
parameter renamed | parameters/0
  /paths/~1books/get/parameters/0/name "isbn" → "isbnX"
  /paths/~1books~1{book}/get/x-successor-url "/books?isbn={book}" → "/books?isbnX={book}"
parameter location changed | parameters/0
  /paths/~1books/get/parameters/0/in "query" → "header"
  /paths/~1books/get/parameters/0/explode false → (none)
enum value removed | enum en
  /components/parameters/Language/schema/enum ["en","fr"] → ["fr"]
  /components/parameters/Language/schema/default "en" → "fr"
type changed | Isbn
  /components/schemas/Isbn/type "string" → "integer"
  /components/schemas/Isbn/pattern "^97" → (none)
  /components/schemas/Isbn/minLength 1 → (none)
  /components/schemas/Isbn/maxLength 13 → (none)
items type changed | parameters
  /paths/~1books/get/parameters/0/schema/items/$ref "#/components/schemas/Isbn" → (none)
  /paths/~1books/get/parameters/0/schema/items/type (none) → "integer"
property removed | title
  /components/schemas/Book/required ["title"] → (none)
  /components/schemas/Book/properties/title {"type":"string","minLength":1,"maxLength":1} → (none)
property renamed | title
  /components/schemas/Book/required/0 "title" → "titleX"
  /components/schemas/Book/properties/title {"type":"string","minLength":1,"maxLength":1} → (none)
  /components/schemas/Book/properties/titleX (none) → {"type":"string","minLength":1,"maxLength":1}
property added as required | Book
  /components/schemas/Book/required ["title"] → ["title","added"]
  /components/schemas/Book/properties/added (none) → {"type":"string","maxLength":100,"description":"An addition."}
nullable flipped | size
  /components/schemas/Book/properties/size/enum [1,2,4] → [1,2,4,null]
  /components/schemas/Book/properties/size/nullable (none) → true
`
const belonging = together
  .trim()
  .split(/\n(?! )/)
  .map(block => {
    const [head = '', ...lines] = block.split('\n')
    const [kind = '', text = ''] = head.split(' |')
    return { kind, text: text.trim(), lines: lines.map(line => line.trim()) }
  })

test.each(belonging)('$kind: what belongs together changes together', ({ kind, text, lines }) => {
  expect(changes(kind, text)).toEqual([lines])
})

test('a path moves with its methods and the addresses that lead to it, not with the paths below', () => {
  const renamed = mutantsOf(library())
    .find(({ id }) => id === 'path renamed /paths/~1books')
    ?.apply()
  expect(Object.keys(renamed?.paths ?? {})).toEqual(['/books-x', '/books/{book}', '/books/{book}/pages'])
  expect(renamed?.paths?.['/books-x']).toEqual(library().paths?.['/books'])
  expect(renamed?.paths?.['/books/{book}']?.get).toMatchObject({ 'x-successor-url': '/books-x?isbn={book}' })
})

test('a path parameter is renamed in every path and declaration that shares it', () => {
  const renamed = mutantsOf(library()).filter(({ kind }) => kind === 'path parameter renamed')
  expect(renamed.map(({ at }) => at.join('.'))).toEqual(['components.parameters.Book.name'])
  const changed = renamed[0]?.apply()
  expect(Object.keys(changed?.paths ?? {})).toEqual(['/books', '/books/{bookX}', '/books/{bookX}/pages'])
  expect(changed?.paths?.['/books/{bookX}']?.get).toMatchObject({ 'x-successor-url': '/books?isbn={bookX}' })
  expect(changed?.paths?.['/books/{bookX}/pages']?.get).toMatchObject({ parameters: [{ name: 'bookX' }] })
  expect(changed?.components?.parameters?.Book).toMatchObject({ name: 'bookX' })
})

test('every other mutant changes its one place', () => {
  const moving = ['path renamed', 'path parameter renamed', 'method changed']
  const several = [
    ...moving,
    ...belonging.map(({ kind }) => kind),
    'request media type renamed',
    'response media type renamed',
  ]
  for (const { id, kind, at, apply } of mutantsOf(library())) {
    if (several.includes(kind)) continue
    const found = differences(library(), apply())
    const place = at.map(key => `/${key.replaceAll('/', '~1')}`).join('')
    const [where = ''] = found[0]?.split(' ') ?? []
    expect(found, id).toHaveLength(1)
    expect(where.startsWith(place) || place.startsWith(`${where}/`), `${id}: ${where}`).toBe(true)
  }
})

test('the document itself is never touched, and every mutant differs from it', () => {
  const before = JSON.stringify(project)
  for (const mutant of [...sample(mutantsOf(project), 300, 1), ...equivalentMutantsOf(project)])
    expect(JSON.stringify(mutant.apply()), mutant.id).not.toBe(before)
  expect(JSON.stringify(project)).toBe(before)
})

test('a mutant shares nothing with the document, nor with itself applied again', () => {
  const document = library()
  for (const mutant of [...mutantsOf(document), ...equivalentMutantsOf(document)]) {
    const known = new Set([...objectsIn(document), ...objectsIn(mutant.apply())])
    expect(
      objectsIn(mutant.apply()).filter(object => known.has(object)),
      mutant.id,
    ).toEqual([])
  }
})

test('ids are unique, and the same on every run', () => {
  for (const document of [project, library()]) {
    const ids = [...mutantsOf(document), ...equivalentMutantsOf(document)].map(({ id }) => id)
    expect(new Set(ids).size).toBe(ids.length)
  }
  const ids = mutantsOf(project).map(({ id }) => id)
  expect(ids.length).toBeGreaterThan(1000)
  expect(mutantsOf(project).map(({ id }) => id)).toEqual(ids)
})

const kinds = `
  path renamed, method changed, operationId renamed, x-quota-free flipped, x-hideTryItPanel flipped,
  tag changed, tag parent changed, tag parent dropped, tag parent added, operation opened,
  operation secured, scope changed, credential renamed, credential location changed, stability lowered,
  stability changed, stability raised, deprecated, deprecation taken back, deprecation date moved,
  sunset moved, successor changed, successor dropped, successor address changed,
  successor address dropped, rate limit number moved, rate limit flag flipped,
  rate limit reference changed, window removed, parameter removed, parameter added, parameter renamed,
  parameter required flipped, parameter location changed, parameter explode flipped,
  path parameter renamed, request body removed, request body required flipped, request media type renamed,
  request media type removed, status removed, status 4xx added, status 2xx added, response body removed,
  response media type renamed, response header dropped, response header added,
  response header required flipped, enum value removed, enum value added, uniqueItems flipped,
  bound tightened, bound loosened, bound dropped, pattern changed, pattern dropped,
  bound exclusiveness flipped, format changed, format dropped, items type changed, type changed,
  nullable flipped, required property made optional, property removed, property renamed,
  optional property made required, property added, property added as required, object opened,
  object closed, default changed, default dropped, oneOf part dropped, anyOf part dropped,
  allOf part dropped
`
  .trim()
  .split(/,\s+/)

test('a document with room for all kinds of mutants has them all', () => {
  expect(kindsOf(mutantsOf(library()))).toEqual(kinds)
})

test('this project’s document has every kind of mutant that it has room for', () => {
  const noRoom = [
    'bound exclusiveness flipped',
    'object closed',
    'allOf part dropped',
    'oneOf part dropped',
    'anyOf part dropped',
  ]
  const expected = kinds.filter(kind => !noRoom.includes(kind))
  expect(kindsOf(mutantsOf(project)).sort()).toEqual(expected.sort())
})

test('components count once, and those that no operation uses not at all', () => {
  const ids = mutantsOf(library()).map(({ id }) => id)
  expect(ids.filter(id => id.startsWith('pattern dropped'))).toEqual([
    'pattern dropped /components/schemas/Isbn/pattern',
  ])
  expect(ids.filter(id => /Unused|Forgotten/.test(id))).toEqual([])
})

test('bounds are moved only where other values then fit', () => {
  expect(changes('bound tightened', 'pages').flat()).toEqual([
    '/components/schemas/Book/properties/pages/minimum 0 → 1',
    '/components/schemas/Book/properties/pages/maximum 9007199254740991 → 9007199254740990',
  ])
  expect(changes('bound loosened', 'pages').flat()).toEqual([
    '/components/schemas/Book/properties/pages/minimum 0 → -1',
  ])
  expect(changes('bound tightened', 'title')).toEqual([]) // nothing would fit
  expect(changes('bound tightened', 'size').flat()).toEqual([
    '/components/schemas/Book/properties/size/maximum 4 → 3',
  ])
  expect(changes('bound loosened', 'size')).toEqual([]) // the enum ends there anyway
  expect(changes('enum value added', 'size').flat()).toEqual([
    '/components/schemas/Book/properties/size/enum [1,2,4] → [1,2,4,3]',
  ])
})

test('bounds that decide nothing are equivalent, with the reason', () => {
  const idle = equivalentMutantsOf(library()).filter(({ kind }) => kind.startsWith('bound'))
  expect(idle.map(({ id, reason }) => `${id}: ${reason}`)).toEqual([
    'bound loosened /components/schemas/Isbn/minLength: The pattern refuses the empty text already.',
    'bound dropped /components/schemas/Isbn/minLength: The pattern refuses the empty text already.',
    'bound loosened /components/schemas/Book/properties/size/maximum: The enum alone says which values there are.',
    'bound dropped /components/schemas/Book/properties/size/maximum: The enum alone says which values there are.',
  ])
})

test('a sample has each kind before any kind twice, and the same seed gives the same sample', () => {
  const all = mutantsOf(project)
  const kinds = kindsOf(all).length
  const ids = (n: number, seed: number) => sample(all, n, seed).map(({ id }) => id)
  expect(kindsOf(sample(all, kinds, 5))).toHaveLength(kinds)
  expect(kindsOf(sample(all, 20, 5))).toHaveLength(20)
  expect(ids(200, 5)).toHaveLength(200)
  expect(ids(200, 5)).toEqual(ids(200, 5))
  expect(ids(200, 5)).not.toEqual(ids(200, 6))
  const chosen = new Set(ids(200, 5))
  expect(all.map(({ id }) => id).filter(id => chosen.has(id))).toEqual([...chosen])
  expect(sample(all, all.length + 1, 5)).toEqual(all)
  expect(sample([], 3, 5)).toEqual([])
})

test('routes can be bound from a mutant of each kind', async () => {
  const directory = temporaryDirectory()
  onTestFinished(() => rmSync(directory, { recursive: true }))
  const file = join(directory, 'mutant.json')
  const all = mutantsOf(library())
  for (const mutant of [...sample(all, kindsOf(all).length, 3), ...equivalentMutantsOf(library())]) {
    writeFileSync(file, JSON.stringify(mutant.apply()))
    expect(await checkDocument(file, 'bind'), mutant.id).toEqual([])
  }
})
