import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SignJWT } from 'jose'
import { startTest } from 'spec-served/testing'
import type { Own } from '../src/handlers/handler.ts'
import service from '../src/server.ts'

process.env.CARD_SECRET = 'the secret of the tests, of 32 bytes or more'
const start = () => startTest<Own>(service)
const emma = { title: 'Emma', form: { kind: 'print', pages: 474 }, place: ['A', 3], names: { de: 'Emma' } }

test('a book is shown as it was added, without its donor', async () => {
  await using library = await start()
  const body = { ...emma, published: '1815-12-23', details: { bound: true }, donor: 'Jane' }
  const added = await library.call('addBook', { body })
  assert.equal(added.status, 201)
  const { donor: _, ...shown } = body
  const { id, added: day } = added.body
  assert.deepEqual((await library.call('getBook', { path: { book: id } })).body, { ...shown, id, added: day })
  const both = { kind: 'audio', pages: 474 }
  assert.equal((await library.call('addBook', { body: { title: 'Emma', form: both } })).status, 400)
})

test('a cover is uploaded, and downloaded as a whole or in part', async () => {
  await using library = await start()
  const { id: book } = (await library.call('addBook', { body: emma })).body
  const put = async (type: string) => {
    const form = new FormData()
    form.set('image', new File(['0123456789'], 'cover', { type }))
    const sent = new Response(form)
    const headers = { 'content-type': sent.headers.get('content-type') ?? '' }
    const rawBody = Buffer.from(await sent.arrayBuffer())
    return (await library.call('putCover', { path: { book }, headers, rawBody })).status
  }
  const get = async (range?: string) => {
    const headers = range === undefined ? {} : { range }
    const { status, headers: fields, body } = await library.call('getCover', { path: { book }, headers })
    return [status, fields['content-type'], fields['content-range'], status < 300 && body]
  }
  assert.equal((await get())[0], 404)
  assert.equal(await put('text/html'), 400)
  assert.equal(await put('image/png'), 204)
  assert.deepEqual(await get(), [200, 'image/png', undefined, '0123456789'])
  assert.deepEqual(await get('bytes=2-4'), [206, 'image/png', 'bytes 2-4/10', '234'])
  assert.deepEqual(await get('bytes=-3'), [206, 'image/png', 'bytes 7-9/10', '789'])
  assert.deepEqual((await get('bytes=10-')).slice(0, 3), [
    416,
    'application/problem+json; charset=utf-8',
    'bytes */10',
  ])
})

test('a search answers with an event for each book', async () => {
  await using library = await start()
  for (const title of ['Emma', 'Persuasion', 'Evelina'])
    await library.call('addBook', { body: { ...emma, title } })
  const { headers, body } = await library.call('searchBooks', { body: { words: ['emm', 'E', 'nothing'] } })
  assert.match(headers['content-type'] ?? '', /^text\/event-stream/)
  const found = [...String(body).matchAll(/^data: (.*)$/gm)].map(([, data = '']) => JSON.parse(data).title)
  assert.deepEqual(found, ['Emma', 'Persuasion', 'Evelina'])
})

test('a book is lent once, to the reader of the card', async () => {
  await using library = await start()
  const { id: book } = (await library.call('addBook', { body: emma })).body
  const secret = new TextEncoder().encode(process.env.CARD_SECRET)
  const card = await new SignJWT({ sub: 'reader-7' }).setProtectedHeader({ alg: 'HS256' }).sign(secret)
  const lend = (token: string, number = book) =>
    library.app.inject({
      ...{ method: 'POST', url: '/v1/loans', headers: { authorization: `Bearer ${token}` } },
      payload: { book: number, due: '2030-01-31' },
    })
  const lent = await lend(card)
  assert.deepEqual([lent.statusCode, lent.json().reader], [201, 'reader-7'])
  assert.equal((await lend(card)).statusCode, 409)
  assert.equal((await lend(card, 99)).statusCode, 404)
  assert.equal((await lend(`${card}x`)).statusCode, 401)
})

test('the routes of the desk are plain Fastify, and pages may read all replies', async () => {
  await using library = await start()
  const { app } = library
  assert.equal((await app.inject('/desk/hours')).json().opens, '09:00')
  const note = (payload: object) => app.inject({ method: 'POST', url: '/desk/notes', payload })
  assert.equal((await note({ text: 'Water the plants' })).statusCode, 201)
  assert.equal((await note({})).json().code, 'FST_ERR_VALIDATION')
  assert.deepEqual((await app.inject('/desk/notes?limit=1')).json(), ['Water the plants'])
  const { statusCode, headers } = await app.inject('/v1/books/1')
  const { 'access-control-allow-origin': origin, 'x-frame-options': frames } = headers
  assert.deepEqual([statusCode, origin, frames], [401, 'https://reading-room.example', 'SAMEORIGIN'])
})
