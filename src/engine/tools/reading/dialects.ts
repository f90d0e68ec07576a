import { lookUp } from '../../document/pointer.ts'
import type { Located, Report } from './fault.ts'
import { below, type References } from './references.ts'
import type { Source } from './source.ts'

/** The dialect of OpenAPI: JSON Schema 2020-12, and its formats are held against values. */
const usual = /^https:\/\/spec\.openapis\.org\/oas\/3\.\d+\/(dialect|schema)/
/** JSON Schema's own: its formats are notes (JSON Schema 2020-12 Validation, section 7.2.1). */
const current = /^https?:\/\/json-schema\.org\/draft\/2020-12\/schema#?$/
const older = /^https?:\/\/json-schema\.org\/(draft-0\d|draft\/2019-09)\/(hyper-)?schema#?$/

const remedy =
  'write them in 2020-12 (a list in items is prefixItems, additionalItems is items, dependencies are dependentSchemas or dependentRequired, and what stands beside a $ref counts), and leave this line out'

const notedFormats = (uri: string) =>
  `By the dialect ${uri} formats are notes: no value is held against them.`
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
    const own = this.#references.dialectAt(place)
    const uri = own ?? lookUp(this.#root.value, ['jsonSchemaDialect'])
    if (typeof uri !== 'string' || usual.test(uri)) return false
    const isCurrent = current.test(uri)
    const written = below(place, '$schema')
    const isHere = lookUp(place.source.value, written.path) === uri
    if (!isHere && this.#told.has(uri)) return isCurrent
    const at = own === undefined ? { source: this.#root, path: ['jsonSchemaDialect'] } : written
    if (older.test(uri)) this.#report.fault(at, 'structure', `Schemas by ${uri} are not read: ${remedy}.`)
    else if (!this.#told.has(uri)) this.#report.note(at, isCurrent ? notedFormats(uri) : unknown(uri))
    this.#told.add(uri)
    return isCurrent
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
