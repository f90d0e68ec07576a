import { readFile, writeFile } from 'node:fs/promises'
import { modelOf } from '../src/document/model.ts'
import { readDocument } from '../src/document/read.ts'
import { runCommand } from './arguments.ts'
import { withTables } from './readme/tables.ts'

const usage = `Usage: npm run readme -- [--check] [--file FILE]

Writes README's tables of operations and settings from the document and the code.
  --check  write nothing; exit 1 and name the first line that differs
  --file   the text (default: README.md)`

const options = { check: { type: 'boolean' }, file: { type: 'string', default: 'README.md' } } as const

await runCommand({ usage, options }, async ({ check, file }) => {
  const text = await readFile(file, 'utf8')
  const { document } = await readDocument('spec/openapi.yaml')
  const due = withTables(text, modelOf(document))
  if (text === due) return 0
  if (!check) {
    await writeFile(file, due)
    console.log(`wrote ${file}`)
    return 0
  }
  const [is, lines] = [text.split('\n'), due.split('\n')]
  const at = lines.findIndex((line, index) => line !== is[index])
  console.error(`${file}:${at + 1} is not what document and code say
  is:  ${is[at] ?? '(end)'}
  due: ${lines[at] ?? '(end)'}
Run \`npm run readme\`.`)
  return 1
})
