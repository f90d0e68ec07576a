import type { Schema } from './json-schema.ts'

/** A response of the document, its references and those of its header fields followed. */
export interface DeclaredResponse {
  headers?: Record<string, DeclaredHeader>
  content?: Record<string, { schema?: Schema }>
}

export interface DeclaredHeader {
  required?: boolean
  schema?: Schema
}

const methods = new Set(['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'])

/** Every response that the document declares, by operation and status. */
export function* responsesOf(
  document: Schema,
): Generator<{ operationId: string; status: string; response: DeclaredResponse }> {
  for (const [method, operation] of Object.values(document.paths ?? {}).flatMap(item =>
    Object.entries(item),
  )) {
    if (!methods.has(method)) continue
    const { operationId, responses } = operation as { operationId: string; responses: Record<string, Schema> } // by the document's lint
    for (const [status, declared] of Object.entries(responses)) {
      const response: DeclaredResponse = resolve(document, declared)
      const headers = Object.entries(response.headers ?? {}).map(([name, header]) => [
        name,
        resolve(document, header),
      ])
      yield {
        operationId,
        status,
        response: { ...response, headers: Object.fromEntries(headers) } as DeclaredResponse,
      }
    }
  }
}

/** Follows `$ref`s within the document. */
function resolve(document: Schema, node: object): object {
  const { $ref } = node as { $ref?: string } // a Reference Object has it, others lack it
  return $ref === undefined ? node : resolve(document, lookUp(document, $ref) ?? {})
}

/** What a local JSON Pointer fragment points to. */
export function lookUp(document: Schema, pointer: string): object | undefined {
  const names = pointer
    .slice(2)
    .split('/')
    .map(name => decodeURIComponent(name).replaceAll('~1', '/').replaceAll('~0', '~'))
  // The walk goes through objects of any shape; what is no object ends it.
  return names.reduce<unknown>((node, name) => (node as Schema | undefined)?.[name], document) as
    | object
    | undefined
}
