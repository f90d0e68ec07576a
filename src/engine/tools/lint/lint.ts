import { writeFile } from 'node:fs/promises'
import { dirname, relative, resolve } from 'node:path'
import {
  BaseResolver,
  createConfig,
  getLineColLocation,
  lintFromString,
  ResolveError,
  Source,
} from '@redocly/openapi-core'
import { modelOf, unservedPlaces } from 'spec-served-document/model'
import { pathOf } from 'spec-served-document/pointer'
import { DocumentRefused, type Fault, sortFaults } from 'spec-served-document/reading/fault'
import type { ReadDocument } from 'spec-served-document/reading/read'
import { isWithin, parseSource, readSource } from 'spec-served-document/reading/source'
import { likest } from 'spec-served-document/spelling'
import type { OpenApi } from 'spec-served-document/types'
import { parseWithOverlays, readWithOverlays } from '../project-document.ts'
import { changeRules } from './change-rules.ts'
import { codeDescriptionRules, codeRules } from './code-rules.ts'
import { completenessRules } from './completeness-rules.ts'
import { misnamedIn } from './discriminators.ts'
import { effectRules } from './effect-rules.ts'
import { extensions } from './extensions.ts'
import { factRules } from './fact-rules.ts'
import { promiseRules } from './promise-rules.ts'
import { proseRules } from './prose-rules.ts'
import { redoclyRemedy } from './redocly-remedies.ts'
import { withRemedies } from './remedies.ts'
import { unshownFaults, valueRules } from './value-rules.ts'
import { type ProjectRule, textOf, type Violation } from './violation.ts'

/**
 * The demand on a document. `bind`: any document that routes are made from. `limits`: one whose callers are limited.
 * `facts`: one that this project's facts are generated from. `full`: one that this project publishes (Redocly's
 * recommended rules included).
 */
export type Demand = 'bind' | 'limits' | 'facts' | 'full'

const {
  'rate-limits': limits,
  lifetimes,
  bounds,
} = factRules as Record<'rate-limits' | 'lifetimes' | 'bounds', ProjectRule> // all are there

const facts = { ...factRules, ...codeRules, ...effectRules, ...changeRules }

/** The rules of each demand, beyond those for every document that is read. */
export const rulesFor: Record<Demand, Record<string, ProjectRule>> = {
  bind: {},
  limits: { 'rate-limits': limits, lifetimes, bounds },
  facts,
  full: {
    ...facts,
    ...promiseRules,
    ...valueRules,
    ...codeDescriptionRules,
    ...completenessRules,
    ...proseRules,
  },
}

/** Returns the violations of this project's rules in a document that has been read. */
export function violationsIn(read: ReadDocument, demand: Demand): Fault[] {
  const model = modelOf(read.document)
  return Object.entries(rulesFor[demand]).flatMap(([name, rule]) =>
    [...rule(model)].map(violation => read.faultAt(violation.place, `project/${name}`, textOf(violation))),
  )
}

/** Returns the notes on a document that has been read: parts that are passed over, and mappings and servers without effect. */
export function notesOn(read: ReadDocument): Fault[] {
  const model = modelOf(read.document)
  const found = [...misnamedIn(model), ...unshownFaults(model), ...misspeltIn(model.document)]
  const misnamed = found.map(violation => read.faultAt(violation.place, 'note', textOf(violation)))
  const unserved = unservedPlaces(model).map(({ place, message }) =>
    read.faultAt(
      place,
      'note',
      `${message} Put first the one that counts, or let a proxy lead the others to it.`,
    ),
  )
  return sortFaults([...read.notes(), ...misnamed, ...unserved])
}

/** The rules that a document of these rules would have, if the name of one were not misspelt. */
function* misspeltIn(document: OpenApi): Generator<Violation> {
  const extensionNames = Object.keys(extensions.document ?? {})
  for (const name of Object.keys(document)) {
    const meant =
      name.startsWith('x-') && !extensionNames.includes(name) ? likest(name, extensionNames) : undefined
    if (meant !== undefined && !(meant in document))
      yield { place: [name], message: `${name} says nothing here.`, decide: `whether ${meant} is meant.` }
  }
}

/** A document, what is wrong with it, and what its author should know. */
export interface Examined {
  faults: Fault[]
  /** undefined: it can't be read */
  read: ReadDocument | undefined
  /** whether the document is held to the rules of this project: it has `x-rate-limits` */
  isHeld: boolean
}

type Given = { text?: string | undefined; overlays?: readonly string[] | undefined }

/**
 * Reads a document, and finds what is wrong with it. Warnings count. A document without `x-rate-limits` was not written
 * by this project's rules: only what can't be bound is wrong with it.
 * @param text the text that the file is about to get; without it the file is read
 * @param overlays are applied to the file first; undefined: those of the project's settings
 */
