import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import express, { type ErrorRequestHandler } from 'express'
import { bodyOf, inPath, inQuery, type Make, replies } from './make.ts'

interface Book {
  isbn: string
  title: string
  price: number
  inPrint: boolean
}

const fields = {
  isbn: { type: 'string', pattern: '^[0-9]{10}$' },
  title: { type: 'string', minLength: 1, maxLength: 80 },
  price: { type: 'number', minimum: 0, maximum: 1000 },
  inPrint: { type: 'boolean' },
}
const book = { $ref: '#/components/schemas/Book' }
const no = replies('No', { type: 'object', properties: { message: { type: 'string' } } })
const refusals = { 400: no, 404: no }
const bound = { type: 'number', minimum: 0 }

/** A shop of books, as swagger-jsdoc writes it. */
const document = {
  openapi: '3.0.3',
  info: { title: 'Books', version: '1' },
  components: {
    schemas: {
      Book: { type: 'object', required: ['isbn', 'title', 'price', 'inPrint'], properties: fields },
    },
  },
  paths: {
    '/books': {
      get: {
        operationId: 'listBooks',
        parameters: [
          inQuery('page', { type: 'integer', minimum: 1, default: 1 }),
          inQuery('per_page', { type: 'integer', minimum: 1, maximum: 100, default: 25 }),
          inQuery('min_price', bound),
          inQuery('max_price', bound),
          inQuery('in_print', { type: 'boolean' }),
          inQuery('sort', { type: 'string', enum: ['price', '-price', 'title', '-title'] }),
        ],
        responses: {
          200: replies('Books', {
            type: 'object',
            required: ['items', 'total'],
            properties: { items: { type: 'array', items: book }, total: { type: 'integer' } },
          }),
          ...refusals,
        },
      },
      post: {
        operationId: 'addBook',
        requestBody: bodyOf(book),
        responses: { 201: replies('Added', book), 409: no, ...refusals },
      },
    },
    '/books/{bookId}': {
      parameters: [inPath('bookId', { type: 'string' })],
      get: { operationId: 'getBook', responses: { 200: replies('A book', book), ...refusals } },
      patch: {
        operationId: 'changeBook',
        requestBody: bodyOf({
          type: 'object',
          properties: { title: fields.title, price: fields.price, inPrint: fields.inPrint },
        }),
        responses: { 200: replies('Changed', book), ...refusals },
      },
      delete: { operationId: 'removeBook', responses: { 204: { description: 'Gone' }, ...refusals } },
    },
  },
}

const fits: Readonly<Record<keyof Book, (value: unknown) => boolean>> = {
  isbn: value => typeof value === 'string' && /^[0-9]{10}$/.test(value),
  title: value => typeof value === 'string' && value !== '' && [...value].length <= 80,
  price: value => typeof value === 'number' && value >= 0 && value <= 1000,
  inPrint: value => typeof value === 'boolean',
}
const names = Object.keys(fits) as (keyof Book)[] // of the object above

