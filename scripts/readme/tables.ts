import type { Model } from '../../src/document/model.ts'
import { fileVariable, settings } from '../../src/engine/process/config.ts'
import { figuresTable } from './figures-table.ts'
import { interfaceOf } from './interface.ts'
import { table, withBlock } from './markdown.ts'
import { operationsTable } from './operations-table.ts'

/** The pages of which parts are written: from the document, the code and what was counted. */
export const pages = ['README.md', 'scripts/production/README.md', 'src/engine/INTERFACE.md'] as const
export type Page = (typeof pages)[number]

/**
 * The text of a page with its tables, and what else is written of it, as they are due.
 * @throws Error when the place of one is missing, or an export of the engine has no doc comment
 */
export async function withTables(page: Page, text: string, model: Model): Promise<string> {
  if (page === 'src/engine/INTERFACE.md') return withBlock(text, 'interface', interfaceOf())
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
