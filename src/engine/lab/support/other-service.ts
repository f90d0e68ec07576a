import { createServer, type IncomingHttpHeaders, type OutgoingHttpHeaders } from 'node:http'
import { onTestFinished } from 'vitest'
import { listen } from './http.ts'

/** A reply of the service, before it is sent. */
export interface Reply {
  status: number
  headers: OutgoingHttpHeaders
  text: string
}

/** Faults that the service can have. */
export interface Spoilt {
  /** changes a reply @param to the request, as `GET /books` */
  reply?(reply: Reply, to: string): Reply
  /** what it does in place of what it should */
  takesAnyLimit?: boolean
  ignoresLimit?: boolean
  failsAtOddTitles?: boolean
  refusesLimit?: number
  takesLongTitles?: boolean
  takesAnyPages?: boolean
  forgets?: boolean
  keepsRemoved?: boolean
  needsNoToken?: boolean
  takesAnyToken?: boolean
  losesNotes?: boolean
  losesDefaults?: boolean
  keepsNotes?: boolean
  ignoresOffset?: boolean
  ignoresGenre?: boolean
  takesOthersAway?: boolean
  changesOthers?: boolean
  patchesAll?: boolean
  failsAtNothing?: boolean
  tellsPassword?: boolean
  refusesWith422?: number
}

const json = (schema: object) => ({ 'application/json': { schema } })
const text = { type: 'string' }
const bookFields = {
  title: { type: 'string', minLength: 1, maxLength: 40 },
  genre: { enum: ['novel', 'poetry'], default: 'novel' },
  pages: { type: 'integer', exclusiveMinimum: 0 },
  note: { type: ['string', 'null'] },
}
const components = {
  schemas: {
    Draft: {
      type: 'object',
      required: ['title'],
      properties: { ...bookFields, pin: { type: 'string', writeOnly: true, maxLength: 8 } },
    },
    Book: {
      type: 'object',
      required: ['id', 'title'],
      properties: {
        id: { type: 'integer', format: 'int64' },
        ...bookFields,
        title: text,
        pin: { type: 'string', writeOnly: true },
      },
    },
  },
  securitySchemes: {
    token: { type: 'http', scheme: 'bearer' },
    login: { type: 'http', scheme: 'basic' },
    field: { type: 'apiKey', in: 'header', name: 'X-Token' },
    query: { type: 'apiKey', in: 'query', name: 'api_key' },
    cookie: { type: 'apiKey', in: 'cookie', name: 'sid' },
    provider: {
      type: 'oauth2',
      flows: { clientCredentials: { tokenUrl: 'https://example.com', scopes: {} } },
    },
  },
}
const book = { $ref: '#/components/schemas/Book' }
const no = { description: 'No' }
const refusals = { 400: no, 404: no }
const guarded = { security: [{ token: [] }] }
const body = { required: true, content: json({ $ref: '#/components/schemas/Draft' }) }
const ok = (content: object, headers: object = {}) => ({ 200: { description: 'Yes', content, headers } })
const schemes = Object.keys(components.securitySchemes)