export async function examineDocument(
  file: string,
  demand: Demand,
  { text, overlays }: Given = {},
): Promise<Examined> {
  let read: ReadDocument
  try {
    read = await (text === undefined ? readWithOverlays(file, { overlays }) : parseWithOverlays(text, file))
  } catch (error) {
    if (!(error instanceof DocumentRefused)) throw error
    // If the text can be read, the same run finds all faults of its parts.
    const isText = !error.faults.some(({ rule }) => ['yaml', 'readable', 'version'].includes(rule))
    const isHeld = isText && 'x-rate-limits' in Object(sourceOf(file, text).value)
    const others = isHeld && demand === 'full' ? await recommended(file, text) : []
    return { faults: sortFaults([...error.faults, ...beside(error.faults, others)]), read: undefined, isHeld }
  }
  const isHeld = 'x-rate-limits' in read.document
  const faults = violationsIn(read, isHeld ? demand : 'bind')
  // A document of others may hold what says nothing; in ours it would be a promise that nobody keeps.
  if (isHeld && demand === 'full') {
    const notes = read.notes()
    faults.push(...notes, ...beside(notes, await recommendedFor(read, file)))
  }
  return { faults: sortFaults(faults), read, isHeld }
}

/** The rules of others that name what a fault of our own brings about, by its rule. */
const consequences: Readonly<Record<string, RegExp>> = {
  'path-parameters-defined': /^parameter$/,
  'operation-2xx-response': /^response$/,
  'operation-4xx-response': /^response$/,
  'no-unused-components': /^(path|reference|structure)$/,
}

/** Returns the faults by the rules of others that say more than our own: neither the same, nor what comes of it. */
function beside(faults: readonly Fault[], others: readonly Fault[]): Fault[] {
  const places = ({ file, pointer, line, column }: Fault) => [
    `${file} ${pointer.replace(/\/(\$ref)?$/, '')}`,
    `${file}:${line}:${column}`,
  ]
  const faultPlaces = new Set(faults.flatMap(places))
  return others.filter(other => {
    if (places(other).some(place => faultPlaces.has(place))) return false
    const { rule, message, pointer } = other
    const [, field = pointer.split('/').at(-1)] = /^The field `(.+)` must be present/.exec(message) ?? []
    const misspelt = rule === 'no-empty-servers' ? 'write servers,' : undefined
    return !faults.some(
      fault =>
        consequences[rule]?.test(fault.rule) ||
        message.startsWith('Example validation errored') ||
        (misspelt !== undefined && fault.message.includes(misspelt)) ||
        fault.message.startsWith(`${field} is missing here`),
    )
  })
}

const sourceOf = (file: string, text: string | undefined) =>
  text === undefined ? readSource(file) : parseSource(text, file)

/** The faults alone that `examineDocument` finds. */
export async function checkDocument(file: string, demand: Demand, source: Given = {}): Promise<Fault[]> {
  return (await examineDocument(file, demand, source)).faults
}

/**
 * Writes the remedies of violations into a document; nothing into one that can't be read, or has no `x-rate-limits`.
 * @returns the violations that they mend
 */
export async function fixDocument(file: string, demand: Demand): Promise<Fault[]> {
  const { text } = readSource(file)
  try {
    const { document } = await readWithOverlays(file)
    if (!('x-rate-limits' in document)) return []
    const { text: written, fixed } = await withRemedies(text, file, rulesFor[demand])
    if (written !== text) await writeFile(file, written)
    return fixed
  } catch (error) {
    if (error instanceof DocumentRefused) return []
    throw error
  }
}

/** The same faults at the places where the document and its overlays are written. */
async function recommendedFor(read: ReadDocument, file: string): Promise<Fault[]> {
  const faults = await recommended(file, read.overlaid)
  if (read.overlaid === read.text) return faults
  return faults.map(({ pointer, rule, message }) =>
    read.faultAt(pathOf(pointer.slice(1)) ?? [], rule, message),
  )
}

/** Returns the faults that Redocly's recommended rules find in a document. */
async function recommended(file: string, text?: string): Promise<Fault[]> {
  const source = text ?? readSource(file).text
  const config = await createConfig({ extends: ['recommended'] })
  const absoluteRef = resolve(file)
  const externalRefResolver = new OwnFiles(dirname(absoluteRef))
  const problems = await lintFromString({ source, absoluteRef, config, externalRefResolver })
  return problems.map(({ ruleId, message, suggest: [meant], location: [first] }) => {
    const { line, col } = first ? getLineColLocation(first).start : { line: 1, col: 1 }
    const written = first?.source.getLines()[line - 1]?.slice(col - 1) ?? ''
    return {
      file: relative('.', first?.source.absoluteRef ?? file),
      line,
      column: col,
      pointer: first?.pointer ?? '#',
      rule: ruleId,
      message: `${message} ${meant === undefined ? redoclyRemedy(ruleId, message, written) : `Write: ${meant}`}`,
    }
  })
}

/** Redocly's reader of files, by the same rules as our own: those in the document's folder, and nothing from a network. */
class OwnFiles extends BaseResolver {
  readonly #folder: string
  constructor(folder: string) {
    super()
    this.#folder = folder
  }

  override async loadExternalRef(file: string): Promise<Source> {
    if (!isWithin(this.#folder, file))
      throw new ResolveError(new Error('It is no file in the document’s folder.'))
    try {
      return new Source(file, readSource(file).text)
    } catch {
      throw new ResolveError(new Error('The file can’t be read.'))
    }
  }
}
