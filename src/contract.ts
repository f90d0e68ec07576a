import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { modelOf } from './document/model.ts'
import type { Contract, OperationFacts } from './engine/contract.ts'
import { lifetimesOf, rateLimitsOf } from './engine/extensions.ts'
import { documentHash, operations } from './generated/operations.ts'

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
  const generated = async (name: string) =>
    JSON.parse(await readFile(new URL(`./generated/${name}`, import.meta.url), 'utf8'))
  const changes = new URL('../spec/released/CHANGELOG.md', import.meta.url)
  const document = await generated('document.json')
  return {
    text: bytes.toString(),
    model: modelOf(document),
    facts: new Map<string, OperationFacts>(Object.entries(operations)),
    rateLimits: rateLimitsOf(document),
    lifetimes: lifetimesOf(document),
    changelog: await readFile(changes, 'utf8').catch(() => ''),
    texts: await generated('texts.json'),
  }
}
