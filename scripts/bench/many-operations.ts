import { modelOf } from '../../src/document/model.ts'
import { readValue } from '../../src/document/read.ts'
import { contractOf } from '../../src/engine/contract.ts'
import { createEngine } from '../../src/engine/engine.ts'
import { type NoStore, openMemoryParts } from '../../src/engine/memory-parts.ts'
import type { AnyHandler } from '../../src/engine/routes/binding.ts'

/** Serves a document of as many operations as its argument says: what it costs to find the right one and to read its request. */
const count = Number(process.argv[2])
const parameters = [
  { name: 'id', in: 'path', required: true, schema: { type: 'integer', format: 'int64', minimum: 1 } },
  { name: 'limit', in: 'query', schema: { type: 'integer', minimum: 1, maximum: 100, default: 20 } },
]
const responses = { 200: { description: 'ok', content: { 'application/json': { schema: {} } } } }
const names = Array.from({ length: count }, (_, index) => index + 1)
const paths = names.map(name => [
  `/things${name}/{id}`,
  { get: { operationId: `getThing${name}`, parameters, responses } },
])
const { document } = await readValue(
  { openapi: '3.0.3', info: { title: 'Many', version: '1' }, paths: Object.fromEntries(paths) },
  'many operations',
)
const contract = contractOf('', modelOf(document))
const echo: AnyHandler<object> = async ({ path }) => ({ status: 200, body: path })
const handlers = Object.fromEntries(names.map(name => [`getThing${name}`, echo]))
const parts = await openMemoryParts(contract, {})
const app = await createEngine<NoStore, NoStore>(contract, handlers, parts, { maxWaitMs: 60_000 })
await app.listen({ host: '127.0.0.1', port: Number(process.env.PORT) })
