import { createHash } from 'node:crypto'
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { DocumentRefused, type Fault, formatFaults } from '../src/document/fault.ts'
import { readDocument } from '../src/document/read.ts'
import { Misuse, runCommand } from './arguments.ts'
import { checkDocument } from './document/check.ts'
import { editorSchema } from './document/editor-schema.ts'
import { type GeneratedFiles, generate } from './document/emit.ts'

const usage = `Usage: npm run generate -- [--check] [--spec FILE] [--out DIRECTORY]

Writes the TypeScript that an OpenAPI 3.0 document stands for.
  --check  write nothing; exit 1 and name the first difference when the files are not current
  --spec   the document (default: spec/openapi.yaml)
  --out    where the files go (default: src/generated)`

const ownDocument = 'spec/openapi.yaml'

const options = {
  check: { type: 'boolean' },
  spec: { type: 'string', default: ownDocument },
  out: { type: 'string' },
} as const

/** The first of the notes on a document, and how many there are. */
function tell(notes: readonly Fault[]): void {
  const shown = notes.slice(0, 20)
  if (shown.length > 0) console.log(formatFaults(shown))
  if (notes.length > shown.length) console.log(`and ${notes.length - shown.length} notes more`)
}

/** Writes all files beside their places first, so that a failure leaves the old ones. */
async function write(files: GeneratedFiles, directory: string): Promise<void> {
  await mkdir(directory, { recursive: true })
  const temporary = (name: string) => join(directory, `.${name}.${process.pid}`)
  for (const [name, text] of files) await writeFile(temporary(name), text)
  for (const name of files.keys()) await rename(temporary(name), join(directory, name))
}

async function firstDifference(files: GeneratedFiles, directory: string): Promise<string | undefined> {
  for (const [name, text] of files) {
    const file = relative('.', join(directory, name))
    const current = await readFile(file, 'utf8').catch(() => undefined)
    if (current === undefined) return `${file} is missing`
    if (current === text) continue
    const [is, due] = [current.split('\n'), text.split('\n')]
    const line = due.findIndex((content, index) => content !== is[index])
    const at = line < 0 ? due.length : line
    return `${file}:${at + 1} is not what the document says\n  is:  ${is[at] ?? '(end)'}\n  due: ${due[at] ?? '(end)'}`
  }
  return undefined
}

function report(difference: string | undefined): number {
  if (difference === undefined) return 0
  console.error(`${difference}\nRun \`npm run generate\`.`)
  return 1
}

await runCommand({ usage, options }, async ({ check, spec, out }) => {
  const isOurs = relative('.', spec) === ownDocument
  if (out === undefined && !isOurs)
    throw new Misuse(`--spec needs --out: src/generated is made from ${ownDocument}`)
  const directory = out ?? 'src/generated'
  try {
    const { document, text, notes } = await readDocument(spec)
    const own = isOurs || 'x-rate-limits' in document
    const faults = own ? await checkDocument(spec, 'facts') : []
    // Who mends a document is told all at once, what only the lint asks for too.
    if (faults.length > 0) throw new DocumentRefused(isOurs ? await checkDocument(spec, 'full') : faults)
    if (!own) console.log(`${spec} has no x-rate-limits: this project's own rules were not applied`)
    tell(notes())
    const hash = createHash('sha256').update(text).digest('hex')
    const files = await generate(document, relative('.', spec), hash)
    // For editors, beside the document that it is for.
    const beside: GeneratedFiles = new Map(out === undefined ? [['openapi.schema.json', editorSchema()]] : [])
    if (check)
      return report(
        (await firstDifference(files, directory)) ?? (await firstDifference(beside, dirname(ownDocument))),
      )
    await write(files, directory)
    await write(beside, dirname(ownDocument))
    console.log(`wrote ${[...files.keys()].map(name => join(directory, name)).join(' and ')}`)
    return 0
  } catch (error) {
    if (!(error instanceof DocumentRefused)) throw error
    const count = error.faults.length
    console.error(`${error.message}\n${count} fault${count > 1 ? 's' : ''}; nothing was written`)
    return 1
  }
})
