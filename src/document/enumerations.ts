import type { Path } from './pointer.ts'
import { isObject } from './pointer.ts'
import type { OpenApi, Schema } from './types.ts'
import { schemasIn } from './walk.ts'

/** The values of enumerations that are of another type than their schema says, so that nobody can ever send them. */
export function* impossibleValues(document: OpenApi): Generator<{ path: Path; message: string }> {
  for (const { schema, path } of schemasIn(document))
    for (const [i, value] of (schema.enum ?? []).entries())
      if (!isOf(schema, value)) {
        const wanted = value === null ? 'nullable: true is missing' : `the type is ${schema.type}`
        yield {
          path: [...path, 'enum', String(i)],
          message: `The value ${JSON.stringify(value)} can never be: ${wanted}.`,
        }
      }
}

function isOf({ type, nullable }: Schema, value: unknown): boolean {
  if (type === undefined || (value === null && nullable)) return true
  if (type === 'array') return Array.isArray(value)
  if (type === 'integer') return Number.isInteger(value)
  if (type === 'object') return isObject(value)
  return typeof value === type
}
