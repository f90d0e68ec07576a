import { createServer } from 'node:http'
import { listen } from '../http.ts'
import { bodyOf, inPath, inQuery, type Make, parsed, replies } from './make.ts'

interface Book {
  id: number
  title: string
  author: string
  price: string
  published: string | null
  tags: string[]
  available: boolean
  pages: number
  weight: number
}

interface Loan {
  id: number
  bookId: number
  reader: string
  lentAt: string
}

const properties = {
  title: { type: 'string', minLength: 1, maxLength: 80, title: 'Title' },
  author: { type: 'string', minLength: 1, maxLength: 60, title: 'Author' },
  price: { anyOf: [{ type: 'number', minimum: 0, maximum: 1000 }, { type: 'string' }], title: 'Price' },
  published: { anyOf: [{ type: 'string', format: 'date' }, { type: 'null' }], title: 'Published' },
  tags: { type: 'array', items: { type: 'string' }, maxItems: 5, default: [], title: 'Tags' },
  available: { type: 'boolean', default: true, title: 'Available' },
  pages: { type: 'integer', minimum: 1, maximum: 5000, default: 1, title: 'Pages' },
  weight: { type: 'number', minimum: 0, maximum: 50, default: 1, title: 'Weight' },
}
const id = { type: 'integer', title: 'Id' }
const required = ['title', 'author', 'price']
const reader = { type: 'string', minLength: 1, maxLength: 40, title: 'Reader' }
const book = { $ref: '#/components/schemas/Book' }
const bookIn = bodyOf({ $ref: '#/components/schemas/BookIn' })
const problem = { type: 'object', required: ['detail'], properties: { detail: { type: 'string' } } }
const invalid = { 422: replies('Validation Error', { type: 'object' }) }
const missing = { 404: replies('Not Found', problem), ...invalid }
const parameters = [inPath('book_id', { type: 'integer', title: 'Book Id' })]
const orders = ['id', '-id', 'price', '-price', 'title', '-title']

/** Books and their loans, as FastAPI writes them. */
const document = {
  openapi: '3.1.0',
  info: { title: 'Library', version: '1.0' },
  components: {
    schemas: {
      BookIn: { type: 'object', required, properties, title: 'BookIn' },
      Book: {
        type: 'object',
        required: [...required, 'id'],
        properties: { ...properties, price: { type: 'string', title: 'Price' }, id },
        title: 'Book',
      },
      Loan: {
        type: 'object',
        required: ['id', 'bookId', 'reader', 'lentAt'],
        properties: { id, bookId: id, reader, lentAt: { type: 'string', format: 'date-time' } },
        title: 'Loan',
      },
    },
  },
  paths: {
    '/books': {
      get: {
        operationId: 'listBooks',
        parameters: [
          inQuery('offset', { type: 'integer', minimum: 0, maximum: 1_000_000, default: 0 }),
          inQuery('limit', { type: 'integer', minimum: 1, maximum: 100, default: 20 }),
          inQuery('author', { anyOf: [{ type: 'string' }, { type: 'null' }] }),
          inQuery('max_price', {
            anyOf: [{ type: 'number', minimum: 0 }, { type: 'string' }, { type: 'null' }],
          }),
          inQuery('sort', { type: 'string', enum: orders, default: 'id' }),
        ],
        responses: { 200: replies('Successful Response', { type: 'array', items: book }), ...invalid },
      },
      post: {
        operationId: 'createBook',
        requestBody: bookIn,
        responses: {
          201: replies('Successful Response', book, { Location: { schema: { type: 'string' } } }),
          ...invalid,
        },
      },
    },
    '/books/{book_id}': {
      parameters,
      get: { operationId: 'getBook', responses: { 200: replies('Successful Response', book), ...missing } },
      put: {
        operationId: 'replaceBook',
        requestBody: bookIn,
        responses: { 200: replies('Successful Response', book), ...missing },
      },
      delete: {
        operationId: 'deleteBook',
        responses: { 204: { description: 'Successful Response' }, ...missing },
      },
    },
    '/books/{book_id}/loans': {
      parameters,
      get: {
        operationId: 'listLoans',
        parameters: [inQuery('since', { type: 'string', format: 'date-time' })],
        responses: {
          200: replies('Successful Response', {
            type: 'array',
            items: { $ref: '#/components/schemas/Loan' },
          }),
          ...missing,
        },
      },
      post: {
        operationId: 'lendBook',
        requestBody: bodyOf({ type: 'object', required: ['reader'], properties: { reader } }),
        responses: {
          201: replies('Successful Response', { $ref: '#/components/schemas/Loan' }),
          409: replies('Conflict', problem),
          ...missing,
        },
      },
    },
  },
}

type Answer = [status: number, body?: unknown, headers?: Record<string, string>]
const refused = (name: string): Answer => [422, { detail: [{ loc: [name], msg: 'No', type: 'value_error' }] }]
const none: Answer = [404, { detail: 'Not Found' }]

const isText = (value: unknown, most: number) =>
  typeof value === 'string' && value !== '' && [...value].length <= most

