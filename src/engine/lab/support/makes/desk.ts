import { createServer } from 'node:http'
import express, { type Response as Answer, type Request as Call } from 'express'
import { listen } from '../http.ts'
import {
  bodyOf,
  inPath,
  inQuery,
  isText,
  isWhole,
  type Make,
  onThrown,
  Refused,
  replies,
  wholeText,
} from './make.ts'

interface Reply {
  id: number
  request_id: number
  text: string
}

interface Fields {
  subject: string
  estimated_cost: number
  sent_on: string | null
}

interface Wish extends Fields {
  id: number
  owner: string
  version: number
  status: 'open' | 'solved' | 'closed'
  stars: number | null
  opened_on: string
  replies: Reply[]
}

const key = { type: 'integer', minimum: 1 }
const day = { type: 'string', format: 'date' }
const stars = { type: 'integer', minimum: 1, maximum: 5 }
const status = { type: 'string', enum: ['open', 'solved', 'closed'] }
const mostReplies = 3
const request = { $ref: '#/components/schemas/Request' }
const reply = { $ref: '#/components/schemas/Reply' }
const draft = bodyOf({ $ref: '#/components/schemas/RequestDraft' })
const error = { $ref: '#/components/schemas/Error' }
const refusals = { 400: replies('The request is invalid', error), 401: replies('Who are you?', error) }
const missing = { 404: replies('The caller has no such thing', error) }
const conflict = { 409: replies('The state of the request does not allow it', error) }
const byRequest = { parameters: [inPath('requestId', key)] }
const byReply = { parameters: [inPath('replyId', key)] }
const withTag = (description: string) =>
  replies(description, request, { ETag: { required: true, schema: { type: 'string' } } })

/** Requests to a desk, which each caller has for themselves, and the replies to them, as a hand writes them. */
const document = {
  openapi: '3.0.3',
  info: { title: 'Desk', version: '1' },
  security: [{ token: [] }],
  components: {
    securitySchemes: { token: { type: 'http', scheme: 'bearer' } },
    schemas: {
      Error: { type: 'object', required: ['message'], properties: { message: { type: 'string' } } },
      RequestDraft: {
        type: 'object',
        required: ['subject', 'estimated_cost'],
        properties: {
          subject: { type: 'string', minLength: 1, maxLength: 40 },
          estimated_cost: { type: 'integer', minimum: 0, maximum: 1_000 },
          sent_on: { ...day, description: 'A day from 2000-01-01 to today. Any other is answered with 400.' },
        },
      },
      Request: {
        type: 'object',
        required: ['id', 'subject', 'estimated_cost', 'status', 'opened_on', 'replies_count'],
        properties: {
          id: key,
          subject: { type: 'string' },
          estimated_cost: { type: 'integer' },
          sent_on: { ...day, nullable: true },
          status,
          stars: { ...stars, nullable: true },
          opened_on: day,
          replies_count: { type: 'integer', minimum: 0, maximum: mostReplies },
        },
      },
      Reply: {
        type: 'object',
        required: ['id', 'request_id', 'text'],
        properties: { id: key, request_id: key, text: { type: 'string' } },
      },
    },
  },
  paths: {
    '/requests': {
      get: {
        operationId: 'listRequests',
        summary: 'Lists the caller’s own requests',
        parameters: [
          inQuery('limit', { type: 'integer', minimum: 1, maximum: 100, default: 50 }),
          inQuery('offset', { type: 'integer', minimum: 0, default: 0 }),
          inQuery('status', status),
          inQuery('min_cost', { type: 'integer', minimum: 0, maximum: 1_000 }),
          inQuery('from', day),
        ],
        responses: { 200: replies('Requests', { type: 'array', items: request }), ...refusals },
      },
      post: {
        operationId: 'addRequest',
        requestBody: draft,
        responses: { 201: withTag('Added'), ...refusals },
      },
    },
    '/requests/{requestId}': {
      ...byRequest,
      get: {
        operationId: 'getRequest',
        summary: 'Gets one of the caller’s own requests',
        responses: { 200: withTag('A request'), ...refusals, ...missing },
      },
      put: {
        operationId: 'replaceRequest',
        parameters: [{ name: 'If-Match', in: 'header', required: true, schema: { type: 'string' } }],
        requestBody: draft,
        responses: {
          200: withTag('Replaced'),
          ...refusals,
          ...missing,
          412: replies('It has another version', error),
          428: replies('If-Match is missing', error),
        },
      },
      delete: {
        operationId: 'removeRequest',
        responses: { 204: { description: 'Removed' }, ...refusals, ...missing },
      },
    },
    '/requests/{requestId}/solve': {
      ...byRequest,
      post: {
        operationId: 'solveRequest',
        responses: { 200: replies('Solved', request), ...refusals, ...missing, ...conflict },
      },
    },
    '/requests/{requestId}/rate': {
      ...byRequest,
      post: {
        operationId: 'rateRequest',
        requestBody: bodyOf({ type: 'object', required: ['stars'], properties: { stars } }),
        responses: { 200: replies('Rated', request), ...refusals, ...missing, ...conflict },
      },
    },
    '/requests/{requestId}/replies': {
      ...byRequest,
      get: {
        operationId: 'listReplies',
        responses: { 200: replies('Replies', { type: 'array', items: reply }), ...refusals, ...missing },
      },
      post: {
        operationId: 'addReply',
        requestBody: bodyOf({
          type: 'object',
          required: ['text'],
          properties: { text: { type: 'string', minLength: 1, maxLength: 200 } },
        }),
        responses: { 201: replies('Added', reply), ...refusals, ...missing, ...conflict },
      },
    },
    '/replies/{replyId}': {
      ...byReply,
      get: {
        operationId: 'getReply',
        responses: { 200: replies('A reply', reply), ...refusals, ...missing },
      },
      delete: {
        operationId: 'removeReply',
        responses: { 204: { description: 'Removed' }, ...refusals, ...missing },
      },
    },
  },
}

