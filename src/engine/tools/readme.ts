import { readFile, writeFile } from 'node:fs/promises'
import { modelOf } from 'spec-served-document/model'
import { readWithOverlays } from './project-document.ts'
import { differenceOf } from './readme/difference.ts'
import { pages, withTables } from './readme/tables.ts'

const settingsPage = 'scripts/production/settings.md'

export async function run({ check, file }: { check: boolean; file: string }): Promise<number> {
  const { document } = await readWithOverlays('spec/openapi.yaml')
  const model = modelOf(document)
  let code = 0
  for (const page of pages) {
    const name = page === settingsPage ? file : page
    const text = await readFile(name, 'utf8')
    const due = await withTables(page, text, model)
    if (text === due) continue
    if (check) {
      const remedy = 'is not what document, code and figures say: run `npm run readme`.'
      console.error(differenceOf(name, text, due, remedy))
      code = 1
    } else {
      await writeFile(name, due)
      console.log(`wrote ${name}`)
    }
  }
  return code
}
