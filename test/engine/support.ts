import { type Model, modelOf } from '../../src/document/model.ts'
import { readValue } from '../../src/document/read.ts'
import type { ParseJson } from '../../src/engine/requests/strict-json.ts'

/** The model of a document of which only what matters is given. */
export async function modelFrom(parts: Readonly<Record<string, unknown>>): Promise<Model> {
  const value = { openapi: '3.0.3', info: { title: 'T', version: '1' }, paths: {}, ...parts }
  return modelOf((await readValue(value, 'document')).document)
}

/** JSON as any parser reads it. */
export const parseJson: ParseJson = text => {
  try {
    return { value: JSON.parse(text) }
  } catch {
    return { syntax: 'it breaks off' }
  }
}
