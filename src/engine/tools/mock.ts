import { modelOf } from '../document/model.ts'
import { loadEnvFile } from '../service/process/config.ts'
import { onSignal } from '../service/process/stopping.ts'
import { createSchemas } from '../service/values/schemas.ts'
import { Misuse, option, runCommand, wholeNumber } from './command/arguments.ts'
import { ownDocument } from './generate/made.ts'
import { checkDocument } from './lint/lint.ts'
import { misfitsIn } from './mock/misfits.ts'
import { serveMocks } from './mock/serve.ts'
import { formatFaults } from './reading/fault.ts'
import { readDocument } from './reading/read.ts'

const usage = `Usage: npm run mock -- [OPTIONS]

Serves any OpenAPI document (3.0 to 3.2) with nothing behind it: each operation answers with the document's example, or a
value of its schema. What the document does not allow is refused. Any credential is right.
Clients choose with the header field Prefer: code=404, example=NAME, dynamic=true.`

loadEnvFile()
const { PORT = '4010' } = process.env

const options = {
  spec: option('FILE', 'the document', { default: ownDocument }),
  port: option('PORT', 'where it listens; else the variable PORT says so', { default: PORT }),
  host: option('HOST', 'on which address', { default: '127.0.0.1' }),
  'base-path': option('PATH', 'where the operations are, as /api/v3; as the first server says unless told'),
}

await runCommand({ usage, options }, async ({ spec, port, host, 'base-path': basePath }) => {
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
  const app = await serveMocks(text, model, { isOurs: isOurs && faults.length === 0 })
  const address = await app.listen({ port: number, host })
  console.log(
    `${model.operations.length} operations of ${spec} at ${address}${model.basePath}, docs at ${address}/docs`,
  )
  await new Promise(resolve => onSignal(resolve))
  await app.close()
  return 0
})
