import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Model } from 'spec-served-document/model'
import { type Handlers, serve } from 'spec-served-lab/support/engine'
import { modelFrom as modelOf } from 'spec-served-lab/support/model'
import { onTestFinished } from 'vitest'
import type { Checkers } from '../callers/security.ts'

type Parts = Readonly<Record<string, unknown>>

/** A document of which only what matters is given. */
const documentOf = (parts: Parts) => ({
  ...{ openapi: '3.0.3', info: { title: 'T', version: '1' }, paths: {} },
  ...parts,
})

/** The model of a document of which only what matters is given. */
export const modelFrom = (parts: Parts): Promise<Model> => modelOf(documentOf(parts))

interface ReadingOptions {
  /** longest body */
  bodyBytes?: number
  checkers?: Checkers
}

/**
 * Serves a document whose operations answer with what they have read, of URLs of any length.
 * @param parts what matters of the document
 * @param answer makes the reply's body
 * @returns the app, which closes with the test
 */
export async function serveReading(
  parts: Parts,
  answer: (request: FastifyRequest) => unknown,
  { bodyBytes = 1_048_576, checkers = {} }: ReadingOptions = {},
): Promise<FastifyInstance> {
  const bounds = { bodyBytes, urlCharacters: 1_000_000 }
  const handler: Handlers[string] = async (_, context) => {
    const { request } = context as { request: FastifyRequest } // it is in every context
    return { status: 200, body: answer(request) }
  }
  const app = await serve(
    documentOf({ 'x-request-bounds': bounds, ...parts }),
    ({ model }) => Object.fromEntries(model.operations.map(({ id }) => [id, handler])),
    checkers,
  )
  onTestFinished(() => app.close())
  return app
}
