import { createHash } from 'node:crypto'
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { basename, dirname, join, relative } from 'node:path'
import { ownDirectory, ownDocument, projectSettings } from 'spec-served/internal/command/project'
import { type Model, modelOf } from 'spec-served-document/model'
import { DocumentRefused, type Fault, sortFaults } from 'spec-served-document/reading/fault'
import { demanded } from '../lint/demand.ts'
import { checkDocument, notesOn, violationsIn } from '../lint/lint.ts'
import { readWithOverlays } from '../project-document.ts'
import { editorSchema } from './editor-schema.ts'
import { generateFacts, generateTypes } from './emit.ts'
import { keepExactNumbers } from './exact-numbers.ts'
import { isTakenWhole } from './glue.ts'
import { type Wiring, wiringOf } from './write.ts'

const editorSchemaName = 'openapi.schema.json'

/** The files and facts that follow from a document. */
export interface Made {
  model: Model
  /** texts by file, in the order in which they are written */
  files: Map<string, string>
  /** Makes the one that nothing but the compiler reads, which takes longer than all others. */
  types(): Promise<Map<string, string>>
  /** the handlers; undefined for another document than the service's */
  wiring: Wiring | undefined
  notes: Fault[]
  /** the operationIds that two operations have, and only one has a handler: nobody knows whose it is */
  doubled: Fault[]
  /** Whether it is held to the rules of this project: it has limits. */
  isHeld: boolean
}

/**
 * Makes the files that a document stands for; writes nothing.
 * @param out their directory; undefined: that of the service, with the handlers that it needs
 * @param overlays are applied first; undefined: those of the project's settings
 * @throws DocumentRefused
 */
export async function makeFrom(spec: string, out?: string, overlays?: readonly string[]): Promise<Made> {
  const read = await readWithOverlays(spec, { overlays })
  const { document, text } = read
  const isHeld = 'x-rate-limits' in document
  const faults = isHeld ? violationsIn(read, demanded() === 'full' ? 'facts' : 'limits') : []
  // The author of a document gets all faults at once, including those that only the lint finds.
  if (faults.length > 0)
    throw new DocumentRefused(
      out === undefined && demanded() === 'full'
        ? await checkDocument(spec, 'full', { overlays })
        : sortFaults(faults),
    )
  const { int64 } = out === undefined ? projectSettings() : {}
  if (int64 !== undefined) keepExactNumbers(read)
  const model = { ...modelOf(document), hasBigints: int64 !== undefined }
  const directory = out ?? ownDirectory
  const hash = createHash('sha256').update(text).digest('hex')
  const files = new Map<string, string>()
  const wiring = out === undefined ? await wiringOf(model) : undefined
  for (const [file, written] of wiring?.files ?? []) files.set(file, written)
  const source = [document, relative('.', spec), hash] as const
  const placed = (made: ReadonlyMap<string, string>) =>
    [...made].map(([name, written]) => [join(directory, name), written] as const)
  const readingFacts = { isOverlaid: read.overlaid !== text, isTakenWhole: await isTakenWhole(model), int64 }
  for (const [file, written] of placed(generateFacts(...source, readingFacts))) files.set(file, written)
  // For editors, beside a document that names it.
  if (out === undefined && text.includes(editorSchemaName))
    files.set(join(dirname(ownDocument), editorSchemaName), editorSchema())
  const types = async () => new Map(placed(await generateTypes(...source, int64)))
  const notes = notesOn(read)
  const unwritten = new Set(
    wiring?.stubs.map(({ operation: { place } }) => keyOf(read.faultAt([...place, 'operationId'], '', ''))),
  )
  const doubled = notes.filter(note => note.rule === 'operationId-unique' && unwritten.has(keyOf(note)))
  return { model, files, types, wiring, notes, doubled, isHeld }
}

/** The place of a fault. */
const keyOf = ({ file, pointer }: Fault) => `${file} ${pointer}`

/** Writes all files that have changed beside their places first, so that a failure leaves the old ones. Empty ones go. */
export async function writeFiles(files: ReadonlyMap<string, string>): Promise<void> {
  const temporary = (file: string) => join(dirname(file), `.${basename(file)}.${process.pid}`)
  const changed: string[] = []
  for (const [file, text] of files) {
    if ((await readFile(file, 'utf8').catch(() => undefined)) === text) continue
    if (text === '') {
      await rm(file, { force: true })
      continue
    }
    await mkdir(dirname(file), { recursive: true })
    await writeFile(temporary(file), text)
    changed.push(file)
  }
  for (const file of changed) await rename(temporary(file), file)
}
