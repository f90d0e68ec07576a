import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { serve } from '@hono/node-server'
import { Hono } from 'hono'
import { bodyOf, inPath, inQuery, type Make, replies } from './make.ts'

interface Note {
  id: string
  title: string
  text: string | null
  pinned: boolean
}

const fields = {
  title: { type: 'string', minLength: 1, maxLength: 60 },
  text: { type: ['string', 'null'], maxLength: 500 },
  pinned: { type: 'boolean', default: false },
}
const id = { type: 'string', format: 'uuid' }
const noteReference = { $ref: '#/components/schemas/Note' }
const error = replies('No', { $ref: '#/components/schemas/Error' })
const refusals = { 400: error, 401: error, 403: error, 404: error }
const byId = { parameters: [inPath('noteId', id)] }

/** Notes of each caller, as @hono/zod-openapi writes them. */
const document = {
  openapi: '3.1.0',
  info: { title: 'Notes', version: '1' },
  security: [{ Bearer: [] }],
  components: {
    securitySchemes: { Bearer: { type: 'http', scheme: 'bearer' } },
    schemas: {
      Error: { type: 'object', required: ['error'], properties: { error: { type: 'string' } } },
      NewNote: { type: 'object', required: ['title'], properties: fields },
      Note: { type: 'object', required: ['id', 'title', 'text', 'pinned'], properties: { id, ...fields } },
    },
  },
  paths: {
    '/notes': {
      get: {
        operationId: 'listNotes',
        parameters: [
          inQuery('limit', { type: 'integer', minimum: 1, maximum: 50, default: 20 }),
          inQuery('cursor', { type: 'string' }),
          inQuery('pinned', { type: 'string', enum: ['true', 'false'] }),
          inQuery('search', { type: 'string' }),
        ],
        responses: {
          200: replies('Notes', {
            type: 'object',
            required: ['data', 'nextCursor'],
            properties: {
              data: { type: 'array', items: noteReference },
              nextCursor: { type: ['string', 'null'] },
            },
          }),
          ...refusals,
        },
      },
      post: {
        operationId: 'addNote',
        requestBody: bodyOf({ $ref: '#/components/schemas/NewNote' }),
        responses: { 201: replies('Added', noteReference), ...refusals },
      },
    },
    '/notes/{noteId}': {
      get: {
        operationId: 'getNote',
        ...byId,
        responses: { 200: replies('A note', noteReference), ...refusals },
      },
      put: {
        operationId: 'replaceNote',
        ...byId,
        requestBody: bodyOf({ $ref: '#/components/schemas/NewNote' }),
        responses: { 200: replies('Replaced', noteReference), ...refusals },
      },
      delete: {
        operationId: 'removeNote',
        ...byId,
        responses: { 204: { description: 'Gone' }, ...refusals },
      },
    },
  },
}

const callers: Readonly<Record<string, string>> = { 'token-of-alice': 'alice', 'token-of-bob': 'bob' }

const encode = (from: number) => Buffer.from(JSON.stringify({ from })).toString('base64url')

/** The draft of a body; undefined for one that the schema does not allow. */
function draftOf(body: unknown): Omit<Note, 'id'> | undefined {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return undefined
  const { title, text = null, pinned = false } = body as Record<string, unknown> // an object, as was seen
  const isText = (value: unknown, least: number, most: number) =>
    typeof value === 'string' && [...value].length >= least && [...value].length <= most
  if (!isText(title, 1, 60) || typeof pinned !== 'boolean') return undefined
  if (text !== null && !isText(text, 0, 500)) return undefined
  return { title: String(title), text: text === null ? null : String(text), pinned }
}

