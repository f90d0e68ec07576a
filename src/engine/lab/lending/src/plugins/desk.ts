import type { FastifyPluginAsync } from 'fastify'

/** Routes of the desk, which are no part of the contract: plain Fastify. */
export const desk: FastifyPluginAsync = async app => {
  const notes: string[] = []

  app.get('/desk/hours', async () => ({ opens: '09:00', closes: '18:00' }))

  const note = { type: 'object', required: ['text'], properties: { text: { type: 'string', minLength: 1 } } }
  app.post<{ Body: { text: string } }>('/desk/notes', { schema: { body: note } }, async ({ body }, reply) => {
    notes.unshift(body.text)
    notes.length = Math.min(notes.length, 100)
    return reply.code(201).send({ text: body.text })
  })

  const querystring = { type: 'object', properties: { limit: { type: 'integer', minimum: 1, default: 10 } } }
  app.get<{ Querystring: { limit: number } }>('/desk/notes', { schema: { querystring } }, async ({ query }) =>
    notes.slice(0, query.limit),
  )
}
