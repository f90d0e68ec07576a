import { isObject, lookUp } from '../../document/pointer.ts'
import type { Located, Report } from './fault.ts'
import type { References } from './references.ts'
import type { Source } from './source.ts'

/** The terms in which a schema is written, by those of draft 2020-12. */
interface Dialect {
  /** Whether nothing counts that stands beside a `$ref`. */
  isReferenceAlone: boolean
  /** A keyword of a schema and its value; undefined where the dialect has no such keyword. */
  keyword(name: string, schema: Readonly<Record<string, unknown>>): readonly [string, unknown] | undefined
}

/** The dialect of OpenAPI, apart from its additions: draft 2020-12. */
const usualDialect: Dialect = {
  isReferenceAlone: false,
  keyword: (name, schema) => [name, schema[name]],
}
/** JSON Schema's own: its formats are notes, against which no value is held (JSON Schema 2020-12 Validation, section 7.2.1). */
const draft2020: Dialect = { isReferenceAlone: false, keyword: withoutFormat }
const draft2019: Dialect = {
  isReferenceAlone: false,
  keyword: (name, schema) => (name === 'format' ? withoutFormat(name, schema) : keywordOfOlder(name, schema)),
}
const older: Dialect = { isReferenceAlone: true, keyword: keywordOfOlder }

const byUri: readonly (readonly [RegExp, Dialect])[] = [
  [/^https?:\/\/json-schema\.org\/draft\/2020-12\/schema#?$/, draft2020],
  [/^https:\/\/spec\.openapis\.org\/oas\/3\.\d+\/(dialect|schema)/, usualDialect],
  [/^https?:\/\/json-schema\.org\/draft\/2019-09\/schema#?$/, draft2019],
  [/^https?:\/\/json-schema\.org\/draft-0[4-7]\/schema#?$/, older],
]

/** The dialects of a document's schemas. */
export class Dialects {
  readonly #byUri = new Map<string, Dialect>()
  readonly #root: Source
  readonly #references: References
  readonly #report: Report

  constructor(root: Source, references: References, report: Report) {
    this.#root = root
    this.#references = references
    this.#report = report
  }

  /** The dialect at a place; undefined where none is named. */
  at(place: Located): Dialect | undefined {
    const own = this.#references.dialectAt(place)
    const uri = own ?? lookUp(this.#root.value, ['jsonSchemaDialect'])
    if (typeof uri !== 'string') return undefined
    const known = this.#byUri.get(uri)
    if (known) return known
    const dialect = dialectOf(uri, lookUp(this.#references.valueOf(uri), ['$vocabulary']))
    const written = own === undefined ? { source: this.#root, path: ['jsonSchemaDialect'] } : place
    const message = `The dialect ${uri} is not known: its schemas are read as JSON Schema 2020-12.`
    if (!dialect) this.#report.note(written, message)
    else if (dialect === draft2020 || dialect === draft2019)
      this.#report.note(written, `By the dialect ${uri} formats are notes: no value is held against them.`)
    this.#byUri.set(uri, dialect ?? usualDialect)
    return dialect
  }
}

/**
 * The dialect of a URI; undefined: it is not known.
 * @param vocabularies those of its metaschema, where there is one at hand
 */
function dialectOf(uri: string, vocabularies: unknown): Dialect | undefined {
  const [, known] = byUri.find(([pattern]) => pattern.test(uri)) ?? []
  if (known || !isObject(vocabularies)) return known
  if (Object.hasOwn(vocabularies, validation)) return usualDialect
  const keyword: Dialect['keyword'] = (name, schema) =>
    ofValidation.has(name) ? undefined : [name, schema[name]]
  return { isReferenceAlone: false, keyword }
}

/** The formats that OpenAPI adds say how a value is written, and stay. */
const ofOpenApi = new Set(['int32', 'int64', 'float', 'double', 'password', 'binary', 'byte'])

function withoutFormat(name: string, schema: Readonly<Record<string, unknown>>): readonly [string, unknown] {
  const isNote = name === 'format' && !ofOpenApi.has(String(schema.format))
  return [isNote ? 'x-format' : name, schema[name]]
}

/** Returns the present form of keywords that were renamed in 2020-12 (JSON Schema 2020-12, its release notes). */
function keywordOfOlder(
  name: string,
  schema: Readonly<Record<string, unknown>>,
): readonly [string, unknown] | undefined {
  const value = schema[name]
  const isTuple = Array.isArray(schema.items)
  if (name === 'items' && isTuple) return ['prefixItems', value]
  if (name === 'additionalItems') return isTuple ? ['items', value] : undefined
  if (name !== 'dependencies' || !isObject(value)) return [name, value]
  const required = (one: unknown) => (Array.isArray(one) ? { required: one } : one)
  return [
    'dependentSchemas',
    Object.fromEntries(Object.entries(value).map(([of, one]) => [of, required(one)])),
  ]
}

const validation = 'https://json-schema.org/draft/2020-12/vocab/validation'
const ofValidation = new Set([
  ...['type', 'enum', 'const', 'multipleOf', 'maximum', 'exclusiveMaximum', 'minimum', 'exclusiveMinimum'],
  ...[
    'maxLength',
    'minLength',
    'pattern',
    'maxItems',
    'minItems',
    'uniqueItems',
    'maxContains',
    'minContains',
  ],
  ...['maxProperties', 'minProperties', 'required', 'dependentRequired'],
])