/** The document of a service that knows nothing of this project: OpenAPI 3.1 without extensions. */
export const otherDocument = {
  openapi: '3.1.0',
  info: { title: 'Library', version: '1' },
  components,
  paths: {
    '/books': {
      get: {
        operationId: 'listBooks',
        parameters: [
          { name: 'limit', in: 'query', schema: { type: 'integer', minimum: 1, maximum: 50 } },
          { name: 'genre', in: 'query', schema: { enum: bookFields.genre.enum } },
          { name: 'offset', in: 'query', schema: { type: 'integer', minimum: 0 } },
          { name: 'cursor', in: 'query', schema: text },
          { name: 'X-Trace', in: 'header', schema: text },
        ],
        responses: {
          ...ok(json({ type: 'array', items: book }), {
            'X-Total': { schema: { type: 'integer' } },
            'X-Balance': { required: true, schema: { type: 'number' } },
            'X-Whole': { schema: { type: 'boolean' } },
            'X-Genres': { schema: { type: 'array', items: text } },
            'X-Range': {
              explode: true,
              schema: { type: 'object', properties: { from: { type: 'integer' } } },
            },
            'Set-Cookie': { schema: { type: 'string', pattern: '^[a-z]=\\d$' } },
          }),
          ...refusals,
        },
      },
      post: {
        operationId: 'addBook',
        ...guarded,
        requestBody: body,
        responses: { 201: { description: 'Added', content: json(book) }, ...refusals, 401: no },
      },
    },
    '/books/{id}': {
      parameters: [
        { name: 'id', in: 'path', required: true, schema: { type: 'integer', format: 'int64', minimum: 1 } },
      ],
      get: { operationId: 'getBook', responses: { ...ok(json(book)), ...refusals } },
      put: {
        operationId: 'replaceBook',
        ...guarded,
        requestBody: body,
        responses: { ...ok(json(book)), ...refusals, 401: no },
      },
      patch: {
        operationId: 'changeBook',
        ...guarded,
        requestBody: {
          required: true,
          content: json({
            type: 'object',
            properties: { pages: bookFields.pages, genre: { enum: bookFields.genre.enum } },
          }),
        },
        responses: { ...ok(json(book)), ...refusals, 401: no },
      },
      delete: { operationId: 'removeBook', ...guarded, responses: { 204: no, ...refusals, 401: no } },
    },
    '/report': {
      get: {
        operationId: 'getReport',
        responses: ok({
          'application/xml': { schema: { type: 'object', properties: { a: { type: 'integer' } } } },
        }),
      },
    },
    '/motto': { get: { operationId: 'getMotto', responses: ok({ 'text/plain': { schema: text } }) } },
    '/nothing': {
      get: { operationId: 'getNothing', responses: { ...ok(json({ type: ['object', 'null'] })), 500: no } },
    },
    '/covers': {
      post: {
        operationId: 'addCover',
        ...guarded,
        requestBody: {
          required: true,
          content: {
            'multipart/form-data': {
              schema: {
                type: 'object',
                required: ['cover'],
                properties: { cover: { type: 'string', contentMediaType: 'application/octet-stream' } },
              },
            },
          },
        },
        responses: { ...ok(json({})), ...refusals, 401: no },
      },
    },
    '/anything': { get: { operationId: 'getAnything', responses: ok(json({})) } },
    ...Object.fromEntries(
      schemes.map(name => [
        `/by-${name}`,
        {
          get: {
            operationId: `by_${name}`,
            security: [{ [name]: [] }],
            responses: { ...ok(json({})), 401: no },
          },
        },
      ]),
    ),
  },
}

/** The credentials that the service takes, as `--auth` has them. */
export const otherCredentials = schemes.map(
  name => `${name}=${name === 'login' ? 'rex:bone' : `${name}-secret`}`,
)

const sentAs: Readonly<Record<string, (headers: IncomingHttpHeaders, url: URL) => boolean>> = {
  token: ({ authorization }) => credentialIn('bearer', authorization) === 'token-secret',
  login: ({ authorization }) => credentialIn('basic', authorization) === btoa('rex:bone'),
  field: headers => headers['x-token'] === 'field-secret',
  query: (_, url) => url.searchParams.get('api_key') === 'query-secret',
  cookie: ({ cookie = '' }) => cookie.split(/; */).includes('sid=cookie-secret'),
  provider: ({ authorization }) => credentialIn('bearer', authorization) === 'provider-secret',
}

/** The name of a scheme is the same in any case (RFC 9110, section 11.1). */
function credentialIn(scheme: string, authorization = ''): string | undefined {
  const [name = '', credential] = authorization.split(' ')
  return name.toLowerCase() === scheme ? credential : undefined
}

const type = { 'content-type': 'application/json' }
const reply = (status: number, value?: unknown, headers: OutgoingHttpHeaders = type): Reply =>
  value === undefined
    ? { status, headers: {}, text: '' }
    : { status, headers, text: typeof value === 'string' ? value : JSON.stringify(value) }

type Book = Record<string, unknown>

