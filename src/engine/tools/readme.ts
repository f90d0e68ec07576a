import { readFile, writeFile } from 'node:fs/promises'
import { modelOf } from '../document/model.ts'
import { flag, option, runCommand } from './command/arguments.ts'
import { readDocument } from './reading/read.ts'
import { differenceOf } from './readme/difference.ts'
import { pages, withTables } from './readme/tables.ts'

const usage = `Usage: npm run readme -- [OPTIONS]

Writes the tables of operations, settings and figures, and the page of the engine's interface, from the document, the
code and what was counted.`

const settingsPage = 'scripts/production/settings.md'

const options = {
  check: flag('write nothing; exit 1 and name the first line that differs'),
  file: option('FILE', 'stands for the page of settings', { default: settingsPage }),
}

await runCommand({ usage, options }, async ({ check, file }) => {
  const { document } = await readDocument('spec/openapi.yaml')
  const model = modelOf(document)
  let code = 0
  for (const page of pages) {
    const name = page === settingsPage ? file : page
    const text = await readFile(name, 'utf8')
    const due = await withTables(page, text, model)
    if (text === due) continue
    if (check) {
      const difference = differenceOf(name, text, due, 'document, code and figures say')
      console.error(`${difference}\nRun \`npm run readme\`.`)
      code = 1
    } else {
      await writeFile(name, due)
      console.log(`wrote ${name}`)
    }
  }
  return code
})
