import { readFile, writeFile } from 'node:fs/promises'
import { modelOf } from '../src/document/model.ts'
import { flag, option, runCommand } from './arguments.ts'
import { readDocument } from './document/reading/read.ts'
import { pages, withTables } from './readme/tables.ts'

const usage = `Usage: npm run readme -- [OPTIONS]

Writes the tables of operations, settings and figures from the document, the code and what was counted.`

const options = {
  check: flag('write nothing; exit 1 and name the first line that differs'),
  file: option('FILE', 'stands for README.md', { default: 'README.md' }),
}

await runCommand({ usage, options }, async ({ check, file }) => {
  const { document } = await readDocument('spec/openapi.yaml')
  const model = modelOf(document)
  let code = 0
  for (const page of pages) {
    const name = page === 'README.md' ? file : page
    const text = await readFile(name, 'utf8')
    const due = await withTables(page, text, model)
    if (text === due) continue
    if (check) {
      console.error(differenceOf(name, text.split('\n'), due.split('\n')))
      code = 1
    } else {
      await writeFile(name, due)
      console.log(`wrote ${name}`)
    }
  }
  return code
})

function differenceOf(file: string, is: readonly string[], due: readonly string[]): string {
  const at = due.findIndex((line, index) => line !== is[index])
  return `${file}:${at + 1} is not what document, code and figures say
  is:  ${is[at] ?? '(end)'}
  due: ${due[at] ?? '(end)'}
Run \`npm run readme\`.`
}
