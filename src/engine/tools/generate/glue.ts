import Fastify from 'fastify'
import { registerOperations } from 'spec-served/internal/routes/register'
import type { Model } from 'spec-served-document/model'
import { isObject, lookUp, pathOf } from 'spec-served-document/pointer'

/** The most values of a document, with those that its references lead to, that the glue may copy into routes. */
const mostCopied = 100_000

/**
 * Says whether fastify-openapi-glue takes a whole document: its validator accepts it, and its copies of what references
 * lead to stay small. It gets no more than the operations of others.
 */
export async function isTakenWhole(model: Model): Promise<boolean> {
  if (copiedOf(model.document) > mostCopied) return false
  const route = {
    validatorCompiler: () => () => true,
    serializerCompiler: () => JSON.stringify,
    handler: async () => '',
  }
  const app = Fastify({ routerOptions: { maxParamLength: Number.MAX_SAFE_INTEGER } })
  try {
    await registerOperations(app, model, () => route, true)
    await app.ready()
    return true
  } catch {
    return false
  } finally {
    await app.close().catch(() => {})
  }
}

/** Counts the values in the paths of a document, each reference replaced by its target, up to a bound. */
function copiedOf(document: Model['document']): number {
  let count = 0
  const visit = (value: unknown, within: ReadonlySet<string>): void => {
    if (count++ > mostCopied || !isObject(value)) {
      if (Array.isArray(value) && count <= mostCopied) for (const each of value) visit(each, within)
      return
    }
    const { $ref } = value
    const target = typeof $ref === 'string' ? pathOf($ref.slice(1)) : undefined
    if (typeof $ref === 'string' && target) {
      if (!within.has($ref)) visit(lookUp(document, target), new Set([...within, $ref]))
      return
    }
    for (const each of Object.values(value)) visit(each, within)
  }
  visit(document.paths, new Set())
  return count
}
