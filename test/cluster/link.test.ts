import { setTimeout } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createLink, type Link, type Message } from '../../src/cluster/link.ts'

/** Answers after as many milliseconds as it is told. */
const slowly = {
  async repeat({ value, after }: { value: string; after: number }): Promise<string> {
    await setTimeout(after)
    if (value === 'fault') throw new Error('It went wrong')
    return value
  },
}

/** Two sides in one process; what they say goes through JSON, as between processes. */
function join(): Link<typeof slowly, object> {
  const copy = (message: Message): Message => JSON.parse(JSON.stringify(message))
  const asking: Link<typeof slowly, object> = createLink(message => answering.receive(copy(message)))
  const answering: Link<object, typeof slowly> = createLink(message => asking.receive(copy(message)))
  answering.serve(slowly)
  return asking
}

test('each gets its own answer, in whatever order they come, though ids are used again', {
  timeout: 10_000,
}, async () => {
  const link = join()
  const ask = (value: string, after: number) => link.ask('repeat', { value, after })
  const first = ['a', 'b', 'c', 'd'].map((value, i) => ask(value, 40 - 10 * i))
  await expect(ask('fault', 1)).rejects.toThrow('It went wrong')
  expect(await first[3]).toBe('d')
  const second = ['e', 'f', 'g'].map((value, i) => ask(value, 10 * i))
  expect(await Promise.all([...first, ...second])).toEqual(['a', 'b', 'c', 'd', 'e', 'f', 'g'])
})

test('who waits when the other side ends is told, and so is who asks later', async () => {
  const link = join()
  const waiting = [
    link.ask('repeat', { value: 'a', after: 200 }),
    link.ask('repeat', { value: 'b', after: 1 }),
  ]
  expect(await waiting[1]).toBe('b')
  link.close()
  await expect(waiting[0]).rejects.toThrow('The other process has ended')
  await expect(link.ask('repeat', { value: 'c', after: 1 })).rejects.toThrow('The other process has ended')
})
