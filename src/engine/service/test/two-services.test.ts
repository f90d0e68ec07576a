import { serve } from 'spec-served-lab/support/engine'
import { expect, test } from 'vitest'

const source = {
  openapi: '3.0.3',
  info: { title: 'Repeatable', version: '1' },
  paths: {
    '/things': {
      post: {
        operationId: 'addThing',
        parameters: [{ name: 'Idempotency-Key', in: 'header', schema: { type: 'string' } }],
        responses: { 204: { description: 'added' } },
      },
    },
  },
}

test('two services in one process take the same Idempotency-Key at the same time', async () => {
  const begun = Promise.withResolvers<void>()
  const end = Promise.withResolvers<void>()
  const first = await serve(source, {
    async addThing() {
      begun.resolve()
      await end.promise
      return { status: 204 }
    },
  })
  const second = await serve(source, { addThing: async () => ({ status: 204 }) })
  const request = { method: 'POST', url: '/things', headers: { 'idempotency-key': 'one' } } as const
  const waiting = first.inject(request)
  await begun.promise
  expect((await second.inject(request)).statusCode).toBe(204)
  expect((await first.inject(request)).statusCode).toBe(409) // it is still running there
  end.resolve()
  expect((await waiting).statusCode).toBe(204)
  await Promise.all([first.close(), second.close()])
})