function appWith(fault: string | undefined) {
  const notes = new Map<string, Note & { owner: string; isGone: boolean }>()
  const app = new Hono<{ Variables: { caller: string } }>()
  const shown = ({ owner: _, isGone: __, ...rest }: Note & { owner: string; isGone: boolean }) => rest

  app.use(async (context, next) => {
    const pattern = fault === 'scheme in one case' ? /^Bearer (.+)$/ : /^bearer (.+)$/i
    const token = pattern.exec(context.req.header('authorization') ?? '')?.[1] ?? ''
    const caller = callers[token]
    if (caller === undefined) return context.json({ error: 'Who are you?' }, 401)
    context.set('caller', caller)
    return next()
  })
  app.get('/notes', context => {
    const { limit = '20', cursor, pinned, search = '' } = context.req.query()
    if (!/^\d+$/.test(limit) || Number(limit) < 1 || Number(limit) > 50)
      return context.json({ error: 'limit' }, 400)
    if (pinned !== undefined && !/^(true|false)$/.test(pinned)) return context.json({ error: 'pinned' }, 400)
    // A language of its own: a field, a colon and a word.
    const [, field, word = ''] = /^(title|text):(\w+)$/.exec(search) ?? []
    if (search !== '' && field === undefined) return context.json({ error: 'search' }, 400)
    let from = 0
    if (cursor !== undefined) {
      const number = Number(/^\{"from":(\d{1,9})\}$/.exec(Buffer.from(cursor, 'base64url').toString())?.[1])
      if (!(number >= 0) && fault !== 'odd cursor') return context.json({ error: 'cursor' }, 400)
      if (!(number >= 0)) throw new Error('There is no such cursor')
      from = number
    }
    const all = [...notes.values()]
      .filter(
        ({ owner, isGone }) =>
          (owner === context.get('caller') || fault === 'lists of others') &&
          (!isGone || fault === 'lists removed'),
      )
      .filter(candidate => pinned === undefined || fault === 'filter' || `${candidate.pinned}` === pinned)
      .filter(candidate => word === '' || `${candidate[field === 'title' ? 'title' : 'text']}`.includes(word))
    const next = from + Number(limit)
    const nextCursor = next < all.length ? encode(fault === 'cursor skips' ? next + 1 : next) : null
    return context.json({ data: all.slice(from, next).map(shown), nextCursor })
  })
  app.post('/notes', async context => {
    const draft = draftOf(await context.req.json().catch(() => undefined))
    if (!draft) return context.json({ error: 'body' }, 400)
    const made = { id: randomUUID(), ...draft, owner: context.get('caller'), isGone: false }
    notes.set(made.id, made)
    return context.json(shown(made), 201)
  })
  /** The note that a path names, and whether its caller may do this. */
  const found = (noteId: string, caller: string, isOpen: boolean) => {
    const note = notes.get(noteId)
    if (!note || note.isGone) return 404
    if (note.owner === caller || isOpen) return note
    return fault === 'lists of others' ? 404 : 403
  }
  const isId = (text: string) => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text)
  app.get('/notes/:noteId', context => {
    const noteId = context.req.param('noteId')
    if (!isId(noteId)) return context.json({ error: 'noteId' }, 400)
    const note = found(noteId, context.get('caller'), fault === 'reads of others')
    return typeof note === 'number' ? context.json({ error: 'No' }, note) : context.json(shown(note))
  })
  app.put('/notes/:noteId', async context => {
    const noteId = context.req.param('noteId')
    const draft = draftOf(await context.req.json().catch(() => undefined))
    if (!draft || !isId(noteId)) return context.json({ error: 'body' }, 400)
    const note = found(noteId, context.get('caller'), false)
    if (typeof note === 'number') return context.json({ error: 'No' }, note)
    return context.json(shown(Object.assign(note, draft)))
  })
  app.delete('/notes/:noteId', context => {
    const noteId = context.req.param('noteId')
    if (!isId(noteId)) return context.json({ error: 'noteId' }, 400)
    const note = found(noteId, context.get('caller'), fault === 'removals of others')
    if (typeof note === 'number') return context.json({ error: 'No' }, note)
    note.isGone = true
    return context.body(null, 204)
  })
  return app
}

export const notes: Make = {
  document,
  auth: ['Bearer=token-of-alice', 'Bearer=token-of-bob'],
  faults: {
    'lists removed': /^listNotes: it lists [-\w]+, which was removed and is not found/,
    'cursor skips': /^listNotes: its pages lack [-\w]+, which stands on a larger one/,
    'odd cursor': /^listNotes: a cursor with another number in it is answered 500/,
    filter: /^listNotes: pinned=(true|false) gives records with pinned (true|false)/,
    'lists of others': /^listNotes: it shows one caller what only another one can read \(OWASP API1\)/,
    'reads of others': /^getNote: one caller reads what another has made, which its list does not show/,
    'removals of others': /^removeNote: one caller removes what another has made, which it may not read/,
    'scheme in one case': /^\w+: a credential as "bearer" is answered 401/,
  },
  async start(fault) {
    const server = serve({ fetch: appWith(fault).fetch, hostname: '127.0.0.1', port: 0 })
    await once(server, 'listening')
    const address = server.address()
    const port = typeof address === 'object' ? address?.port : undefined
    return { url: `http://127.0.0.1:${port}`, close: () => void server.close() }
  },
}
