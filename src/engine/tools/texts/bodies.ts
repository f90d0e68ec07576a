import { sequenceFor } from 'spec-served-document/formats/sequences'
import type { Model } from 'spec-served-document/model'
import { isJson, parseMediaType } from 'spec-served-document/values/media-types'
import { createSchemas } from 'spec-served-document/values/schemas'
import { drawer } from '../samples/samples.ts'

/** The most bodies that are drawn for a document. */
const most = 500

/**
 * Writes bodies that fit their schemas, by operationId and media type, where the first example of the document does not.
 * These are values as JSON, and sequences.
 */
export function bodiesOf(model: Model): Record<string, Record<string, string>> {
  const schemas = createSchemas(model)
  const draw = drawer(schemas, { isFull: true, isLikeExamples: true })
  const bodies: Record<string, Record<string, string>> = {}
  let drawn = 0
  for (const { id, body } of model.operations)
    for (const [type, media] of Object.entries(body?.content ?? {})) {
      const { schema, example, examples = {} } = media
      const sequence = sequenceFor(model, type, media)
      if (!schema || !(sequence || isJson(parseMediaType(type)))) continue
      const [named] = Object.values(examples).map(item => model.resolve<{ value?: unknown }>(item).value)
      const written = example ?? named
      const isText = sequence && typeof written === 'string'
      const fits =
        written !== undefined && schemas.check(schema, structuredClone(written), 'request').length === 0
      if (isText || fits || drawn++ >= most) continue
      const { value, fits: isMade } = draw(schema)
      const text = sequence
        ? [value]
            .flat()
            .map(item => sequence.write(item))
            .join('')
        : JSON.stringify(value, null, 2)
      if (isMade) bodies[id] = { ...bodies[id], [type]: text }
    }
  return bodies
}
