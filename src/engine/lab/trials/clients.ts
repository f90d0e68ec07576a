import { readFile, rm, writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { type Browser, chromium as launcher } from 'playwright-core'
import { type Given, Misuse } from 'spec-served/internal/command/arguments'
import { table, withBlock } from 'spec-served-cli/internal/texts/escapes'
import { modelOf } from 'spec-served-document/model'
import { DocumentRefused } from 'spec-served-document/reading/fault'
import { readDocument } from 'spec-served-document/reading/read'
import { chromiumPath } from '../support/chromium.ts'
import { misjudged } from '../support/compile.ts'
import { clientCalls, faultsOfExchanges, programOf, writeClient } from '../support/exchanges.ts'
import { sendFromPage } from '../support/pages.ts'
import { type Entry, entriesOf } from './listing.ts'

const readme = 'src/engine/tools/client/README.md'

/** The outcome for one document. */
interface Outcome {
  operations: number
  /** operations whose client calls were sent */
  called: number
  /** requests that the docs page sent; undefined: it was not asked */
  sent: number | undefined
  faults: string[]
}

/** Compiles and calls the client of a document, and then sends what its docs page fills in. */
async function tryOne({ file, folder, name }: Entry, browser: Browser | undefined): Promise<Outcome> {
  const directory = resolve('test/.output/clients', name.replaceAll(/\W/g, '-'))
  try {
    const { document, text } = await readDocument(file, { folder })
    const model = modelOf(document)
    const calls = clientCalls(model)
    await writeClient(directory, model)
    const compiled = await misjudged(directory, programOf(directory, directory, calls))
    const replies = await faultsOfExchanges(directory, text, model, calls)
    const page = browser && (await sendFromPage(browser, text, model))
    return {
      operations: model.operations.length,
      called: calls.length,
      sent: page && page.operations - page.unsent,
      faults: [...compiled, ...replies, ...(page?.faults ?? [])],
    }
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}

/** Tries the clients, and with `pages` the docs pages, of all documents in a directory. */
export async function run(
  values: Given<'list'> & Record<'table' | 'pages', boolean>,
  [directory]: string[],
): Promise<number> {
  if (directory === undefined) throw new Misuse('Which directory holds the documents?')
  const browser = values.pages
    ? await launcher.launch({
        executablePath: await chromiumPath(),
        args: ['--no-sandbox', '--disable-gpu'],
      })
    : undefined
  const rows: string[][] = []
  let faults = 0
  for (const entry of await entriesOf(directory, values.list)) {
    try {
      const outcome = await tryOne(entry, browser)
      const { operations, called, sent } = outcome
      faults += outcome.faults.length
      // The path of a document is none of this repository.
      rows.push([
        entry.name.replace(/ .*\//, ' '),
        ...[operations, called, sent ?? '', outcome.faults.length].map(String),
      ])
      console.log(`${rows.at(-1)?.join(', ')}${outcome.faults.map(fault => `\n  ${fault}`).join('')}`)
    } catch (error) {
      if (!(error instanceof DocumentRefused)) throw error
      console.log(`${entry.name}: refused, ${error.faults[0]?.message}`)
    }
  }
  await browser?.close()
  const head = ['Document', 'Operations', 'Called by the client', 'Sent from the docs page', 'Faults']
  if (values.table) {
    const kept = table(head, rows, column => column > 0)
    await writeFile(readme, withBlock(await readFile(readme, 'utf8'), 'clients', kept))
  }
  console.log(`${rows.length} documents, ${faults} faults`)
  return faults > 0 ? 1 : 0
}