/** The truth values that Pydantic reads, as they stand and as texts and numbers. */
const truths = new Map<unknown, boolean>([
  ...[true, 1, 'true', 'on', 'yes', 'y', 't', '1'].map((value): [unknown, boolean] => [value, true]),
  ...[false, 0, 'false', 'off', 'no', 'n', 'f', '0'].map((value): [unknown, boolean] => [value, false]),
])

/** Reads what a client sends. @returns the name of the first property that is wrong, or a book without its identifier */
function draftIn(sent: unknown): string | Omit<Book, 'id'> {
  const {
    title,
    author,
    price,
    published = null,
    tags = [],
    available = true,
    pages = 1,
    weight = 1,
  } = Object(sent)
  if (!isText(title, 80)) return 'title'
  if (!isText(author, 60)) return 'author'
  const isPrice = typeof price === 'number' || (typeof price === 'string' && /^\d+(\.\d+)?$/.test(price))
  if (!isPrice || !/^\d{1,3}(\.\d{1,2})?$|^1000$/.test(String(price))) return 'price'
  const isDay = typeof published === 'string' && /^(?!0000)\d{4}-\d\d-\d\d$/.test(published)
  if (published !== null && !(isDay && !Number.isNaN(Date.parse(published)))) return 'published'
  const isList = Array.isArray(tags) && tags.length <= 5 && tags.every(tag => typeof tag === 'string')
  if (!isList) return 'tags'
  const truth = truths.get(typeof available === 'string' ? available.toLowerCase() : available)
  if (truth === undefined) return 'available'
  if (!Number.isInteger(pages) || pages < 1 || pages > 5000) return 'pages'
  if (typeof weight !== 'number' || weight < 0 || weight > 50) return 'weight'
  return { title, author, price: String(price), published, tags, available: truth, pages, weight }
}

/** The service without its connections. */
function answersWith(fault: string | undefined) {
  const books = new Map<number, Book>()
  const lent: Loan[] = []
  let last = 0

  function list(query: URLSearchParams): Answer {
    const [offset, limit] = [query.get('offset') ?? '0', query.get('limit') ?? '20']
    if (!/^\d{1,7}$/.test(offset) || Number(offset) > 1_000_000) return refused('offset')
    if (!/^\d{1,3}$/.test(limit) || Number(limit) < 1 || Number(limit) > 100) return refused('limit')
    const [author, most, sort] = [query.get('author'), query.get('max_price'), query.get('sort') ?? 'id']
    if (most !== null && !/^\d+(\.\d+)?(e[+-]?\d+)?$/i.test(most)) return refused('max_price')
    if (!orders.includes(sort)) return refused('sort')
    const isBy = (name: string) =>
      fault === 'author by its first letter' ? name[0] === author?.[0] : name === author
    const bound = Number(most ?? Number.POSITIVE_INFINITY) + (fault === 'bound lets others in' ? 100 : 0)
    const found = [...books.values()].filter(
      ({ author: name, price }) => (author === null || isBy(name)) && Number(price) <= bound,
    )
    const property = sort.replace('-', '') as 'id' | 'price' | 'title' // of these orders
    const keyOf = (item: Book) => (property === 'title' ? item.title : Number(item[property]))
    const sign = sort.startsWith('-') && fault !== 'order is ignored' ? -1 : 1
    const sorted = found.toSorted((left, right) => (keyOf(left) < keyOf(right) ? -sign : sign))
    const isCut = fault === 'equal ones are lost' && Number(offset) > 0
    const rest = sorted.filter((item, at) => {
      const before = sorted[at - 1]
      return !isCut || !before || keyOf(before) !== keyOf(item)
    })
    return [200, rest.slice(Number(offset), Number(offset) + Number(limit))]
  }

  function store(key: number, sent: unknown, status: number): Answer {
    const isMerged = status === 200 && fault === 'replacement keeps what it leaves out'
    const draft = draftIn(isMerged ? { ...books.get(key), ...Object(sent) } : sent)
    if (typeof draft === 'string') return refused(draft)
    const most = fault === 'list is cut' ? 1 : fault === 'long list is cut' ? 4 : 5
    const cutTags = draft.tags.slice(0, most)
    const tags = status === 201 && fault === 'new tags are sorted' ? cutTags.toSorted() : cutTags
    const published = draft.published && fault === 'day is another' ? '2000-01-01' : draft.published
    const greatest = fault === 'number is cut' ? 10 : fault === 'greatest number is cut' ? 4999 : 5000
    const pages = Math.min(draft.pages, greatest)
    const weight = fault === 'number is rounded' ? Math.floor(draft.weight) : draft.weight
    const stored = { id: key, ...draft, published, tags, pages, weight }
    books.set(key, stored)
    const place = fault === 'place leads nowhere' ? `/book/${key}` : `/books/${key}`
    return status === 201 ? [status, stored, { location: place }] : [status, stored]
  }

  function lend(key: number, sent: unknown): Answer {
    const found = books.get(key)
    const { reader: name } = Object(sent)
    if (!found && fault !== 'loan of no book') return none
    if (!isText(name, 40)) return refused('reader')
    if (found?.available === false) return [409, { detail: 'It is not available' }]
    if (found) found.available = false
    last += 1
    const loan: Loan = {
      id: last,
      bookId: fault === 'loan of another book' ? key + 1 : key,
      reader: name,
      lentAt: new Date().toISOString(),
    }
    if (fault !== 'loan is not listed') lent.push(loan)
    return [201, loan]
  }

  function listLoans(key: number, since: string | null): Answer {
    if (since !== null && !/^\d{4}-\d\d-\d\dT\d\d:\d\d/.test(since)) return refused('since')
    const from = since === null || fault === 'since is ignored' ? '' : since
    const isOfBook = (loan: Loan) => loan.bookId === key || fault === 'loans of all books'
    const isSince = ({ lentAt }: Loan) => from === '' || Date.parse(lentAt) >= Date.parse(from)
    return books.has(key) ? [200, lent.filter(loan => isOfBook(loan) && isSince(loan))] : none
  }

  return (method: string, { pathname, searchParams }: URL, text: string): Answer => {
    if (pathname === '/books' && method === 'GET') return list(searchParams)
    if (pathname === '/books' && method === 'POST') {
      last += 1
      return store(last, parsed(text), 201)
    }
    const [, written = '', within] = /^\/books\/([^/]+)(\/loans)?$/.exec(pathname) ?? []
    if (written === '') return none
    if (!/^-?\d{1,18}$/.test(written)) return refused('book_id')
    const key = Number(written)
    if (within && method === 'POST') return lend(key, parsed(text))
    if (within && method === 'GET') return listLoans(key, searchParams.get('since'))
    if (within) return [405, { detail: 'Method Not Allowed' }]
    const found = books.get(key)
    if (!found) return method === 'GET' && fault === 'missing is 400' ? [400, { detail: 'No' }] : none
    if (method === 'PUT') return store(key, parsed(text), 200)
    if (method === 'GET')
      return [200, fault === 'text is cut on reading' ? { ...found, title: found.title.slice(0, 10) } : found]
    if (method !== 'DELETE') return [405, { detail: 'Method Not Allowed' }]
    if (fault !== 'lent book stays' || !lent.some(({ bookId }) => bookId === key)) books.delete(key)
    return [204]
  }
}

