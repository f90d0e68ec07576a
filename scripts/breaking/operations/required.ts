import type { Placed } from '../../../src/document/model.ts'
import { type Change, change, narrows, type Reader, severityFor, widens } from '../change.ts'
import { keyIn } from '../located.ts'

/** What a message has to have, or may. */
type Part = 'parameter' | 'request body' | 'header'

type Judged = Placed<{ required?: boolean; in?: string }>

/** A part that is new: clients may have to send it, but never have to read it. */
export function addedPart(part: Part, added: Judged, reader: Reader): Change {
  const due = reader === 'request' && isRequired(added)
  return change(
    due ? 'breaking' : 'info',
    due ? `required-${kebab(part)}-added` : `${kebab(part)}-added`,
    added,
    due ? `the required ${nounOf(part)} is new` : `the ${nounOf(part)} is new`,
    due
      ? 'clients of before do not send it'
      : reader === 'request'
        ? 'clients need not send it'
        : 'clients need not read it',
  )
}

/** Judges whether a part has to be there. */
export function* compareRequired(part: Part, base: Judged, next: Judged, reader: Reader): Generator<Change> {
  const [was, is] = [isRequired(base), isRequired(next)]
  if (was === is) return
  const [demanded, spared] =
    reader === 'request'
      ? ['clients that leave it out are refused', 'clients may leave it out']
      : ['clients always find it', 'clients that read it may find nothing']
  yield change(
    severityFor(is ? narrows : widens, reader),
    `${kebab(part)}-became-${is ? 'required' : 'optional'}`,
    keyIn(next, 'required'),
    `the ${nounOf(part)} became ${is ? 'required' : 'optional'}`,
    is ? demanded : spared,
  )
}

/** A path has all its parameters, whatever they say. */
function isRequired({ node }: Judged): boolean {
  return node.required === true || node.in === 'path'
}

function kebab(part: Part): string {
  return part.replace(' ', '-')
}

function nounOf(part: Part): string {
  return part === 'request body' ? 'body' : part
}
