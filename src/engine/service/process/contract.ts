import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { Contract, OperationFacts } from 'spec-served-document/contract/contract'
import { lifetimesOf, rateLimitsOf } from 'spec-served-document/contract/extensions'
import { modelOf } from 'spec-served-document/model'
import { releasesIn } from '../docs/releases.ts'

/** The facts about a document that `npm run generate` writes for the service. */
interface Generated {
  /** SHA-256 of the document's text */
  documentHash: string
  operations: Record<string, OperationFacts>
  /** whether overlays changed it, so that clients get document.json */
  isOverlaid?: true
  /** whether fastify-openapi-glue takes the whole document */
  isTakenWhole?: true
  /** the type of whole numbers of 64 bits, if it is not number */
  int64?: 'bigint'
}

/** Reads a project's document. @throws Error when src/generated was made from another text: its types would differ */
export async function readContract(root: URL): Promise<Contract> {
  const place = (name: string) => new URL(`src/generated/${name}`, root)
  const read = async (name: string) => JSON.parse(await readFile(place(name), 'utf8'))
  const [
    bytes,
    { documentHash, operations, isOverlaid, isTakenWhole, int64 },
    document,
    texts,
    changelog,
    releases,
  ] = await Promise.all([
    readFile(new URL('spec/openapi.yaml', root)),
    import(place('operations.ts').href) as Promise<Generated>,
    read('document.json'),
    read('texts.json'),
    readFile(new URL('spec/released/CHANGELOG.md', root), 'utf8').catch(() => ''),
    releasesIn(new URL('spec/released/', root)),
  ])
  if (createHash('sha256').update(bytes).digest('hex') !== documentHash)
    throw new Error('spec/openapi.yaml has changed since src/generated was written: run `npm run generate`')
  return {
    text: isOverlaid ? JSON.stringify(document, null, 2) : bytes.toString(),
    hash: documentHash,
    model: { ...modelOf(document), hasBigints: int64 === 'bigint' },
    facts: new Map(Object.entries(operations)),
    rateLimits: rateLimitsOf(document),
    lifetimes: lifetimesOf(document),
    changelog,
    releases,
    texts,
    isTakenWhole,
  }
}
