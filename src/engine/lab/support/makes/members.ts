import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import express, { type ErrorRequestHandler } from 'express'
import { bodyOf, inPath, inQuery, type Make, replies } from './make.ts'

interface Member {
  _id: number
  name: string
  role: string
  password: string
}

const fields = {
  name: { type: 'string', minLength: 2, maxLength: 40 },
  role: { type: 'string', enum: ['reader', 'editor'] },
}
const passwordSchema = { type: 'string', minLength: 8, maxLength: 30, writeOnly: true }
const member = { $ref: '#/components/schemas/Member' }
const no = replies('No', { type: 'object', properties: { message: { type: 'string' } } })
const refusals = { 400: no, 401: no, 404: no }
const names = ['name', 'role', 'password']
const draft = bodyOf({ type: 'object', required: names, properties: { ...fields, password: passwordSchema } })

/** Members of a club, as express-openapi writes them. */
const document = {
  openapi: '3.0.3',
  info: { title: 'Members', version: '1' },
  security: [{ login: [] }],
  components: {
    securitySchemes: { login: { type: 'http', scheme: 'basic' } },
    schemas: {
      Member: {
        type: 'object',
        required: ['_id', 'name', 'role'],
        properties: { _id: { type: 'integer' }, ...fields },
        additionalProperties: true,
      },
    },
  },
  paths: {
    '/members': {
      get: {
        operationId: 'listMembers',
        parameters: [inQuery('role', fields.role)],
        responses: {
          200: replies('Members', {
            type: 'object',
            properties: { members: { type: 'array', items: member } },
          }),
          ...refusals,
        },
      },
      post: {
        operationId: 'addMember',
        requestBody: draft,
        responses: { 201: replies('Added', member), ...refusals },
      },
    },
    '/members/{id}': {
      parameters: [inPath('id', { type: 'integer', minimum: 1 })],
      get: { operationId: 'getMember', responses: { 200: replies('A member', member), ...refusals } },
      put: {
        operationId: 'replaceMember',
        requestBody: draft,
        responses: { 200: replies('Replaced', member), ...refusals },
      },
      delete: { operationId: 'removeMember', responses: { 204: { description: 'Gone' }, ...refusals } },
    },
  },
}

function isDraft(body: unknown): boolean {
  const { name, role, password } = Object(body)
  const isText = (text: unknown, least: number, most: number) =>
    typeof text === 'string' && [...text].length >= least && [...text].length <= most
  return isText(name, 2, 40) && isText(password, 8, 30) && ['reader', 'editor'].includes(role)
}

function appWith(fault: string | undefined) {
  const members = new Map<number, Member>()
  let last = 0
  const app = express()
  const shown = ({ password, ...rest }: Member) => (fault === 'password' ? { ...rest, password } : rest)
  app.use(({ headers: { authorization = '' }, method }, response, next) => {
    const [scheme = '', credential] = authorization.split(' ')
    const isKnown = scheme.toLowerCase() === 'basic' && credential === btoa('ada:lovelace-1815')
    const isOpen = fault === 'open to all' && method === 'GET'
    if (isKnown || isOpen) return next()
    response.status(401).json({ message: 'Who are you?' })
  })
  app.use(express.json())
  app.get('/members', ({ query: { role } }, response) => {
    if (role !== undefined && role !== 'reader' && role !== 'editor')
      return void response.status(400).json({ message: 'role' })
    const all = [...members.values()].filter(
      candidate => role === undefined || fault === 'filter' || candidate.role === role,
    )
    response.json({ members: all.map(shown) })
  })
  app.post('/members', ({ body }, response) => {
    if (!isDraft(body)) return void response.status(400).json({ message: 'body' })
    const made = { _id: ++last, name: body.name, role: body.role, password: body.password }
    members.set(made._id, made)
    response.status(201).json(shown(made))
  })
  app.use('/members/:id', ({ params: { id } }, response, next) => {
    if (/^[1-9]\d{0,15}$/.test(id)) return next()
    response.status(400).json({ message: 'id' })
  })
  const missing = { message: 'There is no such member' }
  app.get('/members/:id', ({ params }, response) => {
    const found = members.get(Number(params.id))
    response.status(found ? 200 : 404).json(found ? shown(found) : missing)
  })
  app.put('/members/:id', ({ params, body }, response) => {
    if (!isDraft(body)) return void response.status(400).json({ message: 'body' })
    const found = members.get(Number(params.id))
    if (!found) return void response.status(404).json(missing)
    const role = fault === 'role is lost' ? found.role : body.role
    Object.assign(found, { name: body.name, role, password: body.password })
    response.json(shown({ ...found, role: body.role }))
  })
  app.delete('/members/:id', ({ params }, response) => {
    const id = Number(params.id)
    if (!members.delete(id)) return void response.status(404).json(missing)
    if (fault === 'removes another') members.delete(id - 1)
    response.status(204).end()
  })
  const onError: ErrorRequestHandler = (error, _, response, __) =>
    void response.status(error.status ?? 500).json({ message: String(error.message) })
  app.use(onError)
  return app
}

export const members: Make = {
  document,
  auth: ['login=ada:lovelace-1815'],
  faults: {
    password: /^\w+: .*the body\/.*password is a password that no schema declares/,
    'open to all': /^(listMembers|getMember): no key is answered 200 instead of 401/,
    filter: /^listMembers: role=\w+ gives records with role \w+/,
    'role is lost': /^replaceMember: its reply has role as .*\[the next read shows what the write answered\]/,
    'removes another': /^getMember: it is not there any more, as another one was changed and removed/,
  },
  async start(fault) {
    const server = appWith(fault).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo // it listens on a port
    return { url: `http://127.0.0.1:${port}`, close: () => void server.close() }
  },
}
