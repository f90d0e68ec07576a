import { existsSync, rmSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rename, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { ownDocument } from 'spec-served/internal/command/project'
import type { Model } from 'spec-served-document/model'
import { formatFaults } from 'spec-served-document/reading/fault'
import { makeFrom, writeFiles } from '../generate/made.ts'
import { wiringNotes } from '../generate/write.ts'
import { checkDocument } from '../lint/lint.ts'
import { readWithOverlays } from '../project-document.ts'
import { type Limited, withLimits } from './limits.ts'
import { withReferences } from './references.ts'
import { projectFiles } from './templates.ts'

/** The parts of a project. */
const parts = [
  'spec',
  'src',
  'migrations',
  'test',
  'package.json',
  'tsconfig.json',
  '.gitignore',
  '.env.example',
  'README.md',
]
/** The files that may be there before. Their entries stay. */
const extended = new Set(['package.json', '.gitignore'])

/** The result of making a project. */
export interface WrittenProject {
  /** its files and folders */
  written: string[]
  /** the additions to the document; undefined: nothing was asked for */
  added: (Limited & Record<'before' | 'after', string>) | undefined
  /** the parts that are still to be written */
  toldOf: string[]
}

/**
 * Makes a project in the present directory. It is made in a folder within first, so that a failure leaves nothing.
 * @param places of the document's files
 * @param isLimited whether the document gets what it lacks for limits, keys and lifecycle
 * @throws Error with the faults of the document, or with what stands where the project goes
 */
export async function writeProject(
  model: Model,
  places: ReadonlyMap<string, string>,
  isLimited: boolean,
): Promise<WrittenProject> {
  const inTheWay = parts.filter(name => !extended.has(name) && existsSync(name))
  if (inTheWay.length > 0)
    throw new Error(
      `The project would write over ${inTheWay.join(', ')}: put the document elsewhere. Nothing was written.`,
    )
  const texts = new Map<string, string>()
  for (const [from, to] of places) texts.set(to, withReferences(await readFile(from, 'utf8'), from, places))
  const before = texts.get(ownDocument) ?? ''
  const present = async (file: string) => (existsSync(file) ? readFile(file, 'utf8') : undefined)
  const there = {
    packageJson: await present('package.json'),
    gitignore: await present('.gitignore'),
    isOfYarn: existsSync('yarn.lock') || process.env.npm_config_user_agent?.startsWith('yarn') === true,
  }
  const root = resolve('.')
  const made = await mkdtemp(join(root, '.init-'))
  const remove = () => rmSync(made, { recursive: true, force: true })
  process.once('exit', remove) // whatever ends it
  try {
    process.chdir(made)
    await put(texts)
    const limited = isLimited ? await withLimits(before, ownDocument) : undefined
    if (limited) await put(new Map([[ownDocument, limited.text]]))
    await put(projectFiles(model, there))
    if (limited) await refuseFaults()
    const { model: ownModel, files, types, wiring } = await makeFrom(ownDocument)
    await writeFiles(new Map([...files, ...(await types())]))
    process.chdir(root)
    const written = parts.filter(name => existsSync(join(made, name)))
    for (const name of written) await rename(join(made, name), name)
    return {
      written,
      added: limited && { ...limited, before, after: limited.text },
      toldOf: wiring ? wiringNotes(wiring, ownModel) : [],
    }
  } finally {
    process.chdir(root)
    process.off('exit', remove)
    remove()
  }
}

async function put(files: ReadonlyMap<string, string>): Promise<void> {
  for (const [file, text] of files) {
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, text)
  }
}

/** @throws Error with what a document with limits may not have */
async function refuseFaults(): Promise<void> {
  await readWithOverlays(ownDocument)
  const faults = await checkDocument(ownDocument, 'limits')
  if (faults.length > 0) throw new Error(`${formatFaults(faults)}\nNothing was written.`)
}
