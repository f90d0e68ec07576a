import { packageName, version } from 'spec-served/internal/command/project'
import type { Contract } from 'spec-served-document/contract/contract'
import { modelOf } from 'spec-served-document/model'
import { factsOf } from 'spec-served-document/reading/facts'
import { propertyName, valueLiteral } from 'spec-served-document/reading/literals'
import type { OpenApi } from 'spec-served-document/types'
import { docsTextsOf } from '../texts/texts.ts'
import { schemaTypes } from './schema-types.ts'

/** Facts of how a service reads its document. */
interface ReadingFacts {
  isOverlaid?: boolean
  isTakenWhole?: boolean
  /** the type of whole numbers of 64 bits, if it is not number */
  int64?: 'bigint' | undefined
}

/** Text by file name. */
export type GeneratedFiles = Map<string, string>

/**
 * Turns a document into what the service needs of it. The same document gives the same bytes.
 * @param document normalised
 * @param source the origin that the files name
 * @param hash distinguishes the document's text from others
 */
export async function generate(document: OpenApi, source: string, hash: string): Promise<GeneratedFiles> {
  const types = await generateTypes(document, source, hash)
  return new Map([...types, ...generateFacts(document, source, hash)])
}

/** Generates `schema.ts`, the types of the document. Only the compiler reads them. They take longest. */
export async function generateTypes(
  document: OpenApi,
  source: string,
  hash: string,
  int64?: 'bigint',
): Promise<GeneratedFiles> {
  const types = await schemaTypes(document, 'handlers', { int64 })
  return new Map([['schema.ts', `${headerOf(source, hash)}\n${types}`]])
}

/**
 * Generates the files that the running service reads. `operations.ts` has the facts of each operation. `document.json`
 * has the document in one form and one file. `texts.json` has its texts for the docs in Markdown.
 */
export function generateFacts(
  document: OpenApi,
  source: string,
  hash: string,
  reading: ReadingFacts = {},
): GeneratedFiles {
  const model = { ...modelOf(document), hasBigints: reading.int64 !== undefined }
  const facts = factsOf(model)
  return new Map([
    ['operations.ts', `${headerOf(source, hash)}\n${operationFacts(document, facts, hash, reading)}`],
    ['document.json', `${JSON.stringify(document, null, 1)}\n`],
    ['texts.json', `${JSON.stringify(docsTextsOf(model, facts), null, 1)}\n`],
  ])
}

const headerOf = (source: string, hash: string) =>
  [
    // A line break in a file's name would end the comment.
    `// Generated from ${source.replace(/\s+/g, ' ')} (SHA-256 ${hash}) by ${packageName} ${version}.`,
    '// Do not edit: change the document and run `npm run generate`.',
    '',
  ].join('\n')

function operationFacts(
  document: OpenApi,
  facts: Contract['facts'],
  hash: string,
  { isOverlaid, isTakenWhole, int64 }: ReadingFacts,
): string {
  const operations = [...facts].map(([id, factsOfOperation]) => {
    const lines = Object.entries(factsOfOperation).map(
      ([name, value]) => `    ${name}: ${valueLiteral(value)},\n`,
    )
    return `  ${propertyName(id)}: {\n${lines.join('')}  },\n`
  })
  return [
    `export const documentHash = '${hash}'`,
    ...(isOverlaid
      ? [
          '/** The document has overlays: document.json is what clients are shown. */\nexport const isOverlaid = true',
        ]
      : []),
    ...(isTakenWhole
      ? ['/** fastify-openapi-glue takes the whole document. */\nexport const isTakenWhole = true']
      : []),
    ...(int64 ? [`/** Whole numbers of 64 bits have this type. */\nexport const int64 = '${int64}'`] : []),
    `export const operations = {\n${operations.join('')}} as const`,
    `export const rateLimits = ${valueLiteral(document['x-rate-limits'] ?? null)}${document['x-rate-limits'] ? ' as const' : ''}`,
    '',
  ].join('\n\n')
}
