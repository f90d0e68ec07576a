import { connect } from 'node:net'
import { echo, serve } from 'spec-served-lab/support/engine'
import { modelFrom } from 'spec-served-lab/support/model'
import { describe, expect, test } from 'vitest'
import { createErrorForms } from '../replies/error-forms.ts'

const text = { type: 'string' }
const objectOf = (properties: object, required: string[] = []) => ({ type: 'object', properties, required })

/** A document whose operation declares one form for all errors. */
const documentWith = (schema: object, type = 'application/json', status = '4XX') => ({
  openapi: '3.0.3',
  info: { title: 'Foreign', version: '1' },
  paths: {
    '/notes': {
      post: {
        operationId: 'addNote',
        requestBody: {
          required: true,
          content: { 'application/json': { schema: objectOf({ a: { type: 'integer' } }) } },
        },
        responses: {
          200: { description: 'ok', content: { 'application/json': { schema: {} } } },
          [status]: { description: 'refused', content: { [type]: { schema } } },
        },
      },
    },
  },
})
const problem = objectOf({
  type: { type: 'string', format: 'uri' },
  title: text,
  status: { type: 'integer' },
  detail: text,
})
const wrong = 'The body is not valid: /a must be integer.'

describe('a refusal has the form in which the document declares errors', () => {
  test.each([
    [
      'a holder',
      objectOf({ error: objectOf({ message: text, type: text }) }),
      { error: { message: wrong, type: 'invalid_request' } },
    ],
    [
      'a problem (RFC 9457)',
      problem,
      { type: 'about:blank', title: 'Bad Request', status: 400, detail: wrong },
    ],
    [
      'a number as its code',
      objectOf({ code: { type: 'integer' }, message: text }, ['code', 'message']),
      { code: 400, message: wrong },
    ],
    [
      'a list of faults',
      objectOf({ errors: { type: 'array', items: objectOf({ field: text, message: text }) } }, ['errors']),
      { errors: [{ field: '/a', message: 'must be integer' }] },
    ],
    [
      'a list of texts',
      objectOf({ errors: { type: 'array', items: text } }),
      { errors: ['must be integer'] },
    ],
    [
      'codes of its own',
      objectOf(
        {
          code: { type: 'string', enum: ['NOT_FOUND', 'BAD_REQUEST'] },
          success: { type: 'boolean' },
          description: text,
        },
        ['code'],
      ),
      { code: 'BAD_REQUEST', success: false, description: wrong },
    ],
    [
      'alternatives',
      { oneOf: [objectOf({ id: { type: 'integer' } }, ['id']), objectOf({ detail: text }, ['detail'])] },
      { detail: wrong },
    ],
    [
      'more that is required',
      objectOf({ title: text, traceId: text, link: { type: 'string', default: 'https://example.org' } }, [
        'title',
        'traceId',
        'link',
      ]),
      { title: 'Bad Request', traceId: 'id-1', link: 'https://example.org' },
    ],
    ['a short text', objectOf({ message: { type: 'string', maxLength: 8 } }), { message: 'The body' }],
    [
      'parts',
      { allOf: [objectOf({ message: text }, ['message']), objectOf({ httpStatus: { type: 'integer' } })] },
      { message: wrong, httpStatus: 400 },
    ],
    ['none but any object', { type: 'object' }, { code: 'invalid_request', status: 400 }],
  ])('a refusal has the declared form: %s', async (_, schema, body) => {
    const app = await serve(documentWith(schema), { addNote: echo })
    const response = await app.inject({
      method: 'POST',
      url: '/notes',
      payload: { a: 'x' },
      headers: { 'x-request-id': 'id-1' },
    })
    expect(response.statusCode).toBe(400)
    expect(response.json()).toMatchObject(body)
    if ('properties' in schema) expect(Object.keys(response.json())).toEqual(Object.keys(body))
    await app.close()
  })

  test.each([
    ['application/problem+json', problem, '"detail":', 'application/problem+json; charset=utf-8'],
    ['text/plain', text, wrong, 'text/plain; charset=utf-8'],
    ['*/*', problem, '"detail":', 'application/json; charset=utf-8'],
  ])('a refusal has the declared form as %s', async (type, schema, part, sent) => {
    const app = await serve(documentWith(schema, type), { addNote: echo })
    const response = await app.inject({ method: 'POST', url: '/notes', payload: { a: 'x' } })
    expect(response.headers['content-type']).toBe(sent)
    expect(response.body).toContain(part)
    await app.close()
  })

  test('operations with different forms of errors have each its own, and one without a form has the most common', async () => {
    const document = documentWith(problem)
    const { post } = document.paths['/notes']
    const with4XX = (operationId: string, refusal: object) => ({
      post: { ...post, operationId, responses: { ...post.responses, '4XX': refusal } },
    })
    const holder = objectOf({ error: objectOf({ message: text }) })
    Object.assign(document.paths, {
      '/others': with4XX('addOther', {
        description: 'refused',
        content: { 'application/json': { schema: holder } },
      }),
      '/more': with4XX('addMore', post.responses['4XX'] ?? {}),
      '/bare': with4XX('addBare', { description: 'refused' }),
    })
    const app = await serve(document, { addNote: echo, addOther: echo, addMore: echo, addBare: echo })
    const refused = async (url: string) =>
      (await app.inject({ method: 'POST', url, payload: { a: 'x' } })).json()
    expect(await refused('/others')).toEqual({ error: { message: wrong } })
    for (const url of ['/notes', '/more', '/bare'])
      expect(await refused(url)).toMatchObject({ detail: wrong })
    await app.close()
  })

  test('a refusal outside any operation, or of a malformed request, has the declared form', async () => {
    const app = await serve(documentWith(problem, 'application/problem+json'), { addNote: echo })
    const nowhere = await app.inject({ url: '/nowhere' })
    expect(nowhere.headers['content-type']).toContain('application/problem+json')
    expect(nowhere.json()).toMatchObject({ title: 'Not Found', status: 404 })
    await app.listen({ port: 0, host: '127.0.0.1' })
    const { port } = new URL(app.listeningOrigin)
    const socket = connect(Number(port), '127.0.0.1')
    socket.end('HELLO\r\n\r\n')
    let read = ''
    for await (const chunk of socket) read += chunk
    expect(read).toMatch(
      /Content-Type: application\/problem\+json[\s\S]*"detail":"This is not an HTTP request\."/,
    )
    await app.close()
  })

  test('a handler’s refusal by a code of the document has the declared form', async () => {
    const document = documentWith(problem)
    Object.assign(document.paths['/notes'].post.responses['4XX'] ?? {}, {})
    document.paths['/notes'].post.responses['409'] = {
      description: 'taken',
      content: { 'application/json': { schema: problem } },
      ...{ 'x-codes': ['taken'] },
    }
    const app = await serve(document, { addNote: async () => ({ code: 'taken', message: 'There is one.' }) })
    const response = await app.inject({ method: 'POST', url: '/notes', payload: { a: 1 } })
    expect(response.statusCode).toBe(409)
    expect(response.json()).toEqual({
      type: 'about:blank',
      title: 'Conflict',
      status: 409,
      detail: 'There is one.',
    })
    await app.close()
  })
})

