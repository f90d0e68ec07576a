import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { ownDirectory, ownDocument } from 'spec-served/internal/command/project'
import { formatFaults } from 'spec-served-document/reading/fault'
import { visibleLine } from 'spec-served-document/visible-text'
import { demanded } from '../lint/demand.ts'
import { checkDocument } from '../lint/lint.ts'
import { withTables } from '../readme/tables.ts'
import { makeFrom, writeFiles } from './made.ts'

/**
 * Holds the text of a document to the rules of the project before it takes the place of the present one. A component may be there before
 * what refers to it.
 * @throws Error with its faults
 */
export async function checkRules(text: string): Promise<void> {
  const all = await checkDocument(ownDocument, demanded(), { text })
  const faults = all.filter(({ rule }) => rule !== 'no-unused-components')
  if (faults.length > 0) throw new Error(`${formatFaults(faults)}\nNothing was written.`)
}

/** Generates files from the document again, the table of operations among them where there is one; says which. */
export async function regenerate(): Promise<string> {
  const { model, files, types } = await makeFrom(ownDocument)
  const made = new Map([...files, ...(await types())])
  const page = 'spec/operations.md'
  if (existsSync(page)) made.set(page, await withTables(page, await readFile(page, 'utf8'), model))
  await writeFiles(made)
  return `${ownDirectory}${existsSync(page) ? ` and ${page}` : ''}: made from the document`
}

/** Shows the lines that a file has got, with the number of the first of each stretch. */
export function show(file: string, before: string, after: string): void {
  const old = before.split('\n')
  const now = after.split('\n')
  const last = new Map(now.map((line, index) => [line, index]))
  let next = 0
  let isShown = false
  for (const [index, line] of now.entries()) {
    while (next < old.length && (last.get(old[next] ?? '') ?? -1) < index) next++ // it was replaced
    const isOld = line === old[next]
    if (isOld) next++
    else console.log(`${isShown ? '' : `${file}:${index + 1}\n`}  ${visibleLine(line)}`)
    isShown = !isOld
  }
}