export const loans: Make = {
  document,
  auth: [],
  faults: {
    'author by its first letter': /^listBooks: author=\w+ gives records with author \w+/,
    'bound lets others in': /^listBooks: max_price=\S+ gives records with price \S+/,
    'list is cut': /^createBook: tags was sent as \[.*\], and its reply shows \[.*\], as each time/,
    'text is cut on reading': /Book: its reply has title as ".*", and GET \/books\/\d+ then as "/,
    'replacement keeps what it leaves out': /^replaceBook: \w+ was left out of a replacement, and stays/,
    'loan of another book': /^lendBook: bookId is \d+ in its path, and its reply shows \d+, as each time/,
    'order is ignored': /^listBooks: sort=-\w+ (begins with|gives)/,
    'number is cut': /^createBook: pages was sent as \d+, and its reply shows 10, as each time/,
    'long list is cut':
      /^(create|replace)Book: tags was sent as \[.*\], and its reply shows \[.*\], as each time/,
    'greatest number is cut': /^createBook: pages was sent as 5000, and its reply shows 4999, as each time/,
    'number is rounded': /^createBook: weight was sent as [\d.e-]+, and its reply shows \d+, as each time/,
    'place leads nowhere': /^createBook: its Location \/book\/\d+ is answered 404, and GET \/books\/\d+ 200/,
    'loan of no book':
      /^lendBook: a request below a record that nobody made is answered 201, and 404 is declared/,
    'loans of all books': /^listLoans: it lists \d+, which was made below another record/,
    'equal ones are lost': /^listBooks: its pages with sort=-?\w+ lack \d+, where several have the same/,
    'new tags are sorted':
      /Book: createBook shows tags in another order than it was sent, as each time, and replaceBook keeps it/,
    'day is another':
      /^createBook: published was sent as ".*", and its reply shows "2000-01-01", as each time/,
    'loan is not listed': /^listLoans: it lacks \d+, which was made below the same record/,
    'since is ignored': /^listLoans: since=2200-01-01T00:00:00Z gives a record of another time/,
    'lent book stays': /^deleteBook: it is gone, and yet GET .books.\d+ is answered 200/,
    'missing is 400':
      /^getBook: a record that nobody made is answered 400, which is not declared, and 404 is/,
  },
  async start(fault) {
    const answer = answersWith(fault)
    const server = createServer(async (request, response) => {
      let text = ''
      for await (const chunk of request) text += chunk
      const { method = '', url = '' } = request
      const [status, body, headers] = answer(method, new URL(url, 'http://localhost'), text)
      response
        .writeHead(status, { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) })
        .end(body === undefined ? undefined : JSON.stringify(body))
    })
    return { url: `http://127.0.0.1:${await listen(server)}`, close: () => void server.close() }
  },
}
