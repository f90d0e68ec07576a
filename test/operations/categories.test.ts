import { expect, test } from 'vitest'
import { shared } from '../support/fixtures.ts'
import { startStore } from '../support/store.ts'

const store = shared(() => startStore())

test('of categories that are created at once with the same name one wins', async () => {
  const replies = await Promise.all(
    Array.from({ length: 10 }, () => store.call('createCategory', { body: { name: 'Racers' } })),
  )
  expect(replies.map(reply => reply.status).sort()).toEqual([201, ...Array(9).fill(409)])
})
