import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join, relative, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Model, modelOf, type OperationModel, responseFor } from '../../document/model.ts'
import { authorizationOf } from '../../service/callers/security.ts'
import { createSchemas } from '../../service/values/schemas.ts'
import { clientPackage } from '../../tools/client/package.ts'
import { serveMocks } from '../../tools/mock/serve.ts'
import { readDocument } from '../../tools/reading/read.ts'
import { sampler } from '../../tools/samples/samples.ts'
import { misjudged } from '../support/compile.ts'

interface Init {
  params: Record<string, Record<string, unknown>>
  headers: Record<string, string>
  body?: unknown
}
type AnyClient = Record<
  string,
  (path: string, init: Init) => Promise<{ response: Response; error?: unknown; data?: unknown }>
>

/** A valid call of an operation, drawn from its schemas, with what its security asks for. */
function callOf(model: Model, { method, path, parameters, body, security }: OperationModel) {
  const draw = sampler(createSchemas(model), { isFull: true, direction: 'request' })
  const params: Init['params'] = {}
  for (const { in: place, name, schema = {}, content = {} } of parameters) {
    const own = params[place] ?? {}
    params[place] = own
    own[name] = draw(Object.values(content)[0]?.schema ?? schema)
  }
  const headers: Record<string, string> = {}
  for (const name of Object.keys(security[0] ?? {})) {
    const scheme = model.resolve(model.document.components?.securitySchemes?.[name] ?? { type: '' })
    const kind = authorizationOf(scheme)
    if (kind !== undefined) headers.Authorization = `${kind} ${kind === 'basic' ? btoa('a:b') : 'key'}`
    else if (scheme.in === 'header' && scheme.name) headers[scheme.name] = 'key'
  }
  const [media] = Object.values(body?.content ?? {})
  const value = media?.schema ? draw(media.schema) : new Blob(['x'])
  const init: Init = { params, headers, ...(media && { body: value }) }
  return { method, path, init }
}

/** A call as it is written in a program. */
function lineOf({ method, path, init: { body, ...init } }: ReturnType<typeof callOf>): string {
  const written = body instanceof Blob ? "new Blob(['x'])" : JSON.stringify(body)
  const rest = JSON.stringify(init).slice(1, -1)
  return `await client.${method}(${JSON.stringify(path)}, { ${rest}${body === undefined ? '' : `, body: ${written}`} })`
}

const files = [
  'spec/openapi.yaml',
  'src/engine/test/support/lending.yaml',
  'src/engine/test/document/documents/library.yaml',
  'src/engine/test/document/documents/payments.yaml',
  'src/engine/test/document/documents/telemetry.yaml',
  'src/engine/test/tools/client-exchanges.yaml',
]
const all = resolve('test/.output/client-exchanges')
const directoryOf = (file: string) => join(all, file.replaceAll(/\W/g, '-'))

async function openDocument(file: string) {
  const model = modelOf((await readDocument(file)).document)
  const own = model.operations.filter(({ method }) => /^(GET|PUT|POST|DELETE|PATCH)$/.test(method))
  return { model, calls: own.map(operation => callOf(model, operation)) }
}

beforeAll(async () => {
  for (const file of files) {
    await mkdir(directoryOf(file), { recursive: true })
    for (const [name, text] of await clientPackage((await openDocument(file)).model))
      await writeFile(join(directoryOf(file), name), text)
  }
})
afterAll(() => rm(all, { recursive: true }))

test('a valid call of each operation compiles with the client of its document', async () => {
  const uses = files.map(async (file, i) => {
    const { calls } = await openDocument(file)
    const from = JSON.stringify(`./${relative(all, directoryOf(file))}/index.js`)
    const body = `const client = create${i}({ baseUrl: '' })\n${calls.map(lineOf).join('\n')}`
    return `import { createClient as create${i} } from ${from}\nexport async function use${i}() {\n${body}\n}`
  })
  expect(await misjudged(all, (await Promise.all(uses)).join('\n'))).toEqual([])
}, 120_000)

test.each(files)(
  'a client exchanges a request and a reply of each operation with the mock: %s',
  async file => {
    const { model, calls } = await openDocument(file)
    const app = await serveMocks(await readFile(file, 'utf8'), model, { isOurs: false })
    const { createClient } = await import(pathToFileURL(join(directoryOf(file), 'index.js')).href)
    const client: AnyClient = createClient({
      baseUrl: `${await app.listen({ port: 0, host: '127.0.0.1' })}${model.basePath}`,
      maxRetries: 0,
    })
    const schemas = createSchemas(model)
    const faults: unknown[] = []
    for (const { method, path, init } of calls) {
      const { response, error, data } = (await client[method]?.(path, init)) ?? { response: Response.error() }
      const operation = model.operations.find(one => one.method === method && one.path === path)
      const { content = {} } = (operation && responseFor(operation, response.status)) ?? {}
      const schema = content['application/json']?.schema
      const misfits = schema ? schemas.check(schema, data, 'response') : []
      if (!response.ok || misfits.length > 0) faults.push([method, path, response.status, error, misfits])
    }
    expect(faults).toEqual([])
    await app.close()
  },
)
