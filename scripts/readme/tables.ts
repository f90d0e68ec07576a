import type { Model } from '../../src/document/model.ts'
import { figuresTable } from './figures-table.ts'
import { operationsTable } from './operations-table.ts'
import { settingsTable } from './settings-table.ts'

/** The pages with tables that are written: from the document, the code and what was counted. */
export const pages = ['README.md', 'scripts/production/README.md'] as const
export type Page = (typeof pages)[number]

/**
 * The text of a page with its tables as they are due, each between `<!-- name -->` and `<!-- /name -->`.
 * @throws Error when a table's place is missing
 */
export async function withTables(page: Page, text: string, model: Model): Promise<string> {
  const tables: Record<string, string> =
    page === 'README.md'
      ? { operations: operationsTable(model), settings: settingsTable() }
      : { figures: await figuresTable() }
  return Object.entries(tables).reduce((written, [name, table]) => {
    const place = new RegExp(`(?<=<!-- ${name} -->\n).*?(?=<!-- /${name} -->)`, 's')
    if (!place.test(written)) throw new Error(`${page} has no place <!-- ${name} --> … <!-- /${name} -->`)
    return written.replace(place, () => `${table}\n`)
  }, text)
}
