import { copyFile, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, relative, resolve } from 'node:path'
import { type Model, modelOf } from '../../src/document/model.ts'
import { Misuse } from '../arguments.ts'
import { checkDocument } from '../document/check.ts'
import { ownDocument } from '../document/made.ts'
import { DocumentRefused, type Fault } from '../document/reading/fault.ts'
import { readDocument } from '../document/reading/read.ts'

/** A document on its way to its place. */
export interface Newcomer {
  model: Model
  notes: Fault[]
  /** its files, each with its place in the project */
  files: Map<string, string>
}

/**
 * Reads a document that is to take the place of the project's, with the files that it refers to, as it will stand there.
 * @throws DocumentRefused
 * @throws Misuse where its further files would not stand beside it
 */
export async function newcomer(file: string): Promise<Newcomer> {
  const { document, files, notes } = await readDocument(file)
  const home = dirname(resolve(file))
  const places = files.map((one, index): [string, string] => {
    const place = index === 0 ? ownDocument : join(dirname(ownDocument), relative(home, resolve(one)))
    if (index > 0 && relative(dirname(ownDocument), place).startsWith('..'))
      throw new Misuse(
        `${one} is not within the folder of ${file}: put both in one, or bundle the document first`,
      )
    return [one, place]
  })
  const trial = await mkdtemp(join(tmpdir(), 'own-document-'))
  try {
    await copyTo(trial, places)
    // Further files may lead back to a document that has another name there.
    await readDocument(join(trial, ownDocument))
  } finally {
    await rm(trial, { recursive: true })
  }
  const faults = 'x-rate-limits' in document ? await checkDocument(file, 'facts') : []
  if (faults.length > 0) throw new DocumentRefused(faults)
  return { model: modelOf(document), notes: notes(), files: new Map(places) }
}

/** Copies the files of a document to their places below a directory. */
export async function copyTo(directory: string, places: Iterable<[string, string]>): Promise<void> {
  for (const [from, to] of places) {
    const target = join(directory, to)
    await mkdir(dirname(target), { recursive: true })
    if (resolve(from) !== resolve(target)) await copyFile(from, target)
  }
}