const owners: Readonly<Record<string, string>> = { 'a-token-of-ada': 'ada', 'a-token-of-ben': 'ben' }

const today = () => new Date().toISOString().slice(0, 10)
const isDay = (value: unknown): value is string =>
  typeof value === 'string' && /^\d{4}-\d\d-\d\d$/.test(value) && !Number.isNaN(Date.parse(value))

function check(isRight: boolean): void {
  if (!isRight) throw new Refused(400)
}

function fieldsIn(body: unknown): Fields {
  const { subject, estimated_cost: cost, sent_on: sent } = Object(body)
  const isSent = sent === undefined || (isDay(sent) && sent >= '2000-01-01' && sent <= today())
  if (!isText(subject, 40) || !isWhole(cost, 0, 1_000) || !isSent) throw new Refused(400)
  return { subject, estimated_cost: cost, sent_on: sent ?? null }
}

/** The service without its connections. */
function serviceWith(fault: string | undefined) {
  const app = express()
  const wishes = new Map<number, Wish>()
  let last = 0
  const shown = ({ owner: _, version: __, replies: all, ...rest }: Wish) => ({
    ...rest,
    replies_count: all.length,
  })
  const ownerOf = (call: Call) => owners[call.headers.authorization?.replace(/^bearer /i, '') ?? '']
  const idOf = ({ params }: Call) => wholeText(params.id, 1, Number.MAX_SAFE_INTEGER, 0)
  const wishOf = (call: Call, isOpen = false) => {
    const found = wishes.get(idOf(call))
    if (!found || (found.owner !== ownerOf(call) && !isOpen)) throw new Refused(404)
    return found
  }
  const replyOf = (call: Call) => {
    const wish = [...wishes.values()].find(({ replies: all }) => all.some(({ id }) => id === idOf(call)))
    const found = wish?.replies.find(({ id }) => id === idOf(call))
    if (!wish || !found || wish.owner !== ownerOf(call)) throw new Refused(404)
    return { wish, found }
  }
  const give = (answer: Answer, code: number, wish: Wish) =>
    void answer.status(code).set('ETag', `"${wish.id}-${wish.version}"`).json(shown(wish))

  app.set('etag', false)
  app.use((call, answer, next) => {
    if (ownerOf(call) === undefined) answer.status(401).json({ message: 'No' })
    else next()
  })
  app.use(express.json())
  app.get('/requests', (call, answer) => {
    const { status: state, from } = call.query
    check(state === undefined || status.enum.includes(String(state)))
    check(from === undefined || isDay(from))
    const least = wholeText(call.query.min_cost, 0, 1_000, 0)
    const [size, start] = [wholeText(call.query.limit, 1, 100, 50), wholeText(call.query.offset, 0, 1e9, 0)]
    const isUsed = from !== undefined && (state === undefined || fault !== 'day beside a status')
    const found = [...wishes.values()]
      .filter(({ owner }) => owner === ownerOf(call))
      .filter(wish => state === undefined || wish.status === state)
      .filter(wish => !isUsed || wish.opened_on >= String(from))
      .filter(
        ({ estimated_cost: cost }) => cost > least || (cost === least && (fault !== 'bound' || least === 0)),
      )
    answer.json(found.slice(start, start + size).map(shown))
  })
  app.post('/requests', (call, answer) => {
    const state = { version: 1, status: 'open' as const, stars: null, opened_on: today(), replies: [] }
    const wish: Wish = { id: ++last, owner: ownerOf(call) ?? '', ...fieldsIn(call.body), ...state }
    wishes.set(wish.id, wish)
    give(answer, 201, wish)
  })
  app.get('/requests/:id', (call, answer) => give(answer, 200, wishOf(call, fault === 'reads of others')))
  app.put('/requests/:id', (call, answer) => {
    const fields = fieldsIn(call.body)
    const wish = wishOf(call)
    const wanted = call.headers['if-match']
    if (wanted === undefined) throw new Refused(428)
    const tags = wanted.split(',').map(tag => tag.trim())
    const isPresent = tags.includes('*') || tags.includes(`"${wish.id}-${wish.version}"`)
    if (!isPresent && fault !== 'any version') throw new Refused(412)
    Object.assign(wish, fields, { version: wish.version + 1 })
    give(answer, 200, wish)
  })
  app.delete('/requests/:id', (call, answer) => {
    wishes.delete(wishOf(call).id)
    answer.status(204).end()
  })
  app.post('/requests/:id/solve', (call, answer) => {
    const wish = wishOf(call)
    if (wish.status !== 'open') throw new Refused(409)
    wish.status = 'solved'
    wish.version++
    answer.json(shown(wish))
  })
  app.post('/requests/:id/rate', (call, answer) => {
    const { stars: given } = Object(call.body)
    if (!isWhole(given, 1, 5)) throw new Refused(400)
    const wish = wishOf(call)
    if (wish.status !== 'solved') throw new Refused(409)
    wish.stars = given
    wish.version++
    answer.json({ ...shown(wish), ...(fault === 'stars as a text' && { stars: String(given) }) })
  })
  app.get('/requests/:id/replies', (call, answer) => {
    answer.json(wishOf(call, fault === 'replies of others').replies)
  })
  app.post('/requests/:id/replies', (call, answer) => {
    const { text } = Object(call.body)
    if (!isText(text, 200)) throw new Refused(400)
    const wish = wishOf(call)
    if (wish.replies.length >= mostReplies && fault !== 'one reply more') throw new Refused(409)
    const made = { id: ++last, request_id: wish.id, text }
    wish.replies.push(made)
    wish.version++
    answer.status(201).json(made)
  })
  app.get('/replies/:id', (call, answer) => void answer.json(replyOf(call).found))
  app.delete('/replies/:id', (call, answer) => {
    const { wish, found } = replyOf(call)
    wish.version++
    if (fault !== 'reply is not removed') wish.replies.splice(wish.replies.indexOf(found), 1)
    answer.status(204).end()
  })
  app.use((_, answer) => void answer.status(404).json({ message: 'No' }))
  app.use(onThrown(() => ({ message: 'No' })))
  return app
}

export const desk: Make = {
  document,
  auth: Object.keys(owners).map(token => `token=${token}`),
  faults: {
    'reads of others': /^getRequest: one caller reads what another has made, which its list does not show/,
    'replies of others': /^listReplies: one caller reads what another has made, which it may not read/,
    bound: /^listRequests: min_cost=\d+ (lacks|gives none)/,
    'day beside a status': /^listRequests: status=\w+&from=2200-01-01 gives a record of another time/,
    'reply is not removed': /^removeReply: it is gone, and yet GET \/replies\/\d+ is answered 200/,
    'stars as a text': /^rateRequest: rateRequest 200: the body\/stars must be/,
    'any version': /^replaceRequest: a change of another version is answered 200/,
    'one reply more': /Request: \w+ 200: the body\/replies_count must be at most 3/,
  },
  async start(fault) {
    const server = createServer(serviceWith(fault))
    return { url: `http://127.0.0.1:${await listen(server)}`, close: () => void server.close() }
  },
}
