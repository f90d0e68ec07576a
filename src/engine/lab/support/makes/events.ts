import { createServer } from 'node:http'
import express, { type Request } from 'express'
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

interface Booking {
  id: number
  event_id: number
  seats: number
  total: number
  status: 'booked' | 'cancelled' | 'used'
}

const seats = { type: 'integer', minimum: 1, maximum: 10 }
const key = { type: 'integer', minimum: 1 }
const event = { $ref: '#/components/schemas/Event' }
const booking = { $ref: '#/components/schemas/Booking' }
const error = { $ref: '#/components/schemas/Error' }
const refusals = { 400: replies('The request is invalid', error), 401: replies('Who are you?', error) }
const missing = { 404: replies('There is none', error) }
const conflict = (description: string) => ({ 409: replies(description, error) })
const byEvent = { parameters: [inPath('eventId', key)] }
const byBooking = { parameters: [inPath('bookingId', key)] }
const limit = inQuery('limit', { type: 'integer', minimum: 1, maximum: 100, default: 50 })
const offset = inQuery('offset', { type: 'integer', minimum: 0, default: 0 })

/** Events, their bookings and what guests think of them, as a hand writes them. */
const document = {
  openapi: '3.1.0',
  info: { title: 'Events', version: '1' },
  security: [{ token: [] }],
  components: {
    securitySchemes: { token: { type: 'http', scheme: 'bearer' } },
    schemas: {
      Error: { type: 'object', required: ['message'], properties: { message: { type: 'string' } } },
      EventDraft: {
        type: 'object',
        required: ['name', 'capacity'],
        properties: {
          name: { type: 'string', minLength: 1, maxLength: 40 },
          capacity: { type: 'integer', minimum: 1, maximum: 200 },
        },
      },
      Event: {
        type: 'object',
        required: ['id', 'name', 'capacity', 'seats_left', 'booking_count', 'average_stars', 'total_extras'],
        properties: {
          id: key,
          name: { type: 'string' },
          capacity: { type: 'integer' },
          seats_left: { type: 'integer' },
          booking_count: { type: 'integer', minimum: 0 },
          average_stars: { type: ['number', 'null'] },
          total_extras: { type: 'integer', description: 'The sum of the prices of its extras.' },
        },
      },
      Booking: {
        type: 'object',
        required: ['id', 'event_id', 'seats', 'total', 'status'],
        properties: {
          id: key,
          event_id: key,
          seats,
          total: { type: 'integer', description: 'The price of its seats.' },
          status: { type: 'string', enum: ['booked', 'cancelled', 'used'] },
        },
      },
    },
  },
  paths: {
    '/events': {
      get: {
        operationId: 'listEvents',
        parameters: [
          limit,
          offset,
          inQuery('sort', { type: 'string', enum: ['capacity', '-capacity'] }),
          {
            ...inQuery('q', { type: 'string', minLength: 1, maxLength: 40 }),
            description: 'Only events whose name contains this text, ignoring case.',
          },
          {
            ...inQuery('sold_out', { type: 'boolean' }),
            description: 'true: only events without a seat left; false: only events that have one.',
          },
        ],
        responses: { 200: replies('Events', { type: 'array', items: event }), ...refusals },
      },
      post: {
        operationId: 'addEvent',
        requestBody: bodyOf({ $ref: '#/components/schemas/EventDraft' }),
        responses: { 201: replies('Added', event), ...refusals },
      },
    },
    '/events/{eventId}': {
      ...byEvent,
      get: {
        operationId: 'getEvent',
        responses: { 200: replies('An event', event), ...refusals, ...missing },
      },
      delete: {
        operationId: 'removeEvent',
        description: 'Removes an event and all its bookings.',
        responses: { 204: { description: 'Removed' }, ...refusals, ...missing },
      },
    },
    '/events/{eventId}/reviews': {
      ...byEvent,
      post: {
        operationId: 'addReview',
        requestBody: bodyOf({
          type: 'object',
          required: ['stars'],
          properties: { stars: { type: 'integer', minimum: 1, maximum: 5 } },
        }),
        responses: {
          201: replies('Added', { type: 'object', properties: { stars: { type: 'integer' } } }),
          ...refusals,
          ...missing,
        },
      },
    },
    '/events/{eventId}/extras': {
      ...byEvent,
      post: {
        operationId: 'addExtra',
        requestBody: bodyOf({
          type: 'object',
          required: ['price'],
          properties: { price: { type: 'integer', minimum: 1, maximum: 100 } },
        }),
        responses: {
          201: replies('Added', {
            type: 'object',
            required: ['id', 'price'],
            properties: { id: key, price: { type: 'integer' } },
          }),
          ...refusals,
          ...missing,
        },
      },
    },
    '/events/{eventId}/extras/{extraId}': {
      parameters: [inPath('eventId', key), inPath('extraId', key)],
      delete: {
        operationId: 'removeExtra',
        responses: { 204: { description: 'Removed' }, ...refusals, ...missing },
      },
    },
    '/favourites': {
      get: {
        operationId: 'listFavourites',
        responses: { 200: replies('Favourites', { type: 'array', items: event }), ...refusals },
      },
    },
    '/favourites/{eventId}': {
      ...byEvent,
      put: {
        operationId: 'markFavourite',
        responses: { 204: { description: 'Marked' }, ...refusals, ...missing },
      },
    },
    '/bookings': {
      get: {
        operationId: 'listBookings',
        parameters: [limit, offset, inQuery('event_id', key)],
        responses: { 200: replies('Bookings', { type: 'array', items: booking }), ...refusals },
      },
      post: {
        operationId: 'book',
        requestBody: bodyOf({
          type: 'object',
          required: ['event_id', 'seats'],
          properties: { event_id: key, seats },
        }),
        responses: {
          201: replies('Booked', booking),
          ...refusals,
          ...missing,
          ...conflict('Too few seats are left'),
        },
      },
    },
    '/bookings/{bookingId}': {
      ...byBooking,
      get: {
        operationId: 'getBooking',
        responses: { 200: replies('A booking', booking), ...refusals, ...missing },
      },
      patch: {
        operationId: 'changeBooking',
        requestBody: bodyOf({ type: 'object', properties: { seats } }),
        responses: {
          200: replies('Changed', booking),
          ...refusals,
          ...missing,
          ...conflict('Too few seats are left, or the seats are given back'),
        },
      },
      delete: {
        operationId: 'removeBooking',
        responses: { 204: { description: 'Removed' }, ...refusals, ...missing },
      },
    },
    '/bookings/{bookingId}/cancel': {
      ...byBooking,
      post: {
        operationId: 'cancelBooking',
        summary: 'Gives the seats back',
        responses: {
          200: replies('Cancelled', booking),
          ...refusals,
          ...missing,
          ...conflict('The seats are given back already'),
        },
      },
    },
    '/bookings/{bookingId}/use': {
      ...byBooking,
      post: {
        operationId: 'useBooking',
        summary: 'Makes a booking that is booked one that is used',
        responses: {
          200: replies('Used', booking),
          ...refusals,
          ...missing,
          ...conflict('It can’t be used'),
        },
      },
    },
  },
}

