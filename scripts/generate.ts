import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { parse } from 'yaml'
import { runCommand } from './arguments.ts'
import { checkDocument, formatFaults } from './document/check.ts'
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
  out: { type: 'string', default: 'src/generated' },
} as const

/** Whether a document is to keep this project's own rules: its own does, and so do those that carry plans. */
async function isOwn(file: string): Promise<boolean> {
  if (relative('.', file) === ownDocument) return true
  const text = await readFile(file, 'utf8')
  try {
    return 'x-rate-limits' in parse(text)
  } catch {
    return false // what can't be read is refused with its place by the check
  }
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
  const own = await isOwn(spec)
  const faults = await checkDocument(spec, own ? 'facts' : 'bind')
  if (faults.length > 0) {
    console.error(formatFaults(faults))
    console.error(`${faults.length} fault${faults.length > 1 ? 's' : ''}; nothing was written`)
    return 1
  }
  if (!own) console.log(`${spec} has no x-rate-limits: this project's own rules were not applied`)
  const files = await generate(spec)
  if (check) return report(await firstDifference(files, out))
  await write(files, out)
  console.log(`wrote ${[...files.keys()].map(name => join(out, name)).join(' and ')}`)
  return 0
})
