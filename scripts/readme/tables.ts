import { fileVariable, settings } from '../../src/config.ts'
import type { Model } from '../../src/document/model.ts'
import { figuresTable } from './figures-table.ts'
import { table, withBlock } from './markdown.ts'
import { operationsTable } from './operations-table.ts'

/** The pages with tables that are written: from the document, the code and what was counted. */
export const pages = ['README.md', 'scripts/production/README.md'] as const
export type Page = (typeof pages)[number]

/**
 * The text of a page with its tables as they are due.
 * @throws Error when a table's place is missing
 */
export async function withTables(page: Page, text: string, model: Model): Promise<string> {
  if (page !== 'README.md') return withBlock(text, 'figures', await figuresTable())
  return withBlock(withBlock(text, 'operations', operationsTable(model)), 'settings', settingsTable())
}

/** README's table of the environment variables, made from the code that reads them. */
function settingsTable(): string {
  const rows = Object.entries(settings).map(([name, setting]) => {
    const fallback = 'fallback' in setting ? `\`${setting.fallback}\`` : ''
    const names = [name, fileVariable(name, setting)].filter(text => text !== undefined)
    return [names.map(text => `\`${text}\``).join(', '), fallback, setting.description]
  })
  return table(['Variable', 'Default', 'Meaning'], rows)
}
