import { AsyncLocalStorage } from 'node:async_hooks'
import type { IncomingMessage } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { queryObjects } from 'node:v8'
import type { FastifyRequest } from 'fastify'
import { serve } from 'spec-served-lab/support/engine'
import { expect, test } from 'vitest'

const document = {
  openapi: '3.0.3',
  info: { title: 'T', version: '1' },
  paths: { '/things': { post: { operationId: 'add', responses: { 204: { description: 'Added' } } } } },
}

test('what goes on in the context of a write keeps no request in memory', async () => {
  // As what is old in V8's memory does until it is looked through.
  const contexts: unknown[] = []
  const sent: WeakRef<IncomingMessage>[] = []
  const handlers = {
    add: async () => {
      contexts.push(AsyncLocalStorage.snapshot())
      return { status: 204 } as const
    },
  }
  const observe = ({ raw }: FastifyRequest) => void sent.push(new WeakRef(raw))
  await using app = await serve(document, handlers, {}, { observe })
  for (let i = 0; i < 5; i++)
    expect((await app.inject({ method: 'POST', url: '/things' })).statusCode).toBe(204)
  await sleep(10) // a WeakRef keeps what it was asked for until the end of its turn
  queryObjects(WeakRef) // collects garbage
  const kept = sent.filter(request => request.deref() !== undefined)
  expect([contexts.length, sent.length, kept.length]).toEqual([5, 5, 0])
})
