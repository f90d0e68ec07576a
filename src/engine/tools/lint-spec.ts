import { relative } from 'node:path'
import { Misuse } from 'spec-served/internal/command/arguments'
import { exitCodes, type Outcome } from 'spec-served/internal/command/command'
import { ownDocument } from 'spec-served/internal/command/project'
import { modelOf } from 'spec-served-document/model'
import { type Fault, formatFaults, sortFaults } from 'spec-served-document/reading/fault'
import type { ReadDocument } from 'spec-served-document/reading/read'
import { createSchemas } from 'spec-served-document/values/schemas'
import { demanded } from './lint/demand.ts'
import { likelyMistakesIn } from './lint/likely-mistakes.ts'
import { type Examined, examineDocument, fixDocument, notesOn } from './lint/lint.ts'
import { misfitsIn } from './mock/misfits.ts'

/** Checks a document by the rules, after their remedies if that is asked for. */
export async function run(
  { fix, spec, overlay: overlays }: { fix: boolean; spec: string; overlay: string[] | undefined },
  [argument]: string[],
): Promise<Outcome> {
  if (argument !== undefined && spec !== ownDocument) throw new Misuse('Name one document')
  const file = argument ?? spec
  const demand = file === ownDocument ? demanded() : 'full'
  if (fix && overlays) throw new Misuse('--fix writes into the document, and none of its --overlay')
  const fixed = fix ? await fixDocument(file, demand) : []
  const examined = await examineDocument(file, demand, { overlays })
  const { faults, read } = examined
  const notes = read ? notesBeside(examined, read) : []
  const contents = read && contentsOf(read)
  const named = relative('.', file)
  const begin = contents ? `${named}: ${inWords(contents)}` : named
  const isSound = faults.length === 0
  const noted = notes.length > 0 ? `, ${count(notes.length, 'note')}` : ''
  return {
    json: { document: contents ? { file: named, ...contents } : null, faults, notes, fixed },
    lines: [
      ...fixed.map(fault => `fixed  ${formatFaults([fault])}`),
      ...notes.map(note => formatFaults([note])),
      ...(isSound ? [`${begin}: nothing is wrong${noted}`] : []),
    ],
    errors: isSound
      ? []
      : [...faults.map(fault => formatFaults([fault])), `${begin}: ${count(faults.length, 'fault')}`],
    code: isSound ? exitCodes.done : exitCodes.failed,
  }
}

/** The notes that are no faults: nothing keeps the document from being served. */
function notesBeside({ faults, isHeld }: Examined, read: ReadDocument): Fault[] {
  const knownFaults = new Set(faults.map(({ pointer, message }) => `${pointer} ${message}`))
  const model = modelOf(read.document)
  // The rules of this project judge examples themselves.
  const schemas = createSchemas(model)
  const misfits = isHeld ? [] : [...misfitsIn(model, schemas), ...likelyMistakesIn(model, schemas)]
  const notes = [...notesOn(read), ...misfits.map(({ path, message }) => read.faultAt(path, 'note', message))]
  return sortFaults(notes.filter(({ pointer, message }) => !knownFaults.has(`${pointer} ${message}`)))
}

/** The size of a document: its version, and how many of each kind it has. */
type Contents = Record<'openapi', string> & Record<'operations' | 'schemas', number>

function contentsOf({ document }: ReadDocument): Contents {
  const { operations } = modelOf(document)
  const schemas = Object.keys(document.components?.schemas ?? {})
  return { openapi: document.openapi, operations: operations.length, schemas: schemas.length }
}

function inWords({ openapi, operations, schemas }: Contents): string {
  const [version] = /^\d+\.\d+/.exec(openapi) ?? []
  return `OpenAPI ${version}, ${count(operations, 'operation')}, ${count(schemas, 'schema')}`
}

const count = (number: number, name: string) => `${number} ${name}${number === 1 ? '' : 's'}`