function appWith(fault: string | undefined) {
  const books = new Map<string, Book>()
  const app = express()
  app.use(express.json())
  app.get('/books', ({ query }, response) => {
    const {
      page = '1',
      per_page: perPage = '25',
      min_price: least,
      max_price: most,
      in_print: inPrint,
      sort,
    } = query
    const isWhole = (text: unknown) => /^[1-9]\d*$/.test(String(text))
    const isNumber = (text: unknown) => text === undefined || (text !== '' && Number(text) >= 0)
    const orders = ['price', '-price', 'title', '-title']
    const isRight =
      isWhole(page) &&
      isWhole(perPage) &&
      Number(perPage) <= 100 &&
      isNumber(least) &&
      isNumber(most) &&
      (inPrint === undefined || /^(true|false)$/.test(String(inPrint))) &&
      (sort === undefined || orders.includes(String(sort)))
    if (!isRight) return void response.status(400).json({ message: 'No such query' })
    const isLeftOut = fault === 'filter' || (fault === 'filter beside a bound' && least !== undefined)
    const found = [...books.values()].filter(
      candidate =>
        (least === undefined || candidate.price >= Number(least)) &&
        (most === undefined || fault === 'upper bound' || candidate.price <= Number(most)) &&
        (inPrint === undefined || isLeftOut || String(candidate.inPrint) === inPrint),
    )
    const by = String(sort ?? '').replace('-', '')
    if (by === 'price') found.sort((left, right) => left.price - right.price)
    if (by === 'title') found.sort((left, right) => (left.title < right.title ? -1 : 1))
    if (String(sort).startsWith('-') && fault !== 'order') found.reverse()
    const isLate = fault === 'third page begins late' && Number(page) > 2
    const from = (Number(page) - 1) * Number(perPage) + (isLate ? 1 : 0)
    const isCut = fault === 'filter loses one' && inPrint !== undefined
    if (fault === 'newest is late' || isCut) found.pop()
    const items = found.slice(from, from + Number(perPage))
    const total = fault === 'total without filters' ? books.size : found.length
    response.json({ items, total: fault === 'total of the page' ? items.length : total })
  })
  app.post('/books', ({ body }, response) => {
    if (!names.every(name => fits[name](body?.[name])))
      return void response.status(400).json({ message: 'No book' })
    if (books.has(body.isbn)) return void response.status(409).json({ message: 'It is there' })
    const { isbn, title, price, inPrint } = body
    books.set(isbn, { isbn, title, price, inPrint })
    response.status(201).json(books.get(isbn))
  })
  app.get('/books/:bookId', ({ params }, response) => {
    const found = books.get(params.bookId)
    response.status(found ? 200 : 404).json(found ?? { message: 'No such book' })
  })
  app.patch('/books/:bookId', ({ params, body }, response) => {
    const isObject = typeof body === 'object' && body !== null && !Array.isArray(body)
    const changedNames = names.filter(name => name !== 'isbn' && isObject && Object.hasOwn(body, name))
    if (!isObject || !changedNames.every(name => fits[name](body[name])))
      return void response.status(400).json({ message: 'No change' })
    const found = books.get(params.bookId)
    if (!found) return void response.status(404).json({ message: 'No such book' })
    if (fault === 'false is lost' && body.inPrint === false)
      changedNames.splice(changedNames.indexOf('inPrint'), 1)
    const changed = { ...found, ...Object.fromEntries(changedNames.map(name => [name, body[name]])) }
    if (fault !== 'change is lost') books.set(params.bookId, changed)
    response.json(changed)
  })
  app.delete('/books/:bookId', ({ params }, response) => {
    const isThere = books.delete(params.bookId)
    if (isThere || fault === 'removal of nothing') return void response.status(204).end()
    response.status(404).json({ message: 'No such book' })
  })
  const onError: ErrorRequestHandler = (error, _, response, __) =>
    void response.status(error.status ?? 500).json({ message: String(error.message) })
  app.use(onError)
  return app
}

export const books: Make = {
  document,
  auth: [],
  faults: {
    'upper bound': /^listBooks: max_price=\S+ gives records with price /,
    filter: /^listBooks: in_print=(true|false) gives records with inPrint (true|false)/,
    'filter beside a bound': /^listBooks: min_price=\S+&in_print=\w+ gives records with inPrint /,
    'filter loses one': /^listBooks: in_print=(true|false) lacks \d+, which the list has/,
    'total without filters': /^listBooks: its total is \d+ with in_print=(true|false), which selects \d+/,
    'third page begins late': /^listBooks: its pages lack \d+, which stands on a larger one/,
    order: /^listBooks: sort=-\w+ gives \w+ as /,
    'removal of nothing':
      /^removeBook: a removal of a record that nobody made is answered 204, and 404 is declared/,
    'newest is late': /^listBooks: it shows \S+ only once another record was made, and not \S+, the newest/,
    'total of the page': /^listBooks: its total is \d+, and 2 with per_page=2/,
    'false is lost': /^changeBook: inPrint was sent as false, and stays true/,
    'change is lost': /^changeBook: .*\[the next read shows what the write answered\]/,
  },
  async start(fault) {
    const server = appWith(fault).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo // it listens on a port
    return { url: `http://127.0.0.1:${port}`, close: () => void server.close() }
  },
}
