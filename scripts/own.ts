import { existsSync } from 'node:fs'
import { visibleLine } from '../src/visible-text.ts'
import { flag, Misuse, runCommand } from './arguments.ts'
import { DocumentRefused, formatFaults } from './document/reading/fault.ts'
import { findHandlers } from './handlers/found.ts'
import { newcomer } from './own/place.ts'
import { projectFiles, take, uncommitted } from './own/take.ts'
import { divide } from './own/trade.ts'

const usage = `Usage: npm run own -- FILE [--write]

Puts your OpenAPI 3.0 document in the place of the pet store's, and takes away what only the pet store needs: its handlers,
SQL, migrations, tests, releases and papers. Shows first what it would do; git can bring all of it back, so it changes
nothing while something is not committed. Afterwards \`npm run dev\` serves the document, and \`npm run check\` names what is
left to be written.
  FILE     the document, YAML or JSON, with the files beside it that it refers to`

await runCommand({ usage, options: { write: flag('do it') }, positionals: 1 }, async ({ write }, [file]) => {
  if (file === undefined) throw new Misuse('Name the document')
  try {
    const own = await newcomer(file)
    const division = divide(projectFiles(), own.model, await findHandlers())
    const { model, notes, files } = own
    if (notes.length > 0) console.log(formatFaults(notes.slice(0, 20)))
    console.log(`${file}: ${visibleLine(model.document.info.title)}, ${model.operations.length} operations\n`)
    console.log(`to ${[...files.values()].join(', ')}`)
    for (const [folder, count] of countedByFolder(division.gone)) console.log(`goes  ${folder}  ${count}`)
    for (const kept of division.kept) console.log(`stays ${kept}, if it compiles with the document`)
    const changed = uncommitted(files.keys())
    if (changed === undefined)
      throw new Error('This is no git repository: nothing could bring back what goes')
    if (changed.length > 0)
      throw new Error(
        `Commit or stash first, so that git can bring all of it back:\n${changed.slice(0, 20).join('\n')}`,
      )
    if (!write) {
      console.log('\nNothing was changed: add --write for that.')
      return 0
    }
    const misfits = await take(own, division, step => console.log(`… ${step}`)).catch((cause: Error) => {
      const back = 'Nothing is lost: `git restore .` brings back what was committed.'
      throw new Error(`${cause.message}\n${back}`, { cause })
    })
    for (const misfit of misfits) console.log(`goes  ${misfit}: it does not compile with the document`)
    if (existsSync('data'))
      console.log(
        'The folder data holds a database of the pet store: remove it, or set DATA_DIR to another one.',
      )
    console.log(
      '\nDone. `npm run dev` serves it; `npm run check` names what is left. `git status` shows what has changed.',
    )
    return 0
  } catch (error) {
    if (!(error instanceof DocumentRefused)) throw error
    console.error(`${error.message}\nNothing was changed.`)
    return 1
  }
})

/** How many files go, by folder: `src/handlers`, `test`. */
function countedByFolder(files: readonly string[]): [string, string][] {
  const folders = Map.groupBy(files, file => {
    const [first = '', second = ''] = file.split('/')
    return ['test', file].includes(first) || second.includes('.')
      ? first === file
        ? file
        : first
      : `${first}/${second}`
  })
  return [...folders].map(([folder, own]) => [
    folder,
    own.length === 1 && own[0] === folder ? '' : `${own.length} files`,
  ])
}
