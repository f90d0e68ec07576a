import { Misuse } from 'spec-served/internal/command/arguments'
import { type Model, modelOf } from 'spec-served-document/model'
import { lookUp, type Path } from 'spec-served-document/pointer'
import { DocumentRefused, type Fault } from 'spec-served-document/reading/fault'
import type { ReadDocument } from 'spec-served-document/reading/read'
import type { OpenApi } from 'spec-served-document/types'
import { parseWithOverlays } from '../project-document.ts'
import { type Mend, mended, type ProjectRule, textOf, type Violation } from './violation.ts'
import { withMends } from './written.ts'

type Rules = Readonly<Record<string, ProjectRule>>

/** A violation that changes can mend, and the rule that it breaks. */
type Mendable = Violation & { mend: readonly Mend[]; rule: string }

/** Returns violations that changes can mend, but for those that were tried before. */
function mendableIn(model: Model, rules: Rules, tried: Set<string>): Mendable[] {
  const found = Object.entries(rules).flatMap(([rule, violations]) =>
    [...violations(model)].flatMap(violation => ('mend' in violation ? [{ ...violation, rule }] : [])),
  )
  return found.filter(violation => {
    const key = JSON.stringify([violation.rule, violation.place, violation.message])
    return !tried.has(key) && tried.add(key)
  })
}

/**
 * Returns a node as it is after changes of its document, with the remedies of all violations in it. A remedy that changes
 * other nodes, too, is left out. The document stays as it is.
 */
export function remedied(document: OpenApi, changes: readonly Mend[], place: Path, rules: Rules): unknown {
  const copy = structuredClone(document)
  for (const change of structuredClone(changes)) mended(copy, change)
  const isWithin = (path: Path) => place.every((name, index) => path[index] === name)
  const tried = new Set<string>()
  for (;;) {
    const found = mendableIn(modelOf(copy), rules, tried).filter(({ mend }) =>
      mend.every(change => isWithin(change.place)),
    )
    if (found.length === 0) return lookUp(copy, place)
    for (const change of found.flatMap(({ mend }) => mend)) mended(copy, change)
  }
}

/** A text with its remedies, and the violations that they mend. */
export interface Remedied {
  text: string
  fixed: Fault[]
}

/**
 * Writes the remedies of all violations into the text of a document. Comments and layout stay. A remedy is left out if its
 * place is written in another file or elsewhere, or if nobody could read the document after it.
 * @throws DocumentRefused if the text can't be read
 */
export async function withRemedies(text: string, file: string, rules: Rules): Promise<Remedied> {
  const tried = new Set<string>()
  const done: Remedied = { text, fixed: [] }
  for (;;) {
    const read = await parseWithOverlays(done.text, file)
    const found = mendableIn(modelOf(read.document), rules, tried)
    if (found.length === 0) return done
    const { text: changed, mendable } = await applied(done.text, file, read, found)
    done.text = changed
    done.fixed.push(
      ...mendable.map(violation =>
        read.faultAt(violation.place, `project/${violation.rule}`, textOf(violation)),
      ),
    )
  }
}

/** Applies remedies to a text; if that fails, each half by itself. @param read the document in the text */
async function applied(
  text: string,
  file: string,
  read: ReadDocument,
  mendable: Mendable[],
): Promise<{ text: string; mendable: Mendable[] }> {
  const places = mendable.flatMap(({ mend }) =>
    mend.map(({ place, value }) => ({ place: read.writtenAt(place), value })),
  )
  const changes = places.flatMap(({ place, value }) => (place ? [{ place, value }] : []))
  try {
    if (changes.length < places.length) throw new Misuse('Some of it is written elsewhere')
    const written = withMends(text, changes)
    if (written === text) return { text, mendable: [] }
    await parseWithOverlays(written, file)
    return { text: written, mendable }
  } catch (error) {
    if (!(error instanceof Misuse || error instanceof DocumentRefused)) throw error
    if (mendable.length === 1) return { text, mendable: [] }
    const half = Math.ceil(mendable.length / 2)
    const first = await applied(text, file, read, mendable.slice(0, half))
    const now = first.text === text ? read : await parseWithOverlays(first.text, file)
    const second = await applied(first.text, file, now, mendable.slice(half))
    return { text: second.text, mendable: [...first.mendable, ...second.mendable] }
  }
}
