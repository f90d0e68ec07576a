import { once } from 'node:events'
import { createServer, get } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { Response } from '../../http/connections.ts'

/** Sends a reply of a server, and returns what its listeners noted. */
async function noted(
  add: (response: Response, note: (what: string) => () => void) => void,
): Promise<string[]> {
  const notes: string[] = []
  const server = createServer({ ServerResponse: Response }, (_request, response) => {
    add(response, what => () => void notes.push(what))
    response.end('here')
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo // it listens on a port
  const [reply] = await once(get({ host: '127.0.0.1', port, agent: false }), 'response')
  await once(reply.resume(), 'close')
  await once(server.close(), 'close')
  return notes
}

test('all listeners of the ends of a reply are called once', async () => {
  const called = await noted((response, note) => {
    for (const event of ['finish', 'close'])
      for (const which of ['first', 'second', 'third']) response.on(event, note(`${which} ${event}`))
  })
  const ends = ['finish', 'close'].flatMap(event =>
    ['first', 'second', 'third'].map(item => `${item} ${event}`),
  )
  expect(called.toSorted()).toEqual(ends.toSorted())
})

test.each(['removeListener', 'off'] as const)('a listener that %s takes away is not called', async remove => {
  const called = await noted((response, note) => {
    for (const event of ['finish', 'close']) {
      response.on(event, note(`kept ${event}`))
      const [added, addedOnce] = [note('removed'), note('removed')]
      response.on(event, added)[remove](event, added)
      response.once(event, addedOnce)[remove](event, addedOnce)
      response.once(event, note(`once ${event}`))
    }
  })
  expect(called.toSorted()).toEqual(['kept close', 'kept finish', 'once close', 'once finish'])
})
