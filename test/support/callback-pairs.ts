import type { Row } from './pairs.ts'

const string = { type: 'string' }
const integer = { type: 'integer' }
const object = (properties: object, more: object = {}) => ({ type: 'object', properties, ...more })
const json = (schema: object) => ({ content: { 'application/json': { schema } } })
const ok = { description: 'ok' }
const address = '{$request.body#/url}'

/** A callback of `createThing`, with one call. */
const call = (part: object = {}, url = address) => ({
  'create.callbacks': { done: { [url]: { post: { responses: { 200: ok }, ...part } } } },
})
const sent = (schema: object) => call({ requestBody: json(schema) })
const header = (part: object = {}) =>
  call({ parameters: [{ name: 'X-A', in: 'header', schema: string, ...part }] })
const answered = (part: object) => call({ responses: { 200: { ...ok, ...part } } })
const answer = (schema: object) => answered(json(schema))
const answerHeader = (part: object = {}) => answered({ headers: { 'X-A': { schema: string, ...part } } })
const signed = (...names: string[]) => call({ security: [Object.fromEntries(names.map(name => [name, []]))] })
const over = { deprecated: true, 'x-deprecated-sunset': '2026-01-01' }
const everyCall = (...urls: string[]) => ({
  'create.callbacks': {
    done: Object.fromEntries(urls.map(url => [url, { post: { responses: { 200: ok } } }])),
  },
})
const byItself = (schema: object) => ({
  ...call({ callbacks: { again: { $ref: '#/components/callbacks/Again' } } }),
  'components.callbacks': {
    Again: {
      '{$request.body#/back}': {
        put: {
          requestBody: json(schema),
          responses: { 200: ok },
          callbacks: { again: { $ref: '#/components/callbacks/Again' } },
        },
      },
    },
  },
})

