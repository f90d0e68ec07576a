import { relative } from 'node:path'
import type { Path } from '../pointer.ts'
import { visibleLine } from '../visible-text.ts'
import { pointerTo } from './nodes.ts'
import type { Source } from './source.ts'

/** A fault in a document, and its place. Lines and columns count from 1. */
export interface Fault {
  file: string
  line: number
  column: number
  /** from the root of the file */
  pointer: string
  /** short name of the rule that is broken */
  rule: string
  /** the fault, and its remedy */
  message: string
}

/** A document that can't be served, with all that stands against it. */
export class DocumentRefused extends Error {
  readonly faults: readonly Fault[]
  constructor(faults: readonly Fault[]) {
    super(formatFaults(faults))
    this.name = 'DocumentRefused'
    this.faults = faults
  }
}

/** The place at which a node is written. */
export interface Located {
  source: Source
  path: Path
}

/** A fault at a node of a file, or at the nearest one above it that is written there. */
export function faultAt(place: Located, rule: string, message: string): Fault {
  const { source, path } = place.source.origin?.(place.path) ?? place
  return { file: relative('.', source.file), ...source.place(path), pointer: pointerTo(path), rule, message }
}

/** The faults and notes about a document, as it is read. */
export class Report {
  readonly faults: Fault[] = []
  /** parts that were passed over, as they say nothing in the document's version, or derived */
  readonly notes: Fault[] = []

  fault(place: Located, rule: string, message: string): undefined {
    this.faults.push(faultAt(place, rule, message))
  }

  note(place: Located, message: string, rule = 'note'): undefined {
    this.notes.push(faultAt(place, rule, message))
  }
}

/** In the order of the files, without repetition. */
export function sortFaults(faults: readonly Fault[]): Fault[] {
  const unique = new Map(faults.map(fault => [JSON.stringify(fault), fault]))
  return [...unique.values()].sort(
    (a, b) => (a.file < b.file ? -1 : a.file > b.file ? 1 : 0) || a.line - b.line || a.column - b.column,
  )
}

/** One fault a line, in the form that editors and terminals make clickable, whatever the document holds. */
export function formatFaults(faults: readonly Fault[]): string {
  return faults
    .map(({ file, line, column, rule, pointer, message }) =>
      visibleLine(`${file}:${line}:${column} ${rule} ${pointer} ${message}`),
    )
    .join('\n')
}
