import { expect, test } from 'vitest'
import { rulesOf } from '../texts/effects.ts'

const rules = (...effects: object[]) =>
  rulesOf({ 'x-effects': effects }, { author_missing: 409, book_lent: 422 })

test.each([
  [
    'a record that must be there',
    { of: { authorId: 'body.author' }, needs: {}, otherwise: 'author_missing' },
    '`author` must name an author, else 409 `author_missing`.',
  ],
  [
    'a record without an identifier of its own name, and a code that no response has',
    { of: { isbn: 'body.isbn' }, needs: {}, otherwise: 'no_such_book' },
    '`isbn` must name a record, else `no_such_book`.',
  ],
  [
    'a refusal without a code',
    { of: { book_id: 'path.book_id' }, needs: { lent: null } },
    '`lent` of the book must not be set, else the request is refused.',
  ],
  [
    'a bound',
    { of: { bookId: 'path.bookId' }, needs: { copies: { above: 0 } }, otherwise: 'book_lent' },
    '`copies` of the book must be more than `0`, else 422 `book_lent`.',
  ],
  [
    'a list that must be empty',
    {
      of: { readingRoomId: 'path.readingRoomId' },
      without: { list: 'listLoans', with: { room: 'path.readingRoomId', open: true } },
      otherwise: 'book_lent',
    },
    '`listLoans` with `readingRoomId` in the path as `room` and `open=true` must find nothing, else 422 `book_lent`.',
  ],
  [
    'several conditions and changes',
    {
      of: { bookId: 'before.bookId' },
      when: { copies: 0, 'before.open': true, 'body.open': false },
      unless: { list: 'listLoans', with: { bookId: 'before.bookId' } },
      becomes: { lent: 'body.until', copies: { plus: 1 }, note: 'any', shelf: 'before.shelf' },
    },
    'If `copies` of the book that `bookId` named is `0`, `open` was `true`, you send `open` as `false` and `listLoans` with the earlier `bookId` finds nothing afterwards, its `lent` becomes the `until` that you send, its `copies` rises by `1`, its `note` changes and its `shelf` stays as it was.',
  ],
  [
    'a new record',
    { of: { loanId: 'reply.id' }, when: { 'body.days': { atLeast: 30 } }, becomes: { isLong: true } },
    'If you send a `days` of at least `30`, `isLong` of the new loan is `true`.',
  ],
])('a rule with %s is a sentence', (_, effect, sentence) => {
  expect(rules(effect)).toEqual([sentence])
})

test('an operation without rules has none', () => {
  expect(rulesOf({}, {})).toEqual([])
})