/** What the service sends in a callback, and how clients answer it: who reads what has changed sides. */
export const callbackRows: Record<string, Row[]> = {
  'callbacks: what the service sends': [
    ['clients read it', sent(object({ a: string })), sent(object({})), 'breaking property-removed'],
    [
      'clients need not read it',
      sent(object({})),
      sent(object({ a: string }, { required: ['a'] })),
      'info required-property-added',
    ],
    [
      'clients do not know the value',
      sent({ enum: ['a'] }),
      sent({ enum: ['a', 'b'] }),
      'breaking enum-value-added',
    ],
    ['clients know the rest', sent({ enum: ['a', 'b'] }), sent({ enum: ['a'] }), 'info enum-value-removed'],
    [
      'clients read what they can’t send',
      sent(object({ a: { ...string, readOnly: true } })),
      sent(object({})),
      'breaking property-removed',
    ],
    ['clients never got it', sent(object({ a: { ...string, writeOnly: true } })), sent(object({}))],
    ['there is nothing to read', sent(string), call(), 'breaking request-body-removed'],
    [
      'clients need not read it',
      call(),
      call({ requestBody: { required: true, ...json(string) } }),
      'info request-body-added',
    ],
    [
      'there may be nothing to read',
      call({ requestBody: { required: true, ...json(string) } }),
      sent(string),
      'breaking request-body-became-optional',
    ],
    [
      'there always is something to read',
      sent(string),
      call({ requestBody: { required: true, ...json(string) } }),
      'info request-body-became-required',
    ],
    [
      'clients can’t ask for the type that they read',
      sent(string),
      call({ requestBody: { content: { 'application/json': { schema: string }, 'text/plain': {} } } }),
      'breaking media-type-added',
    ],
    ['clients read it', header(), call(), 'breaking parameter-removed'],
    ['its sunset has passed', header(over), call(), 'info parameter-removed'],
    ['clients need not read it', call(), header({ required: true }), 'info parameter-added'],
    ['clients may not find it', header({ required: true }), header(), 'breaking parameter-became-optional'],
    ['clients always find it', header(), header({ required: true }), 'info parameter-became-required'],
    ['clients look for it elsewhere', header(), header({ in: 'query' }), 'breaking parameter-moved'],
    [
      'clients get signs that they do not expect',
      header({ in: 'query' }),
      header({ in: 'query', allowReserved: true }),
      'breaking parameter-form-widened',
    ],
    [
      'clients take longer ones',
      header({ schema: { ...string, maxLength: 5 } }),
      header(),
      'breaking max-length-widened',
    ],
    ['clients that check it refuse the call', signed('Key'), call(), 'breaking callback-security-changed'],
    ['clients need not check it', call(), signed('Key'), 'info callback-security-raised'],
    ['clients need not check both', signed('Key'), signed('Key', 'Token'), 'info callback-security-raised'],
    [
      'generated clients name their methods after it',
      call({ operationId: 'a' }),
      call({ operationId: 'b' }),
      'breaking operation-id-changed',
    ],
  ],
  'callbacks: what clients answer': [
    [
      'answers of before are too great',
      answer(integer),
      answer({ ...integer, maximum: 5 }),
      'breaking maximum-narrowed',
    ],
    ['clients need not use it', answer({ ...integer, maximum: 5 }), answer(integer), 'info maximum-widened'],
    [
      'answers of before lack it',
      answer(object({})),
      answer(object({ a: string }, { required: ['a'] })),
      'breaking required-property-added',
    ],
    ['it is only ignored', answer(object({ a: string })), answer(object({})), 'warning property-removed'],
    [
      'errors are held to the same',
      call({ responses: { 500: { ...ok, ...json({ enum: ['a', 'b'] }) } } }),
      call({ responses: { 500: { ...ok, ...json({ enum: ['a'] }) } } }),
      'breaking enum-value-removed',
    ],
    [
      'clients answer with the old type',
      answer(string),
      answered({ content: { 'text/plain': { schema: string } } }),
      'breaking media-type-removed',
      'info media-type-added',
    ],
    ['clients answer so', call({ responses: { 200: ok, 202: ok } }), call(), 'breaking status-removed'],
    ['clients fail so', call({ responses: { 200: ok, 410: ok } }), call(), 'warning status-removed'],
    ['clients need not answer so', call(), call({ responses: { 200: ok, 202: ok } }), 'info status-added'],
    ['answers of before lack it', call(), answerHeader({ required: true }), 'breaking required-header-added'],
    ['clients need not send it', call(), answerHeader(), 'info header-added'],
    [
      'answers may lack it',
      answerHeader(),
      answerHeader({ required: true }),
      'breaking header-became-required',
    ],
    [
      'clients may leave it out',
      answerHeader({ required: true }),
      answerHeader(),
      'info header-became-optional',
    ],
    ['it is only ignored', answerHeader(), call(), 'warning header-removed'],
    [
      'clients follow no link of their own',
      answered({ links: { next: { operationId: 'getThing' } } }),
      call(),
    ],
  ],
  'callbacks: which there are': [
    ['clients wait in vain', call(), { 'create.callbacks': undefined }, 'breaking callback-removed'],
    ['its sunset has passed', call(over), { 'create.callbacks': undefined }, 'info callback-removed'],
    [
      'nobody gives its address yet',
      call(),
      everyCall(address, '{$request.body#/other}'),
      'info callback-added',
    ],
    [
      'it comes to an address that was given for another',
      call(),
      everyCall(address, `${address}/more`),
      'warning callback-added',
    ],
    [
      'a new name for what comes to the same address',
      call(),
      {
        'create.callbacks': {
          ...call()['create.callbacks'],
          more: { [address]: { put: { responses: { 200: ok } } } },
        },
      },
      'warning callback-added',
    ],
    [
      'nobody gives a fixed address',
      call(),
      everyCall(address, 'https://fixed.example'),
      'info callback-added',
    ],
    ['one of two goes', everyCall(address, `${address}/more`), call(), 'breaking callback-removed'],
    [
      'another method is another call',
      call(),
      { 'create.callbacks': { done: { [address]: { put: { responses: { 200: ok } } } } } },
      'breaking callback-removed',
      'warning callback-added',
    ],
    [
      'the address is looked for elsewhere',
      call(),
      call({}, '{$request.query.url}'),
      'breaking callback-moved',
    ],
    ['another way at the same address', call(), call({}, `${address}/done`), 'breaking callback-moved'],
    [
      'moved and changed',
      sent(object({ a: string })),
      call({ requestBody: json(object({})) }, '{$request.query.url}'),
      'breaking callback-moved',
      'breaking property-removed',
    ],
    ['braces mean nothing', call(), call({}, '$request.body#/url')],
    ['headers have no case', call({}, '{$request.header.X-Url}'), call({}, '{$request.header.x-url}')],
    [
      'what was experimental may go',
      { ...call(), 'create.x-stability': 'experimental' },
      { 'create.x-stability': 'experimental' },
      'info callback-removed',
    ],
    [
      'a call may be experimental by itself',
      call({ 'x-stability': 'experimental', requestBody: json(string) }),
      call({ 'x-stability': 'experimental' }),
      'info request-body-removed',
    ],
    [
      'beta is bound for 31 days only',
      { ...call(), 'create.x-stability': 'beta' },
      {
        ...call({
          deprecated: true,
          'x-deprecated-at': '2026-06-15',
          'x-deprecated-sunset': '2026-07-16',
        }),
        'create.x-stability': 'beta',
      },
      'info deprecated',
    ],
    ['no end is told', call(), call({ deprecated: true }), 'breaking sunset-missing'],
    [
      'to what calls back again, clients send; it leads to itself, and its change is told once',
      byItself(string),
      byItself({ ...string, maxLength: 5 }),
      'breaking max-length-narrowed',
    ],
  ],
}
