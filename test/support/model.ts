import { type Model, modelOf } from '../../src/document/model.ts'
import { readDocument, readValue } from '../../src/document/read.ts'

/** The model of a document at hand, as it was written or changed. */
export async function modelFrom(document: unknown): Promise<Model> {
  return modelOf((await readValue(document, 'a document')).document)
}

/** The model of the project's own document. */
export const ownModel = async (): Promise<Model> =>
  modelOf((await readDocument('spec/openapi.yaml')).document)
