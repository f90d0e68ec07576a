import { expect, test } from 'vitest'
import { mutantsOf } from '../mutants/changes.ts'
import { faultsIn, someOf, withFault } from '../mutants/code-faults.ts'
import { testsOf } from '../mutants/code-tests.ts'
import { differences } from '../support/differences.ts'
import { library } from '../support/library.ts'

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

test('mutants of a document differ from it and have ids of their own', () => {
  const document = library()
  const mutants = mutantsOf(document)
  for (const { id, apply } of mutants) expect(apply(), id).not.toEqual(document)
  expect(document).toEqual(library())
  expect(new Set(mutants.map(({ id }) => id)).size).toBe(mutants.length)
})

test('a document changes in its credentials, its scopes, and what must be sent', () => {
  const kinds = Map.groupBy(mutantsOf(library()), ({ kind }) => kind)
  const counted = [...kinds].map(([kind, { length }]) => `${kind}: ${length}`)
  expect(counted.filter(text => /credential|required|scope|secured|operation opened/.test(text))).toEqual([
    'credential renamed: 1',
    'credential location changed: 1',
    'operation opened: 4',
    'scope changed: 4',
    'operation secured: 1',
    'parameter required flipped: 2',
    'response header required flipped: 1',
    'required property made optional: 1',
    'optional property made required: 7',
    'property added as required: 2',
    'request body required flipped: 1',
  ])
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

test('faults of code are operators and numbers of its lines, types left out', () => {
  const text = 'const a: 1 | 2 = b === 1 ? 2 : c ?? d // d\nif (!e && a < 3) call(a)\n'
  const shown = faultsIn('a.ts', text).map(({ line, was, is }) => `${line}: ${was} → ${is}`)
  expect(shown).toEqual([
    '1: b === 1 → !(b === 1)',
    '1: === → !==',
    '1: 1 → (1 + 1)',
    '1: 2 → (2 + 1)',
    '1: c ?? d → d',
    '1: c ?? d → c',
    '2: !e → e',
    '2: && → ||',
    '2: < → <=',
    '2: 3 → (3 + 1)',
    '2: call(a) → ;',
  ])
  const [first] = faultsIn('a.ts', text)
  expect(first && withFault(text, first)).toContain('const a: 1 | 2 = !(b === 1) ? 2')
  const drawn = someOf([1, 2, 3, 4, 5], 3, 7)
  expect([drawn, new Set(drawn).size]).toEqual([someOf([1, 2, 3, 4, 5], 3, 7), 3])
  expect(someOf([1, 2, 3], 9, 1).sort()).toEqual([1, 2, 3])
})

test('the tests of a file come first', () => {
  const tests = ['error-forms', 'patterns', 'holders'].map(name => `src/engine/service/test/${name}.test.ts`)
  const [first] = testsOf('src/engine/service/replies/error-forms.ts', tests)
  expect(first).toBe('src/engine/service/test/error-forms.test.ts')
})
