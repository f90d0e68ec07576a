import express from 'express'
import OpenApiValidator from 'express-openapi-validator'
import * as store from '../store.mjs'

// Express 5 with validation from the document.
const app = express()
app.disable('x-powered-by')
app.disable('etag')
app.use(express.json({ limit: '1mb' }))
app.use(OpenApiValidator.middleware({ apiSpec: process.env.DOCUMENT, validateResponses: false }))

app.get('/pets', async (request, response) => {
  const { pets, next } = await store.listPets(request.query)
  if (next) response.set('X-Next-Cursor', next)
  response.json(pets)
})
app.get('/pets/:petId', async (request, response) => {
  response.json(await store.getPet(request.params.petId))
})
app.post('/pets', async (request, response) => {
  const pet = await store.createPet(request.body)
  response.status(201).location(`/pets/${pet.id}`).json(pet)
})
app.post('/pets/batch', async (request, response) => {
  response.status(201).json(await store.createPets(request.body))
})
app.patch('/pets/:petId', async (request, response) => {
  response.json(await store.updatePet(request.params.petId, request.body))
})
app.post('/store/orders', async (request, response) => {
  const order = await store.placeOrder(request.body)
  response.status(201).location(`/store/orders/${order.id}`).json(order)
})
app.use((error, _request, response, _next) => {
  const refusal =
    error.status === 400 && !(error instanceof store.Refusal) ? store.invalid(error.message) : error
  if (refusal instanceof store.Refusal) return response.status(refusal.status).json(refusal.body)
  console.error(error)
  response.status(500).json({ code: 'internal_error', message: 'Something went wrong.', status: 500 })
})
app.listen(Number(process.env.PORT), '127.0.0.1')
