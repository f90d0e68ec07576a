import { readFile, writeFile } from 'node:fs/promises'
import { parse } from 'yaml'
import { runCommand } from './arguments.ts'
import { withTables } from './readme/tables.ts'

const usage = `Usage: npm run readme -- [--check] [--file FILE]

Writes README's tables of operations and settings from the document and the code.
  --check  write nothing; exit 1 and name the first line that differs
  --file   the text (default: README.md)`

const options = { check: { type: 'boolean' }, file: { type: 'string', default: 'README.md' } } as const

await runCommand({ usage, options }, async ({ check, file }) => {
  const text = await readFile(file, 'utf8')
  const due = withTables(text, parse(await readFile('spec/openapi.yaml', 'utf8')))
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
