import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, extname, join } from 'node:path'
import { type Given, Misuse } from 'spec-served/internal/command/arguments'
import { modelOf } from 'spec-served-document/model'
import { formatFaults } from 'spec-served-document/reading/fault'
import { visibleLine } from 'spec-served-document/visible-text'
import { show } from './generate/rewrite.ts'
import { newDocument } from './init/new-document.ts'
import { placesOf } from './init/places.ts'
import { writeProject } from './init/write.ts'
import { readWithOverlays } from './project-document.ts'

/** The files of git and of package managers that the folder may hold before. */
const allowed = new Set(
  (
    '.git .gitignore package.json node_modules .npmrc package-lock.json pnpm-lock.yaml pnpm-workspace.yaml ' +
    'yarn.lock .yarn .yarnrc.yml .pnp.cjs .pnp.loader.mjs bun.lock'
  ).split(' '),
)

export async function run(
  { limits, spec, new: title }: { limits: boolean } & Given<'spec' | 'new'>,
  [argument]: string[],
): Promise<number> {
  const [file, ...others] = [argument, spec, title].filter(argumentOrOption => argumentOrOption !== undefined)
  if (file === undefined)
    throw new Misuse(
      'Name the document, as `spec-served init openapi.yaml`, or give --new TITLE for a new document',
    )
  if (others.length > 0) throw new Misuse('Name one document, or give --new TITLE: leave one of them out')
  if (title === undefined) return makeProject(file, limits)
  if (title.trim() === '') throw new Misuse('--new needs the title of the service, as --new "City Library"')
  const folder = await mkdtemp(join(tmpdir(), 'spec-served-'))
  try {
    const written = join(folder, 'openapi.yaml')
    await writeFile(written, newDocument(title.trim()))
    return await makeProject(written, limits, true)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/**
 * Makes a project of the document in a file.
 * @param isNew whether nobody has seen the file, which is removed afterwards
 */
async function makeProject(file: string, limits: boolean, isNew = false): Promise<number> {
  const { document, files, notes } = await readWithOverlays(file)
  const places = placesOf(files)
  const ownEntries = new Set([...files.map(item => item.split('/')[0]), basename(file)])
  const others = (await readdir('.')).filter(name => !allowed.has(name) && !ownEntries.has(name))
  if (others.length > 0)
    throw new Error(
      `This folder has ${others.slice(0, 5).map(visibleLine).join(', ')}${others.length > 5 ? ' and more' : ''} already: make a project in an empty one. Nothing was written.`,
    )
  if (limits && !['.yaml', '.yml', '.json'].includes(extname(file)))
    throw new Misuse('--limits needs a document in YAML or JSON')
  const noted = notes().slice(0, 20)
  if (noted.length > 0) console.log(formatFaults(noted))
  const { written, added, toldOf } = await writeProject(modelOf(document), places, limits)
  if (added) {
    show('spec/openapi.yaml', added.before, added.after)
    for (const note of added.notes) console.log(`note: ${note}`)
  }
  for (const line of toldOf) console.log(line)
  console.log(`wrote ${written.join(', ')}
${
  isNew
    ? 'spec/openapi.yaml is a document of five operations on items: write your own kind of record in their place.'
    : `spec/openapi.yaml is the document from now on: ${visibleLine(file)} is not read any more.`
}

\`npm install\` brings what package.json names. Then \`npm run dev\` serves ${visibleLine(document.info.title)}: an operation
whose handler is not written answers from the document. \`npm run check\` names what is left,
and \`npx spec-served --help\` all commands.`)
  return 0
}
