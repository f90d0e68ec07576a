import Fastify, { type FastifyInstance, type FastifyRequest } from 'fastify'
import { contractOf } from 'spec-served-cli/internal/generate/contract'
import { type Model, modelOf } from 'spec-served-document/model'
import { readValue } from 'spec-served-document/reading/read'
import { createSchemas } from 'spec-served-document/values/schemas'
import { errors } from '../errors/errors.ts'
import { createErrorForms } from '../replies/error-forms.ts'
import { findDestinations, registerOperations } from '../routes/register.ts'
import { bodies } from '../validation/bodies.ts'
import { validation } from '../validation/validation.ts'

/** The model of a document of which only what matters is given. */
export async function modelFrom(parts: Readonly<Record<string, unknown>>): Promise<Model> {
  const value = { openapi: '3.0.3', info: { title: 'T', version: '1' }, paths: {}, ...parts }
  return modelOf((await readValue(value, 'document')).document)
}

/**
 * Serves the only operation of a document by the stages that read requests, and no others.
 * @param answer makes the reply's body
 * @param limit longest body, in bytes
 */
export async function serveReading(
  parts: Readonly<Record<string, unknown>>,
  answer: (request: FastifyRequest) => unknown,
  limit = 1_048_576,
): Promise<FastifyInstance> {
  const model = await modelFrom(parts)
  const { facts } = contractOf('', model)
  const schemas = createSchemas(model)
  const app = Fastify({
    bodyLimit: limit,
    routerOptions: { maxParamLength: 100_000 },
  })
  findDestinations(app)
  const forms = createErrorForms(model, () => new Date())
  await app.register(errors, { facts, isUnavailable: () => false, forms })
  await app.register(bodies, { schemas })
  await app.register(validation, { schemas })
  await registerOperations(app, model, ({ id }) => ({
    config: { operationId: id },
    errorHandler: app.answerError,
    handler: async (request, reply) => reply.type('application/json').send(JSON.stringify(answer(request))),
  }))
  return app
}
