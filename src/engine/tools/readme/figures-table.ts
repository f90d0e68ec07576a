import { readFile, writeFile } from 'node:fs/promises'
import { table } from '../texts/escapes.ts'

/** The figures of a scenario, with its day (YYYY-MM-DD) and its description. */
interface Counted {
  day: string
  description: string
  figures: Readonly<Record<string, number | string>>
}

const file = new URL('figures.json', import.meta.url)

const readFigures = async (): Promise<Record<string, Counted>> => JSON.parse(await readFile(file, 'utf8'))

/** Keeps what scenarios came to, by their titles, in place of what is kept of them. */
export async function keepFigures(found: Readonly<Record<string, Counted>>): Promise<void> {
  const kept = Object.entries({ ...(await readFigures()), ...found }).sort(([a], [b]) => (a < b ? -1 : 1))
  await writeFile(file, `${JSON.stringify(Object.fromEntries(kept), null, 2)}\n`)
}

/** The table of the results of faults under load. */
export async function figuresTable(): Promise<string> {
  const rows = Object.entries(await readFigures()).map(([title, { day, description, figures }]) => {
    const counted = Object.entries(figures).map(
      ([name, value]) => `${name.trim()}: ${value.toLocaleString('en')}`,
    )
    return [title, description, counted.join('; '), day]
  })
  return table(['Scenario', 'Fault', 'Result', 'Measured on'], rows)
}
