import { serve } from '@hono/node-server'
import { createRoute, OpenAPIHono, z } from '@hono/zod-openapi'
import * as store from '../store.mjs'

// Hono with @hono/zod-openapi, where the schemas stand in the code and the document is made of them.
const Id = z.int().min(1)
const IdText = z.string().regex(/^\d+$/).transform(Number).pipe(Id)
const Status = z.enum(['available', 'pending', 'sold'])
const Name = z.string().min(1).max(100).regex(/\S/)
const Pet = z.object({ id: Id, name: Name, categoryId: Id, status: Status })
const NewPet = z.strictObject({ name: Name, categoryId: Id, status: Status.optional() })
const Order = z.object({
  id: Id,
  petId: Id,
  quantity: z.int(),
  shipDate: z.iso.datetime().optional(),
  complete: z.boolean(),
})
const NewOrder = z.strictObject({
  petId: Id,
  quantity: z.int().min(1).max(1_000_000),
  shipDate: z.iso.datetime({ offset: true }).optional(),
})
const Query = z.strictObject({
  limit: z.string().regex(/^\d+$/).transform(Number).pipe(z.int().min(1).max(100)).default(20),
  cursor: z.string().optional(),
  status: Status.optional(),
  categoryId: IdText.optional(),
})

const json = schema => ({ content: { 'application/json': { schema } }, description: 'done' })
const bodyOf = schema => ({ body: { ...json(schema), required: true } })

const app = new OpenAPIHono({
  defaultHook: (result, context) => {
    if (result.success) return undefined
    return context.json(store.invalid(result.error.message).body, 400)
  },
})
app.onError((error, context) => {
  const refusal =
    error.status === 400 && !(error instanceof store.Refusal) ? store.invalid(error.message) : error
  if (refusal instanceof store.Refusal) return context.json(refusal.body, refusal.status)
  console.error(error)
  return context.json({ code: 'internal_error', message: 'Something went wrong.', status: 500 }, 500)
})
app.openapi(
  createRoute({
    method: 'get',
    path: '/pets/{petId}',
    request: { params: z.object({ petId: IdText }) },
    responses: { 200: json(Pet) },
  }),
  async context => context.json(await store.getPet(context.req.valid('param').petId), 200),
)
app.openapi(
  createRoute({
    method: 'get',
    path: '/pets',
    request: { query: Query },
    responses: { 200: json(z.array(Pet)) },
  }),
  async context => {
    const { pets, next } = await store.listPets(context.req.valid('query'))
    if (next) context.header('X-Next-Cursor', next)
    return context.json(pets, 200)
  },
)
app.openapi(
  createRoute({ method: 'post', path: '/pets', request: bodyOf(NewPet), responses: { 201: json(Pet) } }),
  async context => {
    const pet = await store.createPet(context.req.valid('json'))
    context.header('Location', `/pets/${pet.id}`)
    return context.json(pet, 201)
  },
)
app.openapi(
  createRoute({
    method: 'post',
    path: '/store/orders',
    request: bodyOf(NewOrder),
    responses: { 201: json(Order) },
  }),
  async context => {
    const order = await store.placeOrder(context.req.valid('json'))
    context.header('Location', `/store/orders/${order.id}`)
    return context.json(order, 201)
  },
)
serve({ fetch: app.fetch, hostname: '127.0.0.1', port: Number(process.env.PORT) })
