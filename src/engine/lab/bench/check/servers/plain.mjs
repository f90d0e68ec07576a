import { Ajv } from 'ajv'
import addFormats from 'ajv-formats'
import Fastify from 'fastify'
import openapiGlue from 'fastify-openapi-glue'

// The plain peer of the bench of speed, with its records in memory: routes and validation from the document.
const pets = new Map()
const orders = new Map()

const refusal = (status, code, message) =>
  Object.assign(new Error(message), { statusCode: status, body: { code, message, status } })

function found(id) {
  const pet = pets.get(id)
  if (!pet) throw refusal(404, 'not_found', `There is no animal ${id}.`)
  return pet
}

function keep(records, record) {
  const kept = { id: records.size + 1, ...record }
  records.set(kept.id, kept)
  return kept
}

const app = Fastify()
app.setErrorHandler((error, _request, reply) => {
  const status = error.statusCode ?? 500
  const code = status < 500 ? 'invalid_request' : 'internal_error'
  return reply.code(status).send(error.body ?? { code, message: error.message, status })
})
// A number in a URL is a text, and one in a body is none.
const [ofBodies, ofTexts] = [false, true].map(coerceTypes =>
  addFormats(new Ajv({ coerceTypes, useDefaults: true })),
)
app.setValidatorCompiler(({ schema, httpPart }) => (httpPart === 'body' ? ofBodies : ofTexts).compile(schema))
app.removeContentTypeParser('text/plain')

/** The methods of each path. */
const methods = [
  [/^\/pets$/, 'GET, HEAD, POST'],
  [/^\/pets\/[^/]+$/, 'GET, HEAD'],
  [/^\/store\/orders$/, 'POST'],
]
app.addHook('onRequest', async (request, reply) => {
  if (!request.is404) return
  const [, allowed] = methods.find(([path]) => path.test(request.url.split('?')[0])) ?? []
  if (!allowed) throw refusal(404, 'not_found', 'There is nothing here.')
  reply.header('Allow', allowed)
  throw refusal(405, 'method_not_allowed', 'Not this method.')
})
// Fastify validates no body that is left out.
app.addHook('preValidation', async ({ method, body }) => {
  if (method === 'POST' && body === undefined) throw refusal(400, 'invalid_request', 'There is no body.')
})
await app.register(openapiGlue, {
  specification: process.env.DOCUMENT,
  serviceHandlers: {
    async listPets({ query: { limit, cursor = '0', status, categoryId } }, reply) {
      const rest = [...pets.values()].filter(
        pet =>
          pet.id > Number(cursor) &&
          pet.status === (status ?? pet.status) &&
          pet.categoryId === (categoryId ?? pet.categoryId),
      )
      if (rest.length > limit) reply.header('X-Next-Cursor', `${rest[limit - 1].id}`)
      return rest.slice(0, limit)
    },
    getPet: async request => found(request.params.petId),
    async createPet(request, reply) {
      const pet = keep(pets, { status: 'available', ...request.body })
      return reply.code(201).header('Location', `/pets/${pet.id}`).send(pet)
    },
    async placeOrder(request, reply) {
      found(request.body.petId)
      const order = keep(orders, { complete: false, ...request.body })
      return reply.code(201).header('Location', `/store/orders/${order.id}`).send(order)
    },
  },
})
await app.listen({ host: '127.0.0.1', port: Number(process.env.PORT) })
