import { expect, test } from 'vitest'
import { createVersions } from '../../check/invariants/versions.ts'
import { createTurns, inTurns } from '../../check/turns.ts'
import type { WireReply } from '../../records/messages.ts'

/** Work that ends when it is told to, and notes its beginning and its end. */
function workThat(notes: string[], name: string) {
  const { promise, resolve } = Promise.withResolvers<void>()
  const work = async () => {
    notes.push(`${name} begins`)
    await promise
    notes.push(`${name} ends`)
  }
  return { work, end: resolve }
}
const soon = () => new Promise(done => setImmediate(done))

test('a write that looks at whole lists waits for writes under way, and later ones wait for it', async () => {
  const { beside, alone } = createTurns()
  const notes: string[] = []
  const [first, second, whole, last] = ['first', 'second', 'whole', 'last'].map(name => workThat(notes, name))
  const all = [first, second].map(item => beside(item?.work ?? soon))
  await soon()
  all.push(alone(whole?.work ?? soon), beside(last?.work ?? soon))
  await soon()
  expect(notes).toEqual(['first begins', 'second begins'])
  first?.end()
  second?.end()
  await soon()
  expect(notes.slice(2)).toEqual(['first ends', 'second ends', 'whole begins'])
  whole?.end()
  last?.end()
  await Promise.all(all)
  expect(notes.slice(5)).toEqual(['whole ends', 'last begins', 'last ends'])
})

test('work on several things begins in their order, not more at a time than allowed, and ends before its error', async () => {
  let running = 0
  const most: number[] = []
  const work = async (item: number) => {
    most.push(++running)
    await soon()
    running--
    if (item === 3) throw new Error('third')
    return item * 2
  }
  expect(await inTurns([1, 2, 4], 2, work)).toEqual([2, 4, 8])
  expect(Math.max(...most)).toBe(2)
  await expect(inTurns([1, 2, 3, 4, 5, 6], 2, work)).rejects.toThrow('third')
  expect(running).toBe(0)
})

test('a record that is read while a write is under way may be as it was before it or after it', async () => {
  const versions = createVersions()
  const reply = (text: string): WireReply => ({
    ...{ status: 200, headers: { etag: `"${text}"` }, text, length: 1, body: undefined },
  })
  const note = (text: string, since = versions.settled()) => [
    ...versions.note('/pets/1', reply(text), true, since ?? -1),
  ]
  await versions.writing(async () => {
    expect(note('a')).toEqual([])
    expect(note('b')).toEqual([])
  })
  expect(note('c')).toEqual([])
  expect(note('d')).toEqual([expect.stringContaining('changes without a write')])
})
