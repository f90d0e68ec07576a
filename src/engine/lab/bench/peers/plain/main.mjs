import Fastify from 'fastify'
import openapiGlue from 'fastify-openapi-glue'
import * as store from '../store.mjs'

// Fastify with routes and validation from the document: no keys, no limits.
const app = Fastify({
  logger: { level: 'warn' },
  ajv: { customOptions: { removeAdditional: false } },
})
app.setErrorHandler((error, request, reply) => {
  const refusal = error.validation || error.statusCode === 400 ? store.invalid(error.message) : error
  if (refusal instanceof store.Refusal) return reply.code(refusal.status).send(refusal.body)
  request.log.error(error)
  return reply.code(500).send({ code: 'internal_error', message: 'Something went wrong.', status: 500 })
})
await app.register(openapiGlue, {
  specification: process.env.DOCUMENT,
  serviceHandlers: {
    getPet: request => store.getPet(request.params.petId),
    async listPets(request, reply) {
      const { pets, next } = await store.listPets(request.query)
      if (next) reply.header('X-Next-Cursor', next)
      return pets
    },
    async createPet(request, reply) {
      const pet = await store.createPet(request.body)
      return reply.code(201).header('Location', `/pets/${pet.id}`).send(pet)
    },
    async createPets(request, reply) {
      return reply.code(201).send(await store.createPets(request.body))
    },
    updatePet: request => store.updatePet(request.params.petId, request.body),
    async placeOrder(request, reply) {
      const order = await store.placeOrder(request.body)
      return reply.code(201).header('Location', `/store/orders/${order.id}`).send(order)
    },
  },
})
await app.listen({ host: '127.0.0.1', port: Number(process.env.PORT) })
