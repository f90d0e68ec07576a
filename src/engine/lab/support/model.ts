import { readFile } from 'node:fs/promises'
import { readContract } from 'spec-served/internal/process/contract'
import { contractOf } from 'spec-served-cli/internal/generate/contract'
import type { Contract } from 'spec-served-document/contract/contract'
import { type Model, modelOf } from 'spec-served-document/model'
import { readDocument, readValue } from 'spec-served-document/reading/read'
import { parse, stringify } from 'yaml'
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
