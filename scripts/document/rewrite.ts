import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { visibleLine } from '../../src/engine/process/visible-text.ts'
import { withTables } from '../readme/tables.ts'
import { checkDocument } from './check.ts'
import { makeFrom, ownDocument, write } from './made.ts'
import { formatFaults } from './reading/fault.ts'

/**
 * Holds the text of a document to the rules before it takes the place of the present one.
 * @throws Error with its faults
 */
export async function holdToRules(document: string): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'petstore-document-'))
  const file = join(directory, 'openapi.yaml')
  try {
    await writeFile(file, document)
    const faults = await checkDocument(file, 'full')
    if (faults.length > 0) throw new Error(`${formatFaults(faults)}\nNothing was written.`)
  } finally {
    await rm(directory, { recursive: true })
  }
}

/** Makes anew what is made from the document: the generated files and the table of operations. */
export async function regenerate(): Promise<void> {
  const { model, files, types } = await makeFrom(ownDocument)
  const made = new Map([...files, ...(await types())])
  const page = 'spec/operations.md'
  if (existsSync(page)) made.set(page, await withTables(page, await readFile(page, 'utf8'), model))
  await write(made)
}

/** Shows the lines that a file has got, with the number of the first of each stretch. */
export function show(file: string, before: string, after: string): void {
  const old = before.split('\n')
  let next = 0
  let isShown = false
  for (const [index, line] of after.split('\n').entries()) {
    const found = old.indexOf(line, next)
    // A line that stands far below is another one.
    const isOld = found >= 0 && found - next <= 2
    if (isOld) next = found + 1
    else console.log(`${isShown ? '' : `${file}:${index + 1}\n`}  ${visibleLine(line)}`)
    isShown = !isOld
  }
}
