import { isObject, lookUp } from '../pointer.ts'
import type { Located, Report } from './fault.ts'
import { below, type References } from './references.ts'
import type { Source } from './source.ts'

/** The dialect of OpenAPI: JSON Schema 2020-12, and values are checked against its formats. */
const usual = /^https:\/\/spec\.openapis\.org\/oas\/3\.\d+\/(dialect|schema)/
/** JSON Schema's own: its formats are notes (JSON Schema 2020-12 Validation, section 7.2.1). */
const current = /^https?:\/\/json-schema\.org\/draft\/2020-12\/schema#?$/
const older = /^https?:\/\/json-schema\.org\/(draft-0\d|draft\/2019-09)\/(hyper-)?schema#?$/
const draft = /^https?:\/\/json-schema\.org\/draft-0\d\/(hyper-)?schema#?$/

/** Keywords that meant something else before 2020-12: where, since which draft as in 2020-12, and the remedy. */
const changed: Readonly<
  Record<string, { is(value: unknown, node: object): boolean; by: RegExp; remedy: string }>
> = {
  additionalItems: { is: () => true, by: older, remedy: 'write it as items, beside prefixItems' },
  contains: {
    is: (_, node) => 'unevaluatedItems' in node,
    by: older,
    remedy: 'in 2020-12 unevaluatedItems leaves out what contains has found: leave one of both out',
  },
  dependencies: { is: () => true, by: draft, remedy: 'write dependentSchemas or dependentRequired' },
  $ref: {
    is: (_, node) => Object.keys(node).some(name => !besideReference.has(name)),
    by: draft,
    remedy: 'what stands beside it did not count, and counts in 2020-12: leave that out',
  },
  $id: {
    is: value => typeof value === 'string' && value.startsWith('#'),
    by: draft,
    remedy: 'write it as $anchor, without the #',
  },
  id: { is: value => typeof value === 'string', by: draft, remedy: 'write it as $id' },
}
/** Keywords that say nothing of a value. */
const besideReference = new Set(
  '$ref $schema $comment title description default example examples deprecated readOnly writeOnly'.split(' '),
)

const notedFormats = (uri: string) =>
  `By the dialect ${uri} formats are notes: no value is checked against them.`
const unknown = (uri: string) =>
  `The dialect ${uri} is not known: its schemas are read as JSON Schema 2020-12.`

/** The dialects of a document's schemas. */
export class Dialects {
  readonly #told = new Set<string>()
  readonly #root: Source
  readonly #references: References
  readonly #report: Report

  constructor(root: Source, references: References, report: Report) {
    this.#root = root
    this.#references = references
    this.#report = report
  }

  /** Whether formats are notes at a place. Reports each dialect that is not the usual one. */
  hasNotedFormats(place: Located): boolean {
    const dialect = this.#references.dialectAt(place)
    const uri = dialect ?? lookUp(this.#root.value, ['jsonSchemaDialect'])
    if (typeof uri !== 'string' || usual.test(uri)) return false
    const isNote = current.test(uri) || older.test(uri)
    if (older.test(uri)) this.#reportChanged(place, uri)
    const written = below(place, '$schema')
    const isHere = lookUp(place.source.value, written.path) === uri
    if (!isHere && this.#told.has(uri)) return isNote
    const dialectPlace = dialect === undefined ? { source: this.#root, path: ['jsonSchemaDialect'] } : written
    if (!this.#told.has(uri)) this.#report.note(dialectPlace, isNote ? notedFormats(uri) : unknown(uri))
    this.#told.add(uri)
    return isNote
  }

  /** Reports the keywords of a schema that mean something else in 2020-12, by which it is read. */
  #reportChanged(place: Located, uri: string): void {
    const node = lookUp(place.source.value, place.path)
    for (const [name, value] of Object.entries(isObject(node) ? node : {})) {
      const { by, is, remedy } = (Object.hasOwn(changed, name) && changed[name]) || {}
      if (by?.test(uri) && is?.(value, Object(node)))
        this.#report.fault(
          below(place, name),
          'structure',
          `${name} meant something else by ${uri}, and schemas are read as JSON Schema 2020-12: ${remedy}.`,
        )
    }
  }
}

/** The formats that OpenAPI adds say how a value is written, and are no notes. */
const ofOpenApi = new Set(['int32', 'int64', 'float', 'double', 'password', 'binary', 'byte'])

/** Whether a keyword of a schema is a format that may be a note. */
export const isNotable = (name: string, value: unknown): boolean =>
  name === 'format' && !ofOpenApi.has(String(value))

/** Keywords of dialects that are not read, with a remedy. */
export const unreadKeywords: Readonly<Record<string, string>> = {
  $recursiveRef: 'write $dynamicRef, as JSON Schema 2020-12 does',
  $recursiveAnchor: 'write $dynamicAnchor with a name, as JSON Schema 2020-12 does',
  $vocabulary: 'leave it out, as all keywords of JSON Schema 2020-12 count',
}
