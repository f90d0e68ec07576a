import type { Model } from 'spec-served-document/model'
import type { Path } from 'spec-served-document/pointer'
import { walk } from 'spec-served-document/reading/walk'
import type { Header, MediaType, Reference, Schema } from 'spec-served-document/types'
import { isJson, parseMediaType } from 'spec-served-document/values/media-types'
import type { Schemas } from 'spec-served-document/values/schemas'
import { mockValues } from './values.ts'

/** How long schemas without examples are tried at the start, in ms of this thread; the longest documents have thousands. */
const trialMs = 2_000

/**
 * Finds the examples of replies that do not fit their schemas, and the schemas for which a mock can make no value.
 * @returns places in the document, and what is wrong there
 */
export function* misfitsIn(model: Model, schemas: Schemas): Generator<{ path: Path; message: string }> {
  const values = mockValues(schemas)
  const before = process.threadCpuUsage()
  const isInTime = () => process.threadCpuUsage(before).user < trialMs * 1_000
  for (const { kind, node, path, isReference } of walk(model.document)) {
    if (isReference || !path.includes('responses')) continue
    const { example, examples, schema } = node as MediaType | Header // of these kinds, as is looked for
    const isChecked = kind === 'mediaType' ? isJson(parseMediaType(path.at(-1) ?? '')) : kind === 'header'
    if (!isChecked || !schema) continue
    const named: [Path, unknown][] = Object.entries(examples ?? {}).map(([name, namedExample]) => [
      [...path, 'examples', name, 'value'],
      model.resolve<{ value?: unknown }>(namedExample).value,
    ])
    const placedExamples = [[[...path, 'example'], example] as const, ...named].filter(
      ([, exampleValue]) => exampleValue !== undefined,
    )
    const exampleValues = placedExamples.map(([, candidate]) => candidate)
    for (const [place, value] of placedExamples) {
      const [fault] = faultsOf(schemas, schema, value)
      if (fault === undefined) continue
      const { fits } = values.fitting(schema, exampleValues)
      const end = fits
        ? 'the mock sends another value'
        : 'the mock sends it all the same, as no value was found that does'
      yield { path: place, message: `The example does not fit its schema (${fault}): ${end}.` }
    }
    if (placedExamples.length > 0 || !isInTime()) continue
    const { value, fits } = values.fitting(schema, [])
    const [fault = 'it has no value'] = fits ? [] : faultsOf(schemas, schema, value ?? null)
    if (!fits)
      yield {
        path: [...path, 'schema'],
        message: `No value was found that fits this schema, so the mock sends one that does not (${fault}). Give it an example.`,
      }
  }
}

function faultsOf(schemas: Schemas, schema: Schema | Reference, value: unknown): string[] {
  const faults = schemas.check(schema, structuredClone(value), 'response') // which fills in defaults
  return faults.map(({ path, message }) => `${path || 'it'} ${message}`)
}
