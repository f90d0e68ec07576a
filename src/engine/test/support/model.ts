import { type Model, modelOf } from '../../document/model.ts'
import type { Contract } from '../../service/contract/contract.ts'
import { readContract } from '../../service/process/contract.ts'
import { readDocument, readValue } from '../../tools/reading/read.ts'
import { service } from './petstore.ts'

/** The model of a document at hand, as it was written or changed. */
export async function modelFrom(document: unknown): Promise<Model> {
  return modelOf((await readValue(document, 'a document')).document)
}

/** The model of the project's own document. */
export const ownModel = async (): Promise<Model> =>
  modelOf((await readDocument('spec/openapi.yaml')).document)

/** The project's own contract; each process reads it once. */
export function ownContract(): Promise<Contract> {
  contract ??= readContract(service.root)
  return contract
}
let contract: Promise<Contract> | undefined
