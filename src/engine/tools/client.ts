import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { modelOf } from '../document/model.ts'
import { clientPackage } from './client/package.ts'
import { flag, Misuse, option, runCommand } from './command/arguments.ts'
import { ownDocument } from './generate/made.ts'
import type { ValueTypes } from './generate/value-types.ts'
import { readDocument } from './reading/read.ts'

const usage = `Usage: npm run client -- --out DIRECTORY [OPTIONS]

Writes an npm package for clients of an OpenAPI document (3.0 to 3.2): its types, and a client that writes requests as the
document says, retries by Retry-After, sends Idempotency-Keys, goes through pages, and tells errors apart by their codes.`

const options = {
  out: option('DIRECTORY', 'where the package goes; what is there of the same name is written over'),
  spec: option('FILE', 'the document', { default: ownDocument }),
  name: option('NAME', "of the package; without it from the document's title"),
  dates: flag('dates and times are values of Date, and not texts'),
  int64: option('TYPE', 'whole numbers of 64 bits are of this type, and not rounded to numbers', {
    choices: ['bigint', 'string'],
  }),
}

await runCommand({ usage, options }, async ({ out, spec, name, dates, int64 }) => {
  if (!out) throw new Misuse('Where does the package go? (--out)')
  const { document } = await readDocument(spec)
  const files = await clientPackage(modelOf(document), name, {
    dates,
    int64: int64 as ValueTypes['int64'], // one of its choices
  })
  await mkdir(out, { recursive: true })
  for (const [file, text] of files) await writeFile(join(out, file), text)
  console.log(`wrote ${[...files.keys()].join(', ')} to ${out}`)
  return 0
})
