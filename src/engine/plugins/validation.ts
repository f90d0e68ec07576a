import type { ErrorObject } from 'ajv'
import fp from 'fastify-plugin'
import type { Model, OperationModel } from '../../document/model.ts'
import type { Schema } from '../../document/types.ts'
import { contentOf, isValidated } from '../requests/bodies.ts'
import { errorsOfPart } from '../requests/decoding.ts'
import { describe } from '../requests/faults.ts'
import { invalidRequest } from '../requests/invalid-request.ts'
import { schemaOfParameters } from '../requests/parameters.ts'
import type { Texts } from '../requests/texts.ts'
import { operationOf } from '../routes/operation.ts'

/** How the error of a part of a request begins, and the paths of its faults. */
const parts = {
  params: { subject: 'The path is', path: '/path' },
  body: { subject: 'The body is', path: '' },
  querystring: { subject: 'The query is', path: '/query' },
  headers: { subject: 'The header fields are', path: '/header' },
  cookies: { subject: 'The cookies are', path: '/cookie' },
}

/**
 * The schema of an operation's requests, as Fastify validates them: parameters by their places and the body by its media
 * type. References stay, so that each component is compiled once, however many operations refer to it.
 */
export function requestSchemaOf(texts: Texts, operation: OperationModel) {
  const params = schemaOfParameters(operation, 'path')
  const querystring = schemaOfParameters(operation, 'query')
  const headers = schemaOfParameters(operation, 'header')
  const content = contentOf(texts, operation)
  return {
    ...(params && { params }),
    ...(querystring && { querystring }),
    ...(headers && { headers }),
    ...(Object.keys(content).length > 0 && { body: { content } }),
  }
}

/** Has Fastify validate requests by the document's schemas, and words what is wrong with them. */
export const validation = fp<{ model: Model; texts: Texts }>(async (app, { model, texts }) => {
  const { schemas } = texts
  app.setValidatorCompiler<Schema>(({ schema, httpPart }) => {
    const validate = (part: unknown): boolean => {
      if (part === null && httpPart === 'body') return true // none, or one that was validated as it was parsed
      validate.errors = errorsOfPart(part, value => (isEmpty(schema) ? [] : schemas.errorsOf(schema, value)))
      return validate.errors.length === 0
    }
    validate.errors = [] as ReturnType<typeof errorsOfPart>
    return validate
  })
  app.setSchemaErrorFormatter((errors, part) => faultsOf(part, errors as ErrorObject[])) // of the compiler above

  // Fastify finds the schema of a body by its very media type: bodies of a range are validated here.
  const contents = new Map(model.operations.map(one => [one.id, contentOf(texts, one)]))
  const hasRanges = model.operations.some(
    ({ id, body }) => Object.keys(body?.content ?? {}).length > Object.keys(contents.get(id) ?? {}).length,
  )
  if (hasRanges)
    app.addHook('preValidation', async request => {
      const { acceptedBody: accepted, body } = request
      if (!accepted || body === undefined || !isValidated(texts, accepted)) return
      const { declared, media } = accepted
      if (contents.get(operationOf(request) ?? '')?.[declared]) return
      const errors = errorsOfPart(body, value => schemas.errorsOf(media.schema ?? {}, value))
      if (errors.length > 0) throw faultsOf('body', errors)
    })

  // Fastify has no part for cookies.
  const cookieSchemas = new Map(
    model.operations.flatMap(operation => {
      const schema = schemaOfParameters(operation, 'cookie')
      return schema ? [[operation.id, schema] as const] : []
    }),
  )
  if (cookieSchemas.size > 0)
    app.addHook('preHandler', async request => {
      const schema = cookieSchemas.get(operationOf(request) ?? '')
      if (!schema) return
      const errors = errorsOfPart(request.cookieParameters, value => schemas.errorsOf(schema, value))
      if (errors.length > 0) throw faultsOf('cookies', errors)
    })
})

/** Whether a schema says nothing of a decoded part: unknown names are known by then. */
const isEmpty = ({ properties }: Schema) => properties !== undefined && Object.keys(properties).length === 0

function faultsOf(part: keyof typeof parts, errors: readonly ErrorObject[]) {
  const { subject, path } = parts[part]
  return invalidRequest(
    subject,
    describe(errors).map(fault => ({ path: path + fault.path, message: fault.message })),
  )
}
