import { expect, onTestFinished, test } from 'vitest'
import { modelFrom } from '../../../../test/support/model.ts'
import { callersFrom } from '../../tools/check/auth.ts'
import { readInterface } from '../../tools/check/interface.ts'
import { openRunning } from '../../tools/check/running.ts'
import { checkContract } from '../../tools/check/service.ts'
import {
  otherCredentials,
  otherDocument,
  type Reply,
  type Spoilt,
  startOther,
} from '../support/other-service.ts'

const model = await modelFrom(otherDocument)

/** Runs the check on a service that knows nothing of this project. */
async function check(spoilt: Spoilt = {}, auth: readonly string[] = otherCredentials) {
  const url = new URL(await startOther(spoilt))
  const keys = callersFrom(model, auth, {})
  const world = await openRunning({ contract: readInterface(model), url, keys, writes: true, most: 5_000 })
  onTestFinished(() => world.end())
  const outcome = await checkContract({ model, open: async () => world, seed: 1 })
  return { ...outcome, told: outcome.faults.map(one => `${one.operation}: ${one.message}`) }
}

/** Changes the replies to a request. */
const at = (to: string, change: (reply: Reply) => Partial<Reply>): Spoilt => ({
  reply: (reply, request) => (request === to && reply.status < 300 ? { ...reply, ...change(reply) } : reply),
})
const text = (to: string, body: string) => at(to, () => ({ text: body }))
const field = (name: string, value?: string) =>
  at('GET /books', ({ headers: { [name]: _, ...headers } }) => ({
    headers: value === undefined ? headers : { ...headers, [name]: value },
  }))
const book = (more: string) => text('GET /books', `[{"id":1,"title":"A"${more}}]`)

test('a right service of another make has no fault, and each of its operations is reached', async () => {
  const { told, silent, promises } = await check()
  expect(told).toEqual([])
  expect(silent).toEqual([])
  expect(promises.filter(({ state }) => state === 'looked at').map(({ by }) => by)).toEqual([
    'parameters, bodies and responses',
    'security',
    'a POST beside operations on one of its records',
  ])
})

test.each<[string, Spoilt, RegExp]>([
  [
    'a missing Content-Type',
    at('GET /anything', () => ({ headers: {} })),
    /^getAnything: .*a body without Content-Type/,
  ],
  [
    'a malformed Content-Type',
    at('GET /anything', () => ({ headers: { 'content-type': 'text' } })),
    /^getAnything: .*"text" is no media type/,
  ],
  [
    'another Content-Type',
    at('GET /motto', () => ({ headers: { 'content-type': 'text/html' } })),
    /^getMotto: .*has text\/html, but declares text\/plain/,
  ],
  [
    'malformed JSON under an open schema',
    text('GET /anything', '{"a":1'),
    /^getAnything: .*the body is not valid JSON/,
  ],
  [
    'a name twice in an object',
    text('GET /anything', '{"a":{"b":1,"b":2}}'),
    /^getAnything: .*the body\/a\/b stands twice/,
  ],
  ['a writeOnly property in a reply', book(',"pin":"1234"'), /^listBooks: .*the body\/0\/pin is writeOnly/],
  [
    'an integer beyond 64 bits',
    text('GET /books', '[{"id":9223372036854775808,"title":"A"}]'),
    /^listBooks: .*the body\/0\/id is 9223372036854775808, which is beyond/,
  ],
  ['a missing property', text('GET /books', '[{"id":1}]'), /^listBooks: .*the body\/0\/title is required/],
  [
    'null where no null may be',
    text('GET /books', '[{"id":1,"title":null}]'),
    /^listBooks: .*the body\/0\/title must be string/,
  ],
  ['an empty body', text('GET /anything', ''), /^getAnything: .*declares a body, and there is none/],
  [
    'an integer field with a fraction',
    field('x-total', '1.5'),
    /^listBooks: .*the header X-Total must be integer/,
  ],
  [
    'a number field with a word',
    field('x-balance', 'much'),
    /^listBooks: .*the header X-Balance must be number/,
  ],
  ['a missing field', field('x-balance'), /^listBooks: .*the header X-Balance is missing/],
  ['a boolean field with a digit', field('x-whole', '1'), /^listBooks: .*the header X-Whole must be boolean/],
  [
    'an object field with a word',
    field('x-range', 'from=first'),
    /^listBooks: .*the header X-Range\/from must be integer/,
  ],
  [
    'one wrong cookie of two',
    at('GET /books', ({ headers }) => ({ headers: { ...headers, 'set-cookie': ['a=1', 'b=x'] } })),
    /^listBooks: .*the header Set-Cookie must have the form/,
  ],
  [
    'an undeclared status',
    at('GET /motto', () => ({ status: 203 })),
    /^getMotto: .*does not declare the status 203/,
  ],
  ['a failure', at('GET /motto', () => ({ status: 500 })), /^getMotto: .*does not declare the status 500/],
  [
    'a value beyond a bound that is taken',
    { takesAnyLimit: true },
    /^listBooks: \/query\/limit .*: an invalid request was answered 200/,
  ],
  [
    'a bound that is refused',
    { refusesLimit: 50 },
    /^listBooks: \/query\/limit its maximum: a valid request was answered 400/,
  ],
  [
    'a body that is taken against its schema',
    { takesLongTitles: true },
    /^addBook: \/body\/title too long: an invalid request was answered 201/,
  ],
  [
    'a record that is not kept',
    { forgets: true },
    /^addBook: it is stored, and yet GET \/books\/\d+ is answered 404/,
  ],
  [
    'a record that is not removed',
    { keepsRemoved: true },
    /^removeBook: it is gone, and yet GET \/books\/\d+ is answered 200/,
  ],
  [
    'an operation that needs no credential',
    { needsNoToken: true },
    /^addBook: no key is answered 201 instead of 401/,
  ],
  [
    'any credential that is taken',
    { takesAnyToken: true },
    /^by_field: the unknown key .* is answered 200 instead of 401/,
  ],
])('%s is told with its cause', async (_, spoilt, told) => {
  const found = await check(spoilt)
  expect(found.told.join('\n')).toMatch(new RegExp(told.source, 'm'))
  const [operation = ''] = /\w+/.exec(told.source) ?? []
  const others = found.told.filter(one => !one.startsWith(operation))
  // The same fault may show in each operation of its kind.
  expect(others.filter(one => !/no key|unknown key|body without|invalid request was/.test(one))).toEqual([])
})

test('a credential that opens nothing is a fault, and operations without a success are told', async () => {
  const { told, silent } = await check({}, ['token=wrong'])
  expect(told).toEqual(['the service: the credential token opened nothing: no secured operation let it in'])
  expect(silent).toContain('addBook')
})