/** Starts the service, right or with some fault, for the time of a test. @returns where it is */
export async function startOther(spoilt: Spoilt = {}): Promise<string> {
  const books = new Map<number, Book>()

  function answer(method: string, url: URL, headers: IncomingHttpHeaders, sent: string): Reply {
    const { searchParams } = url
    const pathname = url.pathname.replace(/(?<=.)\/$/, '')
    const scheme = /^\/by-(\w+)$/.exec(pathname)?.[1]
    if (scheme !== undefined && method === 'GET')
      return spoilt.takesAnyToken || sentAs[scheme]?.(headers, url) ? reply(200, {}) : reply(401)
    if (method !== 'GET' && !spoilt.needsNoToken && !sentAs.token?.(headers, url)) return reply(401)
    const id = Number(/^\/books\/([1-9]\d{0,15})$/.exec(pathname)?.[1])
    if (method === 'GET')
      switch (pathname) {
        case '/books':
          return list(spoilt, [...books.values()], searchParams)
        case '/report':
          return reply(200, '<r><a>1</a></r>', { 'content-type': 'application/xml' })
        case '/motto':
          return reply(200, '42', { 'content-type': 'text/plain; charset=utf-8' })
        case '/nothing':
          return reply(200, null)
        case '/anything':
          return reply(200, { number: 9007199254740993n.toString() }, { ...type, server: 'x', etag: '"1"' })
      }
    // Many servers take a part without a name of its file for a text.
    if (method === 'POST' && pathname === '/covers')
      return /name="cover"; filename="/.test(sent) ? reply(200, {}) : reply(400)
    const draft = method === 'POST' || method === 'PUT' ? draftIn(spoilt, sent) : {}
    if (method === 'POST' && pathname === '/books')
      return draft ? add(books.size + 1, 201, draft) : reply(400)
    const found = books.get(id)
    if (!found) return reply(spoilt.failsAtNothing ? 500 : 404)
    if (method === 'GET') return reply(200, found)
    if (method === 'PATCH') {
      const { title, note } = found
      const patch = draftIn(spoilt, sent, { title })
      return patch ? add(id, 200, { ...(spoilt.patchesAll ? {} : { note, ...found }), ...patch }) : reply(400)
    }
    const kept = spoilt.keepsNotes && found.note !== undefined ? { note: found.note } : {}
    if (method === 'PUT') return draft ? add(id, 200, { ...kept, ...draft }) : reply(400)
    if (method !== 'DELETE') return reply(405)
    if (!spoilt.keepsRemoved) books.set(id, undefined as never)
    if (spoilt.takesOthersAway) books.set(id - 1, undefined as never)
    if (spoilt.changesOthers) for (const other of books.values()) if (other) other.title = 'Another'
    return reply(204)
  }

  function add(id: number, status: number, { pin, ...sent }: Record<string, unknown>): Reply {
    const draft: Record<string, unknown> = { genre: spoilt.losesDefaults ? 'poetry' : 'novel', ...sent }
    if (spoilt.losesNotes) delete draft.note
    if (spoilt.failsAtOddTitles && /[^\0-\x7f]/.test(String(draft.title))) return reply(500, 'Oh')
    const made = { id, ...draft }
    if (!spoilt.forgets || status === 200) books.set(id, made)
    return reply(status, spoilt.tellsPassword ? { ...made, password: pin ?? 'secret' } : made)
  }

  const server = createServer(async (request, response) => {
    let sent = ''
    for await (const chunk of request) sent += chunk
    const { method = '', url = '', headers } = request
    const right = answer(method, new URL(url, 'http://localhost'), headers, sent)
    const changed = spoilt.reply?.(right, `${method} ${url.split('?')[0]}`) ?? right
    response.writeHead(changed.status, changed.headers).end(changed.text)
  })
  onTestFinished(() => void server.close())
  return `http://127.0.0.1:${await listen(server)}`
}

/** The book in a body, if it is one. @param base what the body changes */
function draftIn(spoilt: Spoilt, sent: string, base: object = {}): Record<string, unknown> | undefined {
  try {
    const read = JSON.parse(sent)
    const draft = { ...base, ...read }
    const { title, genre = 'novel', pages = 1, note = '', pin = '' } = draft
    const isLong = [...String(title)].length > 40
    const isTitle = typeof title === 'string' && title !== '' && (!isLong || spoilt.takesLongTitles)
    const isPlain =
      ['novel', 'poetry'].includes(genre) && (spoilt.takesAnyPages || (Number.isInteger(pages) && pages > 0))
    const isNote =
      (note === null || typeof note === 'string') && typeof pin === 'string' && [...pin].length <= 8
    return isTitle && isPlain && isNote && typeof read === 'object' && read !== null && !Array.isArray(read)
      ? draft
      : undefined
  } catch {
    return undefined
  }
}

/** A page of the books, as a query asks for it. */
function list(spoilt: Spoilt, books: readonly Book[], query: URLSearchParams): Reply {
  const limit = query.get('limit') ?? '20'
  const genre = query.get('genre') ?? undefined
  const offset = query.get('offset') ?? '0'
  const isSize = spoilt.takesAnyLimit || (/^\d+$/.test(limit) && Number(limit) >= 1 && Number(limit) <= 50)
  const isOther = genre !== undefined && !bookFields.genre.enum.includes(genre)
  if (!isSize || isOther || !/^\d+$/.test(offset) || Number(limit) === spoilt.refusesLimit) return reply(400)
  if (Number(limit) === spoilt.refusesWith422) return reply(422)
  if (query.has('cursor')) return reply(400) // none is given out
  const start = spoilt.ignoresOffset ? 0 : Number(offset)
  const all = books
    .filter(
      candidate => candidate && (spoilt.ignoresGenre || genre === undefined || candidate.genre === genre),
    )
    .slice(start, start + (spoilt.ignoresLimit ? 50 : Number(limit)))
  return reply(200, all, {
    ...type,
    ...{
      'x-total': '-5',
      'x-balance': '-1.5',
      'x-whole': 'true',
      'x-genres': 'novel, poetry',
      'x-range': 'from=1',
    },
    'set-cookie': ['a=1', 'b=2'],
    'cache-control': 'no-store',
  })
}
