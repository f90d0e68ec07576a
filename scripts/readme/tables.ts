import type { Model } from '../../src/document/model.ts'
import { operationsTable } from './operations-table.ts'
import { settingsTable } from './settings-table.ts'

/**
 * README's text with its tables as code and document have them now, each between `<!-- name -->` and `<!-- /name -->`.
 * @throws Error when a table's place is missing
 */
export function withTables(text: string, model: Model): string {
  const tables = { operations: operationsTable(model), settings: settingsTable() }
  return Object.entries(tables).reduce((written, [name, table]) => {
    const place = new RegExp(`(?<=<!-- ${name} -->\n).*?(?=<!-- /${name} -->)`, 's')
    if (!place.test(written)) throw new Error(`The text has no place <!-- ${name} --> … <!-- /${name} -->`)
    return written.replace(place, () => `${table}\n`)
  }, text)
}
