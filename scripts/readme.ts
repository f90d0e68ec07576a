import { readFile, writeFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { parse } from 'yaml'
import { withTables } from './readme/tables.ts'

const usage = `Usage: npm run readme -- [--check] [--file FILE]

Writes README's tables of operations and settings from the document and the code.
  --check  write nothing; exit 1 and name the first line that differs
  --file   the text (default: README.md)`

async function main(args: string[]): Promise<number> {
  const { check, file } = parseArgs({
    args,
    options: { check: { type: 'boolean', default: false }, file: { type: 'string', default: 'README.md' } },
  }).values
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
}

try {
  process.exitCode = await main(process.argv.slice(2))
} catch (error) {
  const { code, message } = error as NodeJS.ErrnoException // parseArgs, the file system and withTables throw Errors
  const misused = code?.startsWith('ERR_PARSE_ARGS')
  console.error(misused ? `${message}\n\n${usage}` : message)
  process.exitCode = misused ? 2 : 1
}
