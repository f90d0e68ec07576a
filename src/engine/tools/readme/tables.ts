import { fileVariable, settings } from 'spec-served/internal/process/config'
import type { Model } from 'spec-served-document/model'
import { table, withBlock } from '../texts/escapes.ts'
import { figuresTable } from './figures-table.ts'
import { interfaces } from './interface.ts'
import { operationsTable } from './operations-table.ts'

/** The pages of which parts are written: from the document, the code and what was counted. */
const blocks = {
  'spec/operations.md': ['operations', operationsTable],
  'scripts/production/settings.md': ['settings', () => settingsTable()],
  'scripts/production/README.md': ['figures', () => figuresTable()],
  'src/engine/service/INTERFACE.md': ['interface', () => interfaces()],
} as const
export type Page = keyof typeof blocks
export const pages = Object.keys(blocks) as Page[] // it has no others

/**
 * The text of a page with what is written of it as that is due.
 * @throws Error when its place is missing, or an export of the engine has no doc comment
 */
export async function withTables(page: Page, text: string, model: Model): Promise<string> {
  const [name, write] = blocks[page]
  return withBlock(text, name, await write(model))
}

/** The table of the environment variables, made from the code that reads them. */
function settingsTable(): string {
  const rows = Object.entries(settings).map(([name, setting]) => {
    const fallback = 'fallback' in setting ? `\`${setting.fallback}\`` : ''
    const names = [name, fileVariable(name, setting)].filter(text => text !== undefined)
    return [names.map(text => `\`${text}\``).join(', '), fallback, setting.description]
  })
  return table(['Variable', 'Default', 'Meaning'], rows)
}
