import { existsSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { modelOf } from '../src/document/model.ts'
import { visibleLine } from '../src/visible-text.ts'
import { flag, Misuse, runCommand } from './arguments.ts'
import { checkDocument } from './document/check.ts'
import { ownDocument } from './document/made.ts'
import { DocumentRefused, formatFaults } from './document/reading/fault.ts'
import { readDocument } from './document/reading/read.ts'
import { findHandlers } from './handlers/found.ts'
import { projectFiles, take, uncommitted } from './own/take.ts'
import { divide } from './own/trade.ts'

const usage = `Usage: npm run own -- FILE [--write]

Puts your OpenAPI document (3.0 to 3.2) in the place of the pet store's, and takes away what only the pet store needs: its handlers,
SQL, migrations, tests, releases and papers. Shows first what it would do; git can bring all of it back, so it changes
nothing while something is not committed. Afterwards \`npm run dev\` serves the document, and \`npm run check\` names what is
left to be written.
  FILE     the document, YAML or JSON, with the files beside it that it refers to`

const options = { write: flag('do it') }

await runCommand({ usage, options, positionals: 1 }, async ({ write }, [file]) => {
  if (file === undefined) throw new Misuse('Name the document')
  const { document, files, notes } = await readDocument(file)
  const faults = 'x-rate-limits' in document ? await checkDocument(file, 'facts') : []
  if (faults.length > 0) throw new DocumentRefused(faults)
  const model = modelOf(document)
  const places = placesOf(files)
  const division = divide(projectFiles(), model, await findHandlers())

  const noted = notes().slice(0, 20)
  if (noted.length > 0) console.log(formatFaults(noted))
  console.log(`${file}: ${visibleLine(document.info.title)}, ${model.operations.length} operations\n`)
  console.log(`to ${[...places.values()].join(', ')}`)
  for (const [folder = '', gone] of Map.groupBy(division.gone, one => dirname(one)))
    console.log(`goes  ${folder}  ${gone.length} files`)
  for (const kept of division.kept) console.log(`stays ${kept}, if it compiles with the document`)
  const changed = uncommitted(places.keys())
  if (changed.length > 0)
    throw new Error(
      `Commit or stash first, so that git can bring all of it back:\n${changed.slice(0, 20).join('\n')}`,
    )
  if (!write) {
    console.log('\nNothing was changed: add --write for that.')
    return 0
  }
  const misfits = await take(model, places, division, step => console.log(`… ${step}`)).catch(
    (cause: Error) => {
      throw new Error(
        `${cause.message}\nNothing is lost: \`git restore .\` brings back what was committed.`,
        {
          cause,
        },
      )
    },
  )
  for (const misfit of misfits) console.log(`goes  ${misfit}: it does not compile with the document`)
  if (existsSync('data'))
    console.log(
      'The folder data holds a database of the pet store: remove it, or set DATA_DIR to another one.',
    )
  console.log(
    '\nDone. `npm run dev` serves it; `npm run check` names what is left. `git status` shows what has changed.',
  )
  return 0
})

/**
 * The places in the project of a document's files, of which the first is the document.
 * @throws Misuse where its further files would not stand beside it
 */
function placesOf([document = '', ...others]: readonly string[]): Map<string, string> {
  const places = new Map([[document, ownDocument]])
  for (const other of others) {
    const place = relative(dirname(resolve(document)), resolve(other))
    if (place.startsWith('..'))
      throw new Misuse(
        `${other} is not within the folder of ${document}: put both in one, or bundle the document first`,
      )
    const to = join(dirname(ownDocument), place)
    if (to === ownDocument)
      throw new Misuse(`${other} would stand where ${document} goes: give it another name than ${place}`)
    places.set(other, to)
  }
  return places
}
