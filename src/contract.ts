import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { modelOf } from './document/model.ts'
import { type Contract, contractOf } from './engine/contract.ts'
import { documentHash } from './generated/operations.ts'

/**
 * Reads spec/openapi.yaml.
 * @throws Error when src/generated was made from another text: server, types and docs would disagree
 */
export async function readContract(
  file = new URL('../spec/openapi.yaml', import.meta.url),
): Promise<Contract> {
  const bytes = await readFile(file)
  if (createHash('sha256').update(bytes).digest('hex') !== documentHash)
    throw new Error('spec/openapi.yaml has changed since src/generated was written: run `npm run generate`')
  const normalised = new URL('./generated/document.json', import.meta.url)
  const changes = new URL('../spec/released/CHANGELOG.md', import.meta.url)
  const changelog = await readFile(changes, 'utf8').catch(() => '')
  return contractOf(bytes.toString(), modelOf(JSON.parse(await readFile(normalised, 'utf8'))), changelog)
}
