import { readFile } from 'node:fs/promises'
import { parse, stringify } from 'yaml'
import { type Model, modelOf } from '../../document/model.ts'
import type { Contract } from '../../service/contract/contract.ts'
import { readContract } from '../../service/process/contract.ts'
import { contractOf } from '../../tools/generate/contract.ts'
import { readDocument, readValue } from '../../tools/reading/read.ts'
import { service } from './petstore.ts'

/** The model of a document at hand, as it was written or changed. */
export async function modelFrom(document: unknown): Promise<Model> {
  return modelOf((await readValue(document, 'a document')).document)
}

/** The model of the project's own document. */
export const ownModel = async (): Promise<Model> =>
  modelOf((await readDocument('spec/openapi.yaml')).document)

/** The contract of the project's own document with a change. */
export async function changedContract(
  change: (document: ReturnType<typeof parse>) => void,
): Promise<Contract> {
  const document = parse(await readFile('spec/openapi.yaml', 'utf8'))
  change(document)
  return contractOf(stringify(document), await modelFrom(document))
}

/** The project's own contract; each process reads it once. */
export function ownContract(): Promise<Contract> {
  contract ??= readContract(service.root)
  return contract
}
let contract: Promise<Contract> | undefined
