import type { Oas3Rule } from '@redocly/openapi-core'
import { Place } from './place.ts'

/** Looks through a whole document and reports each fault at the place where it is to be mended. */
export type DocumentRule = (document: Place, report: (place: Place, message: string) => void) => void

/** Makes a rule of the linter from one that looks at the document as a whole. */
export function documentRule(rule: DocumentRule): Oas3Rule {
  return () => ({
    Root(root, { location, resolve, report }) {
      rule(new Place(root, location, resolve), (place, message) =>
        report({ message, location: place.location.key() }),
      )
    },
  })
}
