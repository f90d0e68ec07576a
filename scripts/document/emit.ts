import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { relative } from 'node:path'
import { bundle, createConfig } from '@redocly/openapi-core'
import openapiTS, { astToString, type OpenAPI3 } from 'openapi-typescript'
import { factsOf } from './facts.ts'
import { type OpenApi, type Response, resolve } from './model.ts'

/** Text by file name. */
export type GeneratedFiles = Map<string, string>

/**
 * Turns a document that can be bound into TypeScript: `schema.ts` with its types and `operations.ts` with what the
 * server must know of each operation. The same document gives the same bytes.
 */
export async function generate(file: string): Promise<GeneratedFiles> {
  const hash = createHash('sha256')
    .update(await readFile(file))
    .digest('hex')
  const { bundle: bundled } = await bundle({ ref: file, config: await createConfig({}) })
  return generateFrom(bundled.parsed as OpenApi, relative('.', file), hash) // its structure has been checked
}

/**
 * The same for a document that is at hand and whole.
 * @param source what the files name as their origin
 * @param hash tells this text of the document from others
 */
export async function generateFrom(document: OpenApi, source: string, hash: string): Promise<GeneratedFiles> {
  const header = [
    `// Generated from ${source} (SHA-256 ${hash}).`,
    '// Do not edit: change the document and run `npm run generate`.',
    '',
  ].join('\n')
  return new Map([
    ['schema.ts', `${header}\n${await schemaTypes(document)}`],
    ['operations.ts', `${header}\n${operationFacts(document, hash)}`],
  ])
}

/** Names that stand for something else in the types that openapi-typescript writes. */
const reserved = new Set(['paths', 'webhooks', 'components', 'operations', '$defs', 'Record'])

async function schemaTypes(document: OpenApi): Promise<string> {
  const source = withInlineHeaders(document) as unknown as OpenAPI3 // its types are narrower than 3.0 documents are
  const types = astToString(await openapiTS(source, { defaultNonNullable: false, silent: true }))
  const names = Object.keys(document.components?.schemas ?? {}).filter(
    name => /^[A-Za-z_$][\w$]*$/.test(name) && !reserved.has(name),
  )
  return [types, ...names.map(name => `export type ${name} = components['schemas']['${name}']\n`)].join('')
}

/** openapi-typescript takes a referenced header for a required one, whatever it says: it gets headers in place. */
function withInlineHeaders(original: OpenApi): OpenApi {
  const document = structuredClone(original)
  const inline = (response: Response) => {
    for (const [name, header] of Object.entries(response.headers ?? {}))
      if (response.headers && typeof header === 'object' && header)
        response.headers[name] = resolve(document, header)
  }
  for (const item of Object.values(document.paths ?? {}))
    for (const operation of Object.values(item)) {
      const { responses = {} } = operation as { responses?: Record<string, Response> } // a path item's other values have none
      for (const response of Object.values(responses)) inline(response)
    }
  for (const response of Object.values(document.components?.responses ?? {})) inline(response)
  return document
}

function operationFacts(document: OpenApi, hash: string): string {
  const operations = [...factsOf(document)].map(([id, facts]) => {
    const lines = Object.entries(facts).map(([name, value]) => `    ${name}: ${literal(value)},\n`)
    return `  ${key(id)}: {\n${lines.join('')}  },\n`
  })
  return [
    `export const documentHash = '${hash}'`,
    `export const documentVersion = ${literal(document.info.version)}`,
    `export const operations = {\n${operations.join('')}} as const`,
    `export const rateLimits = ${literal(document['x-rate-limits'] ?? null)}${document['x-rate-limits'] ? ' as const' : ''}`,
    '',
  ].join('\n\n')
}

/** In a literal, a plain `__proto__` would set the prototype; a computed one is a property. */
function key(name: string): string {
  if (name === '__proto__') return `['__proto__']`
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name)
}

function literal(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const entries = Object.entries(value).map(([name, child]) => `${key(name)}: ${literal(child)}`)
  return entries.length > 0 ? `{ ${entries.join(', ')} }` : '{}'
}
