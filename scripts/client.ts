import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { modelOf } from '../src/document/model.ts'
import { Misuse, runCommand } from './arguments.ts'
import { clientPackage } from './client/package.ts'
import { DocumentRefused } from './document/reading/fault.ts'
import { readDocument } from './document/reading/read.ts'

const usage = `Usage: npm run client -- --out DIRECTORY [--spec FILE] [--name NAME]

Writes an npm package for clients of an OpenAPI 3.0 document: its types, and a client that retries by Retry-After, sends
Idempotency-Keys, goes through pages, and tells errors apart by their codes.
  --out   where the package goes; what is there of the same name is written over
  --spec  the document (default: spec/openapi.yaml)
  --name  of the package (default: from the document's title)`

const options = {
  out: { type: 'string' },
  spec: { type: 'string', default: 'spec/openapi.yaml' },
  name: { type: 'string' },
} as const

await runCommand({ usage, options }, async ({ out, spec, name }) => {
  if (!out) throw new Misuse('Where does the package go? (--out)')
  try {
    const { document } = await readDocument(spec)
    const files = await clientPackage(modelOf(document), name)
    await mkdir(out, { recursive: true })
    for (const [file, text] of files) await writeFile(join(out, file), text)
    console.log(`wrote ${[...files.keys()].join(', ')} to ${out}`)
    return 0
  } catch (error) {
    if (!(error instanceof DocumentRefused)) throw error
    console.error(error.message)
    return 1
  }
})
