import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import { listen } from '../http.ts'
import { bodyOf, inPath, inQuery, type Make, parsed, replies } from './make.ts'

interface Payment {
  uuid: string
  amount: string
  note: string | null
}

// Pydantic writes a Decimal as a number or a text, without its digits and its decimal places.
const decimal = [
  { type: 'number', exclusiveMinimum: 0 },
  { type: 'string', pattern: '^(?!^[-+.]*$)[+-]?0*\\d*\\.?\\d*$' },
]
const note = { anyOf: [{ type: 'string', maxLength: 20 }, { type: 'null' }], title: 'Note' }
const payment = { $ref: '#/components/schemas/Payment' }
const refusals = {
  422: replies('Validation Error', { $ref: '#/components/schemas/HTTPValidationError' }),
}
const missing = replies('Not Found', { type: 'object' })
const byId = { parameters: [inPath('payment_id', { type: 'string', format: 'uuid', title: 'Payment Id' })] }

/** Payments, as FastAPI writes them. */
const document = {
  openapi: '3.1.0',
  info: { title: 'FastAPI', version: '0.1.0' },
  components: {
    schemas: {
      PaymentIn: {
        type: 'object',
        required: ['amount'],
        title: 'PaymentIn',
        properties: { amount: { anyOf: decimal, title: 'Amount' }, note },
      },
      Payment: {
        type: 'object',
        required: ['uuid', 'amount'],
        title: 'Payment',
        properties: {
          uuid: { type: 'string', format: 'uuid', title: 'Uuid' },
          amount: { type: 'string', title: 'Amount' },
          note,
        },
      },
      Page: {
        type: 'object',
        required: ['results'],
        title: 'Page',
        properties: {
          results: { type: 'array', items: payment, title: 'Results' },
          next_page_token: { anyOf: [{ type: 'string' }, { type: 'null' }] },
        },
      },
      HTTPValidationError: {
        type: 'object',
        properties: { detail: { type: 'array', items: { type: 'object' } } },
      },
    },
  },
  paths: {
    '/payments/': {
      get: {
        operationId: 'list_payments',
        parameters: [
          inQuery('page_size', { type: 'integer', minimum: 1, maximum: 100, default: 10 }),
          inQuery('page_token', { anyOf: [{ type: 'string' }, { type: 'null' }] }),
          inQuery('order_by', { type: 'string', enum: ['amount'] }),
          inQuery('direction', { type: 'string', enum: ['asc', 'desc'], default: 'asc' }),
        ],
        responses: {
          200: replies('Successful Response', { $ref: '#/components/schemas/Page' }),
          ...refusals,
        },
      },
      post: {
        operationId: 'create_payment',
        requestBody: bodyOf({ $ref: '#/components/schemas/PaymentIn' }),
        responses: { 201: replies('Successful Response', payment), ...refusals },
      },
    },
    '/payments/{payment_id}': {
      get: {
        operationId: 'read_payment',
        ...byId,
        responses: { 200: replies('Successful Response', payment), 404: missing, ...refusals },
      },
      delete: {
        operationId: 'delete_payment',
        ...byId,
        responses: { 204: { description: 'Successful Response' }, 404: missing, ...refusals },
      },
    },
  },
}

type Answer = [status: number, body?: object]
const invalid = (name: string): Answer => [422, { detail: [{ loc: [name], msg: 'No', type: 'value_error' }] }]
const none: Answer = [404, { detail: 'Not Found' }]

/** The service without its connections. */
function answersWith(fault: string | undefined) {
  const payments = new Map<string, Payment>()

  function list(query: URLSearchParams): Answer {
    const size = query.get('page_size') ?? '10'
    const token = query.get('page_token')
    if (!/^\d+$/.test(size) || Number(size) < 1 || Number(size) > 100) return invalid('page_size')
    if (token !== null && !/^page-\d+$/.test(token)) return invalid('page_token')
    const [order, direction] = [query.get('order_by'), query.get('direction') ?? 'asc']
    if (order !== null && order !== 'amount') return invalid('order_by')
    if (direction !== 'asc' && direction !== 'desc') return invalid('direction')
    const sign = order === null ? 0 : direction === 'desc' && fault !== 'direction is ignored' ? -1 : 1
    const all = [...payments.values()].sort(
      (left, right) => sign * (Number(left.amount) - Number(right.amount)),
    )
    const from = token === null || fault === 'token without effect' ? 0 : Number(token.slice('page-'.length))
    const to = from + Number(size)
    const results = all.slice(from, to)
    const isLast = to >= payments.size
    return [200, { results, next_page_token: isLast ? null : `page-${to}` }]
  }

  function add(sent: unknown): Answer {
    const { amount, note: text = null } = Object(sent)
    const isAmount = /^(?=.*[1-9])\d{1,6}(\.\d{1,2})?$/.test(String(amount))
    const isNote =
      text === null || (typeof text === 'string' && ([...text].length <= 20 || fault === 'long note'))
    if (!isAmount || (typeof amount !== 'number' && typeof amount !== 'string')) return invalid('amount')
    if (!isNote) return invalid('note')
    const made = { uuid: randomUUID(), amount: String(amount), note: text }
    if (fault !== 'record is not kept') payments.set(made.uuid, made)
    return [201, fault === 'note is lost' ? { ...made, note: null } : made]
  }

  return (method: string, { pathname, searchParams }: URL, text: string, type = ''): Answer => {
    if (pathname === '/payments/' && method === 'GET') return list(searchParams)
    if (pathname === '/payments/' && method === 'POST')
      return type.startsWith('application/json') ? add(parsed(text)) : invalid('body')
    const uuid = /^\/payments\/([^/]+)$/.exec(pathname)?.[1]
    if (uuid === undefined) return none
    if (method !== 'GET' && method !== 'DELETE') return [405, { detail: 'Method Not Allowed' }]
    if (!/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(uuid)) return invalid('payment_id')
    const found = payments.get(uuid.toLowerCase())
    if (!found) return none
    if (method === 'GET') return [200, found]
    if (fault !== 'record is not removed') payments.delete(found.uuid)
    return [204]
  }
}

export const payments: Make = {
  document,
  auth: [],
  faults: {
    'long note': /^create_payment: \/body\/note .*too long: an invalid request was answered 201/,
    'note is lost': /^create_payment: note was sent as ".*", and its reply shows null|its reply has note as/,
    'record is not kept': /^create_payment: it is stored, and yet GET .payments.* is answered 404/,
    'record is not removed': /^delete_payment: it is gone, and yet GET .* is answered 200/,
    'direction is ignored': /^list_payments: order_by=amount&direction=desc (begins|gives)/,
    'token without effect': /^list_payments: its pages show [-\w]+ twice, as each leads to the next/,
  },
  async start(fault) {
    const answer = answersWith(fault)
    const server = createServer(async (request, response) => {
      let text = ''
      for await (const chunk of request) text += chunk
      const { method = '', url = '', headers } = request
      const [status, body] = answer(method, new URL(url, 'http://localhost'), text, headers['content-type'])
      response
        .writeHead(status, body && { 'content-type': 'application/json' })
        .end(body && JSON.stringify(body))
    })
    return { url: `http://127.0.0.1:${await listen(server)}`, close: () => void server.close() }
  },
}
