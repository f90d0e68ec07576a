import { unitsOf } from 'spec-served-lab/support/cost'
import { shared } from 'spec-served-lab/support/fixtures'
import { startStore } from 'spec-served-lab/support/store'
import { describe, expect, test } from 'vitest'

const store = shared(() => startStore({ trustProxy: 1 }))

const body = JSON.stringify({ name: '' })
const post = (headers: Record<string, string>, payload = body) =>
  store.request({
    method: 'POST',
    url: '/categories',
    headers: { 'content-type': 'application/json', ...headers },
    payload,
  })

/** Nearly all that Node takes of the header fields of a request, in characters. */
const size = 15_000
/** The most that a hostile text may cost, in units. Work that grows with the square of the size takes several times that. */
const most = 10

const fillings = [...' a,;"\\=/.:%-0@[&', '%25', '%f0']
const parts = ['a=', ';a="', 'W/"', ', "a', 'q=0,', '<a>; ', '--a', '\t ', '1.1.1.1:', '::', 'a.b/']
const hostile = [...fillings, ...parts].map(part => part.repeat(size / part.length))

describe('a field of 15,000 characters', () => {
  test.each([
    ['content-type', 'application/json'],
    ['content-type', 'application/json; charset='],
    ['content-type', 'multipart/form-data; boundary='],
    ['content-encoding', 'gzip'],
    ['accept', '*/*'],
    ['accept-encoding', 'gzip'],
    ['if-match', '"1"'],
    ['if-none-match', '"1"'],
    ['prefer', 'code=200'],
    ['link', '<a>'],
    ['traceparent', '00-'],
    ['tracestate', 'a='],
    ['idempotency-key', '"a'],
    ['x-request-id', 'a'],
    ['x-forwarded-for', '192.0.2.1'],
    ['x-forwarded-host', 'a'],
    ['x-forwarded-proto', 'http'],
    ['host', 'a'],
    ['cookie', 'a=b'],
    ['authorization', 'Bearer'],
    ['x-api-key', 'pet_live_'],
    ['origin', 'http://a'],
  ])('a field of 15,000 characters is read in linear time: %s, which begins with %s', async (name, begin) => {
    for (const text of hostile)
      for (const end of ['x', '"', '\u00e9']) {
        const send = () => post({ [name]: begin + text + end })
        const cost = await unitsOf(send, most)
        expect(cost, text.slice(0, 20)).toBeLessThan(most)
      }
  })

  test('a path, a query and a cursor of 15,000 characters are read in linear time', async () => {
    for (const text of hostile)
      for (const begin of [
        '/pets/',
        '/pets?cursor=',
        '/pets?ids=',
        '/pets?name=',
        '/pets?',
        '/docs?v=',
        '/',
      ]) {
        const url = begin + text.replaceAll(/[\t "<>\\[]/g, encodeURIComponent).slice(0, 7_900)
        const cost = await unitsOf(() => store.request(url), most)
        expect(cost, url.slice(0, 20)).toBeLessThan(most)
      }
  })
})

test('a media type of more than 256 characters is refused unread', async () => {
  const ofLength = (length: number) => `application/json; a=${'b'.repeat(length - 20)}`
  expect((await post({ 'content-type': ofLength(256) })).statusCode).toBe(400) // the body is read, and has a blank name
  const reply = await post({ 'content-type': ofLength(257) })
  expect(reply.statusCode).toBe(415)
  expect(reply.json().code).toBe('unsupported_media_type')
})

test('texts with escapes in a body that is nested deeply are read in linear time', async () => {
  const name = 'n'.repeat(100)
  const texts = Array(9_000).fill('"\\ud83d\\ude00"').join()
  const nested = `${`{"${name}":`.repeat(98)}[${texts}]${'}'.repeat(98)}`
  const send = () => post({}, nested)
  expect((await send()).statusCode).toBe(400)
  expect(await unitsOf(send, most)).toBeLessThan(most)
})
