import { mkdir, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { pathToFileURL } from 'node:url'
import { clientPackage } from 'spec-served-cli/internal/client/package'
import { serveMocks } from 'spec-served-cli/internal/mock/serve'
import { sampler } from 'spec-served-cli/internal/samples/samples'
import { sequenceFor } from 'spec-served-document/formats/sequences'
import { authorizationOf, type Model, type OperationModel, responseFor } from 'spec-served-document/model'
import { isObject } from 'spec-served-document/pointer'
import type { MediaType } from 'spec-served-document/types'
import { bodyKind, bytesIn } from 'spec-served-document/values/media-types'
import { createSchemas } from 'spec-served-document/values/schemas'
import { type Node, shapeOf } from 'spec-served-document/values/values'

/** Documents of the repository with all that a client or a docs page may have to write. */
export const ownDocuments = [
  'spec/openapi.yaml',
  'src/engine/lab/support/lending.yaml',
  'src/engine/document/test/documents/library.yaml',
  'src/engine/document/test/documents/payments.yaml',
  'src/engine/document/test/documents/telemetry.yaml',
  'src/engine/tools/test/client-exchanges.yaml',
]

type Params = Partial<Record<'path' | 'query' | 'header' | 'cookie', Record<string, unknown>>>
interface Init extends Params {
  headers: Record<string, string>
  body?: unknown
}
/** Calls of an operation by the client of its document. */
export interface ClientCalls {
  operation: OperationModel
  /** a call with all that it may hold, and one with what it must */
  inits: Init[]
  /** credentials in the query, where no call of a client says them */
  inQuery: string[]
}
interface AnyClient {
  use(middleware: { onRequest(options: { request: Request }): Request }): void
  of(
    method: string,
  ): (path: string, init: Init) => Promise<{ response: Response; error?: unknown; data?: unknown }>
}

/** Valid calls of each operation, drawn from its schemas, with what its security asks for. */
export function clientCalls(model: Model): ClientCalls[] {
  const schemas = createSchemas(model)
  const draws = [true, false].map(isFull => sampler(schemas, { isFull, direction: 'request' }))
  return model.operations.flatMap(operation => {
    const { headers, inQuery } = credentialsFor(model, operation)
    const inits = draws.map((draw, i) => ({ headers, ...valuesFor(model, operation, i === 0, draw) }))
    const isPossible = inits.every(({ body }) => body !== undefined || !operation.body?.required)
    return isPossible ? [{ operation, inits, inQuery }] : [] // a schema may contradict itself
  })
}

type Draw = (schema: Node) => unknown

function valuesFor(model: Model, { method, parameters, body }: OperationModel, isFull: boolean, draw: Draw) {
  const params: Record<string, Record<string, unknown>> = {}
  for (const { in: place, name, required, schema = {}, content = {} } of parameters) {
    if (!required && !isFull) continue
    const values = params[place] ?? {}
    params[place] = values
    values[name] = draw(Object.values(content)[0]?.schema ?? schema)
  }
  // `fetch` sends no body by these methods.
  const isSent = (body?.required || isFull) && !['GET', 'HEAD'].includes(method)
  const [first] = body && isSent ? Object.entries(body.content) : []
  return { ...params, ...(first && { body: sentOf(model, ...first, draw) }) }
}

/** A credential for each scheme of the shortest requirement. */
function credentialsFor(model: Model, { security }: OperationModel) {
  const headers: Record<string, string> = {}
  const inQuery: string[] = []
  const [names = []] = security.map(item => Object.keys(item)).toSorted((a, b) => a.length - b.length)
  for (const name of names) {
    const scheme = model.resolve(model.document.components?.securitySchemes?.[name] ?? { type: '' })
    const kind = authorizationOf(scheme)
    if (kind !== undefined) headers.Authorization = `${kind} ${kind === 'basic' ? btoa('a:b') : 'key'}`
    else if (scheme.type === 'mutualTLS') headers['Client-Cert'] = ':Y2VydA==:'
    else if (scheme.in === 'query') inQuery.push(scheme.name ?? '')
    else if (scheme.in === 'cookie') headers.Cookie = `${scheme.name}=key`
    else headers[scheme.name ?? ''] = 'key'
  }
  return { headers, inQuery }
}

/** A value for a body, with files in the places of bytes. */
function sentOf(model: Model, type: string, media: MediaType, draw: Draw): unknown {
  const { schema = {} } = media
  const kind = bodyKind(model, [type, media])
  const file = () => new Blob(['x'])
  if (kind === 'bytes' && !sequenceFor(model, type, media)) return file()
  const value = draw(schema)
  if (kind !== 'parts' || !isObject(value)) return value
  const { properties } = shapeOf(model, schema)
  const parts = Object.entries(value).map(([name, part]) => {
    const property = properties.get(name) ?? {}
    const { items } = shapeOf(model, property)
    if (bytesIn(model, property) !== undefined) return [name, file()]
    const isFiles = Array.isArray(part) && bytesIn(model, items) !== undefined
    return [name, isFiles ? part.map(file) : part]
  })
  return Object.fromEntries(parts)
}

/** Writes the client of a document into a directory. */
export async function writeClient(
  directory: string,
  ...client: Parameters<typeof clientPackage>
): Promise<void> {
  await mkdir(directory, { recursive: true })
  for (const [name, text] of await clientPackage(...client)) await writeFile(join(directory, name), text)
}

/** A function that makes calls by the client in a directory, for a compiler. @param from where it is written */
export function programOf(from: string, directory: string, calls: readonly ClientCalls[]): string {
  const clientModule = JSON.stringify(`./${join(relative(from, directory), 'index.js')}`)
  const lines = calls.flatMap(({ operation, inits }) => inits.map(init => lineOf(operation, init)))
  return `export async function use${Math.random().toString(36).slice(2)}() {
const { createClient } = await import(${clientModule})
const client = createClient({ baseUrl: '' })
${lines.join('\n')}
}`
}

/** A value as it is written in a program. */
function written(value: unknown): string {
  if (value instanceof Blob) return "new Blob(['x'])"
  if (Array.isArray(value)) return `[${value.map(written).join(', ')}]`
  if (!isObject(value)) return JSON.stringify(value)
  return `{ ${Object.entries(value)
    .map(([name, child]) => `${JSON.stringify(name)}: ${written(child)}`)
    .join(', ')} }`
}

const usual = ['GET', 'PUT', 'POST', 'DELETE', 'OPTIONS', 'HEAD', 'PATCH', 'TRACE']

function lineOf({ method, path }: OperationModel, { body, ...init }: Init): string {
  const rest = JSON.stringify(init).slice(1, -1)
  const call = usual.includes(method) ? method : `of(${JSON.stringify(method)})`
  return `await client.${call}(${JSON.stringify(path)}, { ${rest}${body === undefined ? '' : `, body: ${written(body)}`} })`
}

/**
 * Sends each call by the client in a directory to a mock of its document. If one with all that it may hold is refused,
 * one with what it must hold follows: parameters may exclude each other.
 * @returns the faults of the replies
 */
export async function faultsOfExchanges(
  directory: string,
  text: string,
  model: Model,
  calls: readonly ClientCalls[],
): Promise<string[]> {
  const app = await serveMocks(text, model, { isOurs: false })
  const { createClient } = await import(pathToFileURL(join(directory, 'index.js')).href)
  const baseUrl = `${await app.listen({ port: 0, host: '127.0.0.1' })}${model.basePath}`
  const schemas = createSchemas(model)
  const faults: string[] = []

  async function faultOf(operation: OperationModel, init: Init, inQuery: readonly string[]) {
    const client: AnyClient = createClient({ baseUrl, maxRetries: 0, redirect: 'manual' })
    client.use({
      onRequest({ request }) {
        const url = new URL(request.url)
        for (const name of inQuery) url.searchParams.set(name, 'key')
        return new Request(url, request)
      },
    })
    const { response, error, data } = await client.of(operation.method)(operation.path, init)
    const { content = {} } = responseFor(operation, response.status) ?? {}
    const schema = content['application/json']?.schema
    const isRefused = !response.ok && operation.responses.keys().some(status => /^2|default/.test(status))
    const misfits = schema && response.ok ? schemas.check(schema, data, 'response') : []
    if (!isRefused && misfits.length === 0) return undefined
    return `${operation.method} ${operation.path}: ${response.status} ${JSON.stringify(error ?? misfits)}`
  }

  for (const { operation, inits, inQuery } of calls) {
    let fault: string | undefined
    for (const init of inits) {
      fault = await faultOf(operation, init, inQuery)
      if (fault === undefined) break
    }
    if (fault !== undefined) faults.push(fault)
  }
  await app.close()
  return faults
}
