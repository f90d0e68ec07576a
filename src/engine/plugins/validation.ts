import fp from 'fastify-plugin'
import type { OperationModel } from '../../document/model.ts'
import type { MediaType } from '../../document/types.ts'
import { isValidated } from '../requests/bodies.ts'
import { type Fault, invalidRequest } from '../requests/faults.ts'
import { parseMediaType } from '../requests/media-types.ts'
import type { Schemas } from '../requests/schemas.ts'
import type { Node } from '../requests/values.ts'
import { operationOf } from '../routes/paths.ts'
import { faultsOfPart, schemaOfParameters } from './parameters.ts'

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
export function requestSchemaOf(schemas: Schemas, operation: OperationModel) {
  const params = schemaOfParameters(operation, 'path')
  const headers = schemaOfParameters(operation, 'header')
  const content = contentOf(schemas, operation)
  return {
    ...(params && { params }),
    querystring: schemaOfParameters(operation, 'query'),
    ...(headers && { headers }),
    ...(Object.keys(content).length > 0 && { body: { content } }),
  }
}

/** The schemas of bodies by their very media types, as Fastify finds them: of ranges there are none. */
function contentOf(schemas: Schemas, { body }: OperationModel): Record<string, MediaType> {
  const content = Object.entries(body?.content ?? {}).filter(([name, media]) => {
    const sent = parseMediaType(name)
    return sent?.essence === name && isValidated(schemas, { sent, media })
  })
  return Object.fromEntries(content)
}

/** Has Fastify validate requests by the document's schemas, and words what is wrong with them. */
export const validation = fp<{ schemas: Schemas }>(async (app, { schemas }) => {
  const faultsOf = (part: unknown, schema: Node) => faultsOfPart(part, value => schemas.check(schema, value))
  app.setValidatorCompiler<Node>(({ schema, httpPart }) => {
    const validate = (part: unknown): boolean => {
      // No body, or one that was validated as it was parsed.
      validate.errors = part === null && httpPart === 'body' ? [] : faultsOf(part, schema)
      return validate.errors.length === 0
    }
    validate.errors = [] as readonly Fault[]
    return validate as unknown as ReturnType<Parameters<typeof app.setValidatorCompiler>[0]> // Fastify hands its errors to the formatter below as they are
  })
  app.setSchemaErrorFormatter((faults, part) => refusal(part, faults as unknown as Fault[])) // of the compiler above

  // Fastify has no part for cookies, and none for bodies of a range of media types.
  const others = new Map(
    schemas.model.operations.flatMap(operation => {
      const cookies = schemaOfParameters(operation, 'cookie')
      const content = contentOf(schemas, operation)
      const hasRange = Object.keys(operation.body?.content ?? {}).some(name => !content[name])
      return cookies || hasRange ? [[operation.id, { cookies, content }] as const] : []
    }),
  )
  if (others.size === 0) return
  app.addHook('preHandler', async request => {
    const { acceptedBody: accepted, body, cookieParameters } = request
    const { cookies, content } = others.get(operationOf(request) ?? '') ?? {}
    if (
      accepted &&
      body !== undefined &&
      content &&
      !content[accepted.declared] &&
      isValidated(schemas, accepted)
    )
      refuse('body', faultsOf(body, accepted.media.schema ?? {}))
    if (cookies) refuse('cookies', faultsOf(cookieParameters, cookies))
  })
})

/** @throws ApiError where there are faults */
function refuse(part: keyof typeof parts, faults: readonly Fault[]): void {
  if (faults.length > 0) throw refusal(part, faults)
}

function refusal(part: keyof typeof parts, faults: readonly Fault[]) {
  const { subject, path } = parts[part]
  return invalidRequest(
    subject,
    faults.map(fault => ({ ...fault, path: path + fault.path })),
  )
}
