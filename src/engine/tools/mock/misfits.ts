import type { Model } from '../../document/model.ts'
import type { Path } from '../../document/pointer.ts'
import type { Header, MediaType, Reference, Schema } from '../../document/types.ts'
import { isJson, parseMediaType } from '../../service/values/media-types.ts'
import type { Schemas } from '../../service/values/schemas.ts'
import { walk } from '../reading/walk.ts'

/**
 * Finds the examples of replies that do not fit their schemas: a mock sends a drawn value in their place.
 * @returns places in the document, and what is wrong there
 */
export function* misfitsIn(model: Model, schemas: Schemas): Generator<{ path: Path; message: string }> {
  for (const { kind, node, path, isReference } of walk(model.document)) {
    if (isReference || !path.includes('responses')) continue
    const { example, examples, schema } = node as MediaType | Header // of these kinds, as is looked for
    const isChecked = kind === 'mediaType' ? isJson(parseMediaType(path.at(-1) ?? '')) : kind === 'header'
    if (!isChecked || !schema) continue
    const own: [Path, unknown][] = Object.entries(examples ?? {}).map(([name, one]) => [
      [...path, 'examples', name, 'value'],
      model.resolve<{ value?: unknown }>(one).value,
    ])
    for (const [at, value] of [[[...path, 'example'], example] as const, ...own]) {
      const [fault] = value === undefined ? [] : faultsOf(schemas, schema, value)
      if (fault === undefined) continue
      yield { path: at, message: `The example does not fit its schema (${fault}): another value is sent.` }
    }
  }
}

function faultsOf(schemas: Schemas, schema: Schema | Reference, value: unknown): string[] {
  const faults = schemas.check(schema, structuredClone(value), 'response') // which fills in defaults
  return faults.map(({ path, message }) => `${path || 'it'} ${message}`)
}
