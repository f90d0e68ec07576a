import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { ownModel } from '../../../../test/support/model.ts'
import { checkDocument } from '../../tools/lint/lint.ts'
import { temporaryDirectory } from '../../tools/local/temporary.ts'
import { mutantsOf } from '../mutants/changes.ts'
import { differences } from '../support/differences.ts'
import { library } from '../support/library.ts'

const { document: project } = await ownModel()

/** Returns the changes of the mutants of a kind whose ids hold a text. */
const changes = (kind: string, text = ''): string[][] =>
  mutantsOf(library())
    .filter(mutant => mutant.kind === kind && mutant.id.includes(text))
    .map(mutant => differences(library(), mutant.apply()))

/** The kinds that change several places, so that the document stays whole: `kind | part of the id`, and how. */
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
deprecation taken back | 
  /paths/~1books~1{book}/get/deprecated true → (none)
  /paths/~1books~1{book}/get/x-deprecated-at "2026-01-01" → (none)
  /paths/~1books~1{book}/get/x-deprecated-sunset "2026-12-31" → (none)
  /paths/~1books~1{book}/get/x-successor "findBooks" → (none)
  /paths/~1books~1{book}/get/x-successor-url "/books?isbn={book}" → (none)
  /paths/~1books~1{book}/get/responses/410 {"description":"gone"} → (none)
parameter renamed | parameters/0
  /paths/~1books/get/parameters/0/name "isbn" → "isbnX"
  /paths/~1books~1{book}/get/x-successor-url "/books?isbn={book}" → "/books?isbnX={book}"
enum value removed | enum en
  /components/parameters/Language/schema/enum ["en","fr"] → ["fr"]
  /components/parameters/Language/schema/default "en" → "fr"
type changed | Isbn
  /components/schemas/Isbn/type "string" → "integer"
  /components/schemas/Isbn/pattern "^97" → (none)
  /components/schemas/Isbn/minLength 1 → (none)
  /components/schemas/Isbn/maxLength 13 → (none)
property renamed | title
  /components/schemas/Book/required/0 "title" → "titleX"
  /components/schemas/Book/properties/title {"type":"string","minLength":1,"maxLength":1} → (none)
  /components/schemas/Book/properties/titleX (none) → {"type":"string","minLength":1,"maxLength":1}
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

test('a path or its parameter is renamed wherever it stands', () => {
  const [path] = mutantsOf(library()).filter(({ id }) => id === 'path renamed /paths/~1books')
  const moved = path?.apply().paths
  expect(Object.keys(moved ?? {})).toEqual(['/books-x', '/books/{book}', '/books/{book}/pages'])
  expect(moved?.['/books/{book}']?.get).toMatchObject({ 'x-successor-url': '/books-x?isbn={book}' })

  const [parameter] = mutantsOf(library()).filter(({ kind }) => kind === 'path parameter renamed')
  const { paths, components } = parameter?.apply() ?? {}
  expect(Object.keys(paths ?? {})).toEqual(['/books', '/books/{bookX}', '/books/{bookX}/pages'])
  expect(paths?.['/books/{bookX}']?.get).toMatchObject({ 'x-successor-url': '/books?isbn={bookX}' })
  expect(paths?.['/books/{bookX}/pages']?.get).toMatchObject({ parameters: [{ name: 'bookX' }] })
  expect(components?.parameters?.Book).toMatchObject({ name: 'bookX' })
})

test.each([
  ['the library', library()],
  ['this project', project],
])('mutants of %s differ from it and have ids of their own', (_, document) => {
  const before = JSON.stringify(document)
  const mutants = mutantsOf(document)
  for (const { id, apply } of mutants) expect(JSON.stringify(apply()), id).not.toBe(before)
  expect(JSON.stringify(document)).toBe(before)
  expect(new Set(mutants.map(({ id }) => id)).size).toBe(mutants.length)
})

test('components count once, and those that no operation uses not at all', () => {
  const ids = mutantsOf(library()).map(({ id }) => id)
  expect(ids.filter(id => id.startsWith('pattern dropped'))).toEqual([
    'pattern dropped /components/schemas/Isbn/pattern',
  ])
  expect(ids.filter(id => /Unused|Forgotten/.test(id))).toEqual([])
})

test('bounds are moved only where that makes a difference', () => {
  expect(changes('bound tightened', 'pages').flat()).toEqual([
    '/components/schemas/Book/properties/pages/minimum 0 → 1',
    '/components/schemas/Book/properties/pages/maximum 9007199254740991 → 9007199254740990',
  ])
  expect(changes('bound tightened', 'title')).toEqual([]) // nothing would fit
  expect(changes('bound loosened', 'size')).toEqual([]) // the enum ends there anyway
  expect(changes('bound loosened', 'Isbn/minLength')).toEqual([]) // the pattern refuses the empty text
})

test('routes can be bound from every mutant', async () => {
  const directory = temporaryDirectory()
  onTestFinished(() => rmSync(directory, { recursive: true }))
  const file = join(directory, 'mutant.json')
  for (const mutant of mutantsOf(library())) {
    writeFileSync(file, JSON.stringify(mutant.apply()))
    expect(await checkDocument(file, 'bind'), mutant.id).toEqual([])
  }
})