const secret = 'a-token-of-events'
const price = 12

function wholeIn(value: unknown, least: number, most: number): number {
  if (!isWhole(value, least, most)) throw new Refused(400)
  return value
}

function oneOf(value: unknown, ...texts: string[]): string | undefined {
  if (value !== undefined && !texts.includes(String(value))) throw new Refused(400)
  return value === undefined ? undefined : String(value)
}

/** The service without its connections. */
function serviceWith(fault: string | undefined) {
  const app = express()
  const events = new Map<
    number,
    {
      id: number
      name: string
      capacity: number
      stars: number[]
      counted: number
      extras: Map<number, number>
      sum: number
    }
  >()
  const bookings = new Map<number, Booking>()
  const favourites: number[] = []
  let last = 0
  const bookingsOf = (id: number) => [...bookings.values()].filter(({ event_id: of }) => of === id)
  const isTaking = ({ status }: Booking) => status !== 'cancelled' || fault === 'seats stay taken'
  const leftOf = (id: number, capacity: number) =>
    capacity -
    bookingsOf(id)
      .filter(isTaking)
      .reduce((sum, { seats: taken }) => sum + taken, 0)
  const shown = (id: number) => {
    const found = events.get(id)
    if (!found) throw new Refused(404)
    const { stars, counted, extras, sum, ...rest } = found
    const mean = stars.reduce((all, star) => all + star, 0) / stars.length
    return {
      ...rest,
      seats_left: leftOf(id, found.capacity),
      booking_count: fault === 'count stays' ? counted : bookingsOf(id).length,
      total_extras: fault === 'sum stays' ? sum : [...extras.values()].reduce((all, each) => all + each, 0),
      average_stars: stars.length === 0 ? null : fault === 'mean is cut' ? Math.floor(mean) : mean,
    }
  }
  const idOf = (request: Request) => wholeText(request.params.id, 1, Number.MAX_SAFE_INTEGER, 0)
  const bookingOf = (request: Request) => {
    const found = bookings.get(idOf(request))
    if (!found) throw new Refused(404)
    return found
  }
  const hasRoom = (asked: number, free: number) =>
    fault === 'more than is left' ? free > 0 || asked === 0 : asked <= free
  const page = <Item>({ query }: Request, all: readonly Item[]) => {
    const [size, from] = [wholeText(query.limit, 1, 100, 50), wholeText(query.offset, 0, 1e9, 0)]
    return all.slice(from, from + size)
  }

  app.use((request, response, next) => {
    if (request.headers.authorization?.replace(/^bearer /i, '') === secret) return next()
    const isUnknown = request.headers.authorization !== undefined && fault === 'unknown token is 403'
    response.status(isUnknown ? 403 : 401).json({ message: 'No' })
  })
  // As express-openapi-validator does.
  app.use(({ url }, response, next) => {
    if (/\?.*[!'()*]/.test(url)) response.status(400).json({ message: 'Reserved characters must be encoded' })
    else next()
  })
  app.use(express.json())
  app.get('/events', (request, response) => {
    const { q, sort, sold_out: soldOut } = request.query
    if (q !== undefined && !isText(q, 40)) throw new Refused(400)
    const isSold = oneOf(soldOut, 'true', 'false')
    const order = oneOf(sort, 'capacity', '-capacity')
    const fold = (text: string) => (fault === 'case counts' ? text : text.toLowerCase())
    const found = [...events.keys()]
      .map(shown)
      .filter(({ name }) => q === undefined || fold(name).includes(fold(q)))
      .filter(
        ({ seats_left: left }) =>
          isSold === undefined || (isSold === 'true' ? left < 1 : left > 0 || fault === 'false lets all in'),
      )
    const sign = order === undefined ? 0 : order.startsWith('-') ? -1 : 1
    const inOrder = (all: typeof found) => all.toSorted((a, b) => sign * (a.capacity - b.capacity))
    response.json(fault === 'order of a page' ? inOrder(page(request, found)) : page(request, inOrder(found)))
  })
  app.post('/events', (request, response) => {
    const { name, capacity } = Object(request.body)
    if (!isText(name, 40)) throw new Refused(400)
    const id = ++last
    events.set(id, {
      id,
      name,
      capacity: wholeIn(capacity, 1, 200),
      stars: [],
      counted: 0,
      extras: new Map(),
      sum: 0,
    })
    response.status(201).json(shown(id))
  })
  app.get('/events/:id', (request, response) => void response.json(shown(idOf(request))))
  app.delete('/events/:id', (request, response) => {
    const { id } = shown(idOf(request))
    events.delete(id)
    if (fault !== 'bookings stay') for (const { id: of } of bookingsOf(id)) bookings.delete(of)
    response.status(204).end()
  })
  app.post('/events/:id/reviews', (request, response) => {
    const stars = wholeIn(Object(request.body).stars, 1, 5)
    const { id } = shown(idOf(request))
    events.get(id)?.stars.push(stars)
    response.status(201).json({ stars })
  })
  app.post('/events/:id/extras', (request, response) => {
    const cost = wholeIn(Object(request.body).price, 1, 100)
    const found = events.get(shown(idOf(request)).id)
    const id = ++last
    found?.extras.set(id, cost)
    if (found) found.sum += cost
    response.status(201).json({ id, price: cost })
  })
  app.delete('/events/:id/extras/:extra', (request, response) => {
    const extra = wholeText(request.params.extra, 1, Number.MAX_SAFE_INTEGER, 0)
    if (!events.get(shown(idOf(request)).id)?.extras.delete(extra)) throw new Refused(404)
    response.status(204).end()
  })
  app.get(
    '/favourites',
    (_, response) => void response.json(favourites.filter(id => events.has(id)).map(shown)),
  )
  app.put('/favourites/:id', (request, response) => {
    const { id } = shown(idOf(request))
    if (!favourites.includes(id) || fault === 'favourite twice') favourites.push(id)
    response.status(204).end()
  })
  app.get('/bookings', (request, response) => {
    const of = wholeText(request.query.event_id, 1, Number.MAX_SAFE_INTEGER, 0)
    response.json(page(request, of === 0 ? [...bookings.values()] : bookingsOf(of)))
  })
  app.post('/bookings', (request, response) => {
    const asked = wholeIn(Object(request.body).seats, 1, 10)
    const { id, capacity } = shown(wholeIn(Object(request.body).event_id, 1, Number.MAX_SAFE_INTEGER))
    if (!hasRoom(asked, leftOf(id, capacity))) throw new Refused(409)
    const made: Booking = { id: ++last, event_id: id, seats: asked, total: asked * price, status: 'booked' }
    bookings.set(made.id, made)
    const found = events.get(id)
    if (found) found.counted++
    response.status(201).json(made)
  })
  app.get('/bookings/:id', (request, response) => void response.json(bookingOf(request)))
  app.patch('/bookings/:id', (request, response) => {
    const { seats: asked } = Object(request.body)
    if (!request.body || typeof request.body !== 'object' || Array.isArray(request.body))
      throw new Refused(400)
    const wished = asked === undefined ? undefined : wholeIn(asked, 1, 10)
    const found = bookingOf(request)
    if (wished !== undefined) {
      const { id, capacity } = shown(found.event_id)
      if (found.status === 'cancelled' || wished > leftOf(id, capacity) + found.seats) throw new Refused(409)
      found.seats = wished
      if (fault !== 'total stays') found.total = wished * price
    }
    response.json(found)
  })
  app.delete('/bookings/:id', (request, response) => {
    bookings.delete(bookingOf(request).id)
    response.status(204).end()
  })
  app.post('/bookings/:id/cancel', (request, response) => {
    const found = bookingOf(request)
    if (found.status === 'cancelled' && fault !== 'cancelled twice') throw new Refused(409)
    found.status = 'cancelled'
    response.json(found)
  })
  app.post('/bookings/:id/use', (request, response) => {
    const found = bookingOf(request)
    if (found.status !== 'booked' && (fault !== 'used when cancelled' || found.status === 'used'))
      throw new Refused(409)
    found.status = 'used'
    response.json(found)
  })
  app.use((_, response) => void response.status(404).json({ message: 'No' }))
  app.use(onThrown(() => ({ message: 'No' })))
  return app
}

export const events: Make = {
  document,
  auth: [`token=${secret}`],
  faults: {
    'unknown token is 403': /^\w+: the unknown key .* is answered 403, which is not declared, and 401 is/,
    'seats stay taken': /^cancelBooking: seats_left of \{eventId\} \d+ stays \d+ after it/,
    'more than is left': /^book: seats=\d+ is taken of \d+, and seats_left of \{eventId\} \d+ becomes -\d+/,
    'count stays':
      /^removeBooking: booking_count of \{eventId\} \d+ stays \d+ after a removal that leaves \d+/,
    'sum stays': /^removeExtra: total_extras of \{eventId\} \d+ stays \d+ after a removal of a part/,
    'favourite twice': /^listFavourites: it has a record twice after the same markFavourite twice/,
    'mean is cut': /^addReview: average_stars of \{eventId\} \d+ is 1, and its stars are 1 and 2/,
    'bookings stay':
      /^removeEvent: the bookings that it says to remove are there: getBooking of \d+ is answered 200/,
    'total stays': /^changeBooking: total stays \d+, and records that are made with these values have \d+/,
    'cancelled twice': /^cancelBooking: it is done twice to one record/,
    'used when cancelled': /^useBooking: it makes "cancelled" used, and its text names booked alone/,
    'case counts': /^listEvents: q=[A-Z]+ finds 0, and [a-z]+ \d+/,
    'false lets all in': /^listEvents: sold_out=false gives \d+, as does sold_out=true/,
    'order of a page':
      /^listEvents: sort=-capacity with limit=2 begins with \d+, and the whole list with \d+/,
  },
  async start(fault) {
    const server = createServer(serviceWith(fault))
    return { url: `http://127.0.0.1:${await listen(server)}`, close: () => void server.close() }
  },
}
