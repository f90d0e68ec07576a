import { expect, test } from 'vitest'
import { createVersions } from '../../check/invariants/versions.ts'
import { createLanes, type Use } from '../../check/lanes.ts'
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

/** Lanes of records that are numbered. */
function numbered() {
  let made = 0
  const lanes = createLanes(async () => ({ id: ++made, body: undefined }))
  const ids = async (use: Use, times: number) => {
    const all: unknown[] = []
    for (let time = 0; time < times; time++) all.push((await lanes.record('petId', use)).id)
    return all
  }
  return { lanes, ids }
}

test('reads share a record, a change and a removal have one of their own, and the next read shows the change', async () => {
  const { ids } = numbered()
  expect(await ids('reads', 2)).toEqual([1, 1])
  expect(await ids('changes', 2)).toEqual([2, 3])
  expect(await ids('removes', 1)).toEqual([4])
  expect(await ids('reads', 1)).toEqual([3])
})

test('writes name some records in turn, and others once one of them was refused', async () => {
  const { lanes, ids } = numbered()
  const first = await ids('names', 4)
  expect(await ids('names', 8)).toEqual([...first, ...first])
  lanes.forget('petId', 'names')
  expect(await ids('names', 2)).toEqual([5, 6])
})

test('work that is done at once shares no records', async () => {
  const { lanes, ids } = numbered()
  const found: unknown[][] = []
  const work = async () => void found.push([...(await ids('reads', 2)), ...(await ids('names', 1))])
  await Promise.all([lanes.run(work), lanes.run(work)])
  expect(new Set(found.flat()).size).toBe(4)
  // Another lane has the records of one that has ended.
  await lanes.run(work)
  expect(found.slice(0, 2).map(([id]) => id)).toContain(found[2]?.[0])
})
