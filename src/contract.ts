import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { type Model, modelOf } from './document/model.ts'
import { documentHash } from './generated/operations.ts'

/** The contract as the server serves it. */
export interface ContractDocument {
  /** the YAML text, as written */
  readonly text: string
  /** what the text says, in one form and one file; a plain object tree, not to be changed */
  readonly model: Model
}

/**
 * Reads spec/openapi.yaml.
 * @throws Error when src/generated was made from another text: server, types and docs would disagree
 */
export async function readDocument(
  file = new URL('../spec/openapi.yaml', import.meta.url),
): Promise<ContractDocument> {
  const bytes = await readFile(file)
  if (createHash('sha256').update(bytes).digest('hex') !== documentHash)
    throw new Error('spec/openapi.yaml has changed since src/generated was written: run `npm run generate`')
  const normalised = new URL('./generated/document.json', import.meta.url)
  return { text: bytes.toString(), model: modelOf(JSON.parse(await readFile(normalised, 'utf8'))) }
}