describe('a form that can’t be filled', () => {
  const unfit = async (schema: object, type?: string) =>
    createErrorForms(await modelFrom(documentWith(schema, type)), () => new Date())
      .unfit()
      .map(form => form.text)

  test.each([
    [
      'nothing that tells',
      objectOf({ colour: text }, ['colour']),
      undefined,
      'no property has a name that says',
    ],
    [
      'codes that mean nothing here',
      objectOf({ code: { type: 'string', enum: ['A1', 'B2'] }, message: text }, ['code', 'message']),
      undefined,
      'the body/code is required',
    ],
    ['another media type', {}, 'application/xml', 'nothing is known of errors as application/xml'],
  ])('an error form that can’t be filled is named with its place: %s', async (_, schema, type, reason) => {
    const [fault = ''] = await unfit(schema, type)
    expect(fault).toContain('addNote declares 4XX')
    expect(fault).toContain(reason)
  })

  test('an error form that can’t be filled gives way to the service’s own', async () => {
    const app = await serve(documentWith(objectOf({ colour: text }, ['colour'])), { addNote: echo })
    const response = await app.inject({ method: 'POST', url: '/notes', payload: { a: 'x' } })
    expect(response.json()).toMatchObject({ code: 'invalid_request', message: wrong })
    await app.close()
  })

  test.each([[problem], [{ type: 'object' }], [{}]])('is none of %j', async schema => {
    expect(await unfit(schema)).toEqual([])
  })
})
