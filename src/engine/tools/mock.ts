import { modelOf } from '../document/model.ts'
import { loadEnvFile } from '../service/process/config.ts'
import { origins as readOrigins } from '../service/process/setting-readers.ts'
import { onSignal } from '../service/process/stopping.ts'
import { createSchemas } from '../service/values/schemas.ts'
import { flag, Misuse, option, runCommand, wholeNumber } from './command/arguments.ts'
import { ownDocument } from './generate/made.ts'
import { checkDocument } from './lint/lint.ts'
import { createKeeper } from './mock/keeper.ts'
import { misfitsIn } from './mock/misfits.ts'
import { readSeed } from './mock/seed.ts'
import { mockContract, serveContract } from './mock/serve.ts'
import { formatFaults } from './reading/fault.ts'
import { readDocument } from './reading/read.ts'

const usage = `Usage: npm run mock -- [OPTIONS]

Serves any OpenAPI document (3.0 to 3.2) with nothing behind it. It begins with the records of the document's examples, and
keeps in memory what clients make, change and remove. All else is answered with the document's example, or a value of
its schema. What the document does not allow is refused. POST /__reset brings the records of the start back.
Clients choose with the header field Prefer: code=404, example=NAME, dynamic=true. Pages of all origins may call it, or those
of CORS_ORIGINS.`

loadEnvFile()
const { PORT = '4010', CORS_ORIGINS = '*' } = process.env

const options = {
  spec: option('FILE', 'the document', { default: ownDocument }),
  port: option('PORT', 'where it listens; else the variable PORT says so', { default: PORT }),
  host: option('HOST', 'on which address', { default: '127.0.0.1' }),
  stateless: flag('every reply is an example; nothing is kept'),
  seed: option('FILE', 'the records at the start, as JSON by collection: { "/pets": [{ "id": 1, … }] }'),
  credential: option(
    'TEXT',
    'the only credential that is right, besides those that the mock issues; else any is',
  ),
  'base-path': option('PATH', 'where the operations are, as /api/v3; as the first server says unless told'),
}

await runCommand({ usage, options }, async ({ spec, port, host, 'base-path': basePath, ...values }) => {
  if (basePath !== undefined && !/^(\/[^/?#]+)*\/?$/.test(basePath))
    throw new Misuse('--base-path is a path as /api/v3')
  const number = wholeNumber('--port', port)
  const { document, text, notes, faultAt } = await readDocument(spec)
  const model = modelOf(document, basePath?.replace(/\/$/, ''))
  const misfits = [...misfitsIn(model, createSchemas(model))]
  const noted = [...notes(), ...misfits.map(({ path, message }) => faultAt(path, 'note', message))]
  if (noted.length > 0) console.log(formatFaults(noted.slice(0, 20)))
  const isOurs = 'x-rate-limits' in document
  const faults = isOurs ? await checkDocument(spec, 'limits') : []
  if (faults.length > 0) console.log(`${formatFaults(faults)}\nSo nobody is limited.`)
  const contract = mockContract(text, model, isOurs && faults.length === 0)
  const { stateless, seed, credential } = values
  if (stateless && (seed ?? credential) !== undefined)
    throw new Misuse('--stateless has no --seed and no --credential')
  const given = credential === undefined ? [] : [credential]
  const keeper = stateless
    ? undefined
    : createKeeper(contract, { given, ...(seed && { seed: await readSeed(seed) }) })
  const app = await serveContract(contract, { keeper, corsOrigins: readOrigins(CORS_ORIGINS) })
  const address = await app.listen({ port: number, host })
  console.log(
    `${model.operations.length} operations of ${spec} at ${address}${model.basePath}, docs at ${address}/docs`,
  )
  await new Promise(resolve => onSignal(resolve))
  await app.close()
  return 0
})
