import { modelOf } from '../model.ts'
import { formatFaults } from '../reading/fault.ts'
import { readValue } from '../reading/read.ts'
import type { Schema } from '../types.ts'
import { createSchemas } from '../values/schemas.ts'

export const info = { title: 'T', version: '1' }
export const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` })

/** Whether a document of a version takes values by a schema, and what was told when it was read. */
export async function schemaOf(openapi: string, schema: object | boolean, others: object = {}) {
  const value = { openapi, info, paths: {}, components: { schemas: { A: schema, ...others } } }
  const read = await readValue(value, 'document')
  const schemas = createSchemas(modelOf(read.document))
  return {
    written: read.document.components?.schemas?.A as Schema,
    notes: formatFaults(read.notes()),
    faults: (data: unknown) => schemas.check(ref('A'), data).map(({ path, message }) => `${path} ${message}`),
  }
}
