import { once } from 'node:events'
import { modelOf } from '../src/document/model.ts'
import { Misuse, runCommand, wholeNumber } from './arguments.ts'
import { checkDocument } from './document/check.ts'
import { DocumentRefused, formatFaults } from './document/reading/fault.ts'
import { readDocument } from './document/reading/read.ts'
import { serveMocks } from './mock/serve.ts'

const usage = `Usage: npm run mock -- [--spec FILE] [--port PORT] [--host HOST]

Serves any OpenAPI document (3.0 to 3.2) with nothing behind it: each operation answers with the document's example, or a value of
its schema. What the document does not allow is refused. Any credential is right.
  --spec  the document (default: spec/openapi.yaml)
  --port  (default: 4010)
  --host  (default: 127.0.0.1)
  --base-path  where the operations are, as /api/v3; default: as the document's first server says
Clients choose with the header field Prefer: code=404, example=NAME, dynamic=true.`

const options = {
  spec: { type: 'string', default: 'spec/openapi.yaml' },
  port: { type: 'string', default: '4010' },
  host: { type: 'string', default: '127.0.0.1' },
  'base-path': { type: 'string' },
} as const

await runCommand({ usage, options }, async ({ spec, port, host, 'base-path': basePath }) => {
  if (basePath !== undefined && !/^(\/[^/?#]+)*\/?$/.test(basePath))
    throw new Misuse('--base-path is a path as /api/v3')
  const number = wholeNumber('--port', port)
  try {
    const { document, text, notes } = await readDocument(spec)
    const noted = notes()
    if (noted.length > 0) console.log(formatFaults(noted.slice(0, 20)))
    const isOurs = 'x-rate-limits' in document
    const faults = isOurs ? await checkDocument(spec, 'limits') : []
    if (faults.length > 0) console.log(`${formatFaults(faults)}\nSo nobody is limited.`)
    const model = modelOf(document, basePath?.replace(/\/$/, ''))
    const app = await serveMocks(text, model, { isOurs: isOurs && faults.length === 0 })
    const address = await app.listen({ port: number, host })
    console.log(
      `${model.operations.length} operations of ${spec} at ${address}${model.basePath}, docs at ${address}/docs`,
    )
    await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')])
    await app.close()
    return 0
  } catch (error) {
    if (!(error instanceof DocumentRefused)) throw error
    console.error(error.message)
    return 1
  }
})
