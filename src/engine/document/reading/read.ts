import { relative } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { modelOf, takesNull, typesIn } from '../model.ts'
import { isObject, lookUp, type Path } from '../pointer.ts'
import type { MediaType, OpenApi, Schema, SchemaType } from '../types.ts'
import { bodyKind } from '../values/media-types.ts'
import { createSchemas } from '../values/schemas.ts'
import { shapeOf } from '../values/values.ts'
import { bundle } from './bundle.ts'
import { DocumentRefused, type Fault, faultAt, type Located, sortFaults } from './fault.ts'
import { type Version, versions } from './grammar.ts'
import { heightsIn } from './height.ts'
import { normalise } from './normalise.ts'
import { overlay } from './overlay.ts'
import type { Library } from './references.ts'
import { parseSource, readSource, type Source } from './source.ts'
import { schemasIn, walk } from './walk.ts'

export interface ReadDocument {
  /** in one form, whatever its author chose; see `normalise` */
  document: OpenApi
  /** all that it is written in, as faults name them */
  files: readonly string[]
  /** the text of the first of them, as it was written */
  text: string
  /** the same with all overlays applied */
  overlaid: string
  /** parts that were passed over or derived, with places */
  notes(): Fault[]
  /** A fault at a node of the document; it tells where that, or the nearest one above it, is written. */
  faultAt(path: Path, rule: string, message: string): Fault
  /** Returns the place of a node in the text; undefined if it is in another file, or derived from what is written. */
  writtenAt(path: Path): Path | undefined
  /** Returns the text of a number as it is written; undefined for one that is derived. */
  literalAt(path: Path): string | undefined
  /** Whether a node is in the files, and not derived from what is. */
  isWritten(path: Path): boolean
}

/**
 * Reads an OpenAPI document, from 3.0 to 3.2, and the files that it refers to.
 * @param folder holds all files of the document; by default the folder of the first one
 * @param overlays are applied before
 * @throws DocumentRefused with all that can't be true, or can't be routed
 */
export async function readDocument(
  file: string,
  { folder, overlays = [] }: { folder?: string | undefined; overlays?: readonly string[] | undefined } = {},
): Promise<ReadDocument> {
  return withOverlays({ ...readSource(file), ...(folder !== undefined && { folder }) }, overlays)
}

/** The same for a text at hand; `name` stands for its file. */
export async function parseDocument(
  text: string,
  name: string,
  overlays: readonly string[] = [],
): Promise<ReadDocument> {
  return withOverlays(parseSource(text, name), overlays)
}

function withOverlays(base: Source, overlays: readonly string[]): ReadDocument {
  if (overlays.length === 0) return fromSource(base)
  const { source, files, notes } = overlay(base, overlays)
  const read = fromSource(source)
  return {
    ...read,
    text: base.text,
    files: [...read.files, ...files.map(file => relative('.', file))],
    notes: () => [...notes, ...read.notes()],
  }
}

/**
 * The same for a value at hand, whose places are not known.
 * @param library the targets of absolute URIs, besides the metaschemas of JSON Schema
 */
export async function readValue(
  value: unknown,
  name: string,
  library: Library = () => undefined,
): Promise<ReadDocument> {
  return fromSource({ file: name, text: '', value, place: () => ({ line: 1, column: 1 }) }, library)
}

function fromSource(source: Source, library: Library = () => undefined): ReadDocument {
  const version = versionOf(source)
  const bundled = bundle(source, version, uri => library(uri) ?? metaschema(uri))
  const root = { source, path: [] }
  const document = normalise(bundled, root)
  const { faults, notes } = bundled.report
  if (faults.length > 0) throw new DocumentRefused(sortFaults(faults))
  const locate = (path: Path): Located => {
    // From the root down, the last node whose place is known, and the rest of the way from there.
    let current: Located = root
    let node: unknown = document
    for (const name of path) {
      node = lookUp(node, [name])
      const place = typeof node === 'object' && node !== null ? bundled.places.get(node) : undefined
      current = place ?? { source: current.source, path: [...current.path, name] }
    }
    return current
  }
  dropUnfitDefaults(document, (path, message) => bundled.report.note(locate(path), message))
  const isWritten = ({ source: file, path }: Located) => lookUp(file.value, path) !== undefined
  return {
    document,
    files: bundled.files.map(file => relative('.', file)),
    text: source.text,
    overlaid: source.text,
    notes() {
      const found = [
        ...endlessSchemas(document),
        ...impossibleValues(document),
        ...emptyRanges(document),
        ...unreadXml(document),
      ]
      return [...notes, ...found.map(({ path, message }) => faultAt(locate(path), 'note', message))]
    },
    faultAt(path, rule, message) {
      let place = locate(path)
      while (!isWritten(place)) place = { source: place.source, path: place.path.slice(0, -1) }
      return faultAt(place, rule, message)
    },
    writtenAt(path) {
      let length = path.length
      while (lookUp(document, path.slice(0, length)) === undefined) length--
      const place = locate(path.slice(0, length))
      return place.source === source && isWritten(place) ? [...place.path, ...path.slice(length)] : undefined
    },
    literalAt(path) {
      const place = locate(path)
      const { source: file, path: way } = place.source.origin?.(place.path) ?? place
      return file.literal?.(way)
    },
    isWritten: path => isWritten(locate(path)),
  }
}

/** Returns the metaschema of 2020-12 that the authors of JSON Schema publish under a URI. */
function metaschema(uri: string): unknown {
  if (!/^https?:\/\/json-schema\.org\//.test(uri)) return undefined
  const { $vocabulary: _, ...dialectSchema } = Object(new Ajv2020().getSchema(uri)?.schema)
  return Object.keys(dialectSchema).length > 0 ? dialectSchema : undefined
}

/** @throws DocumentRefused for what is no OpenAPI document of a version that is read */
function versionOf(source: Source): Version {
  const { value } = source
  const refuse = (path: string[], message: string) =>
    new DocumentRefused([faultAt({ source, path }, 'version', message)])
  if (!isObject(value))
    throw refuse([], 'This is no OpenAPI document: it is to be an object that begins with `openapi: 3.0.3`.')
  const named = relative('.', source.file)
  if ('swagger' in value)
    throw refuse(
      ['swagger'],
      `This is Swagger 2.0: convert it to OpenAPI 3.0 first, as by \`npx swagger2openapi ${named} --yaml --outfile openapi.yaml\`.`,
    )
  if (!('openapi' in value))
    throw refuse(
      [],
      'This is no OpenAPI document, as it has no field `openapi`: name the file of the document, or begin it with `openapi: 3.0.3`.',
    )
  const written = typeof value.openapi === 'string' ? value.openapi : ''
  const version = versions.find(
    prefix => written.startsWith(`${prefix}.`) && /^\d+\.\d+\.\d(-.+)?$/.test(written),
  )
  if (version) return version
  const said = JSON.stringify(value.openapi)
  const text = String(value.openapi)
  const meant = versions.find(
    prefix => [prefix, String(Number(prefix))].includes(text) || text.startsWith(`${prefix}.`),
  )
  throw refuse(
    ['openapi'],
    meant === undefined
      ? `Only OpenAPI ${versions.join(', ')} can be served, and this says ${said}: write 3.0.3 if the document keeps to it.`
      : `OpenAPI has no version ${said}: write \`openapi: ${meant}.${meant === '3.0' ? 3 : 0}\`.`,
  )
}

/** The components no value of which ever ends. */
function* endlessSchemas(document: OpenApi): Generator<{ path: Path; message: string }> {
  const heightOf = heightsIn(modelOf(document))
  for (const [name, schema] of Object.entries(document.components?.schemas ?? {}))
    if (heightOf(schema) === Infinity)
      yield {
        path: ['components', 'schemas', name],
        message: `No value of ${name} is ever complete: what it demands leads back to it. Demand less of it.`,
      }
}

/** The values of enumerations that are of another type than their schema says, so that nobody can ever send them. */
function* impossibleValues(document: OpenApi): Generator<{ path: Path; message: string }> {
  const is30 = document.openapi.startsWith('3.0.')
  for (const { schema, path } of schemasIn(document))
    for (const [i, value] of (schema.enum ?? []).entries())
      if (!isOf(schema, value)) {
        const ofNull = is30 ? 'nullable: true is missing' : 'null is not among its types'
        const wanted = value === null ? ofNull : `the type is ${schema.type}`
        yield {
          path: [...path, 'enum', String(i)],
          message: `The value ${JSON.stringify(value)} can never be: ${wanted}.`,
        }
      }
}

/** The limits of a schema that no value keeps: the lower one is above the upper one. */
function* emptyRanges(document: OpenApi): Generator<{ path: Path; message: string }> {
  const pairs = [
    ['minLength', 'maxLength'],
    ['minItems', 'maxItems'],
    ['minProperties', 'maxProperties'],
    ['minimum', 'maximum'],
  ] as const
  for (const { schema, path } of schemasIn(document))
    for (const [lower, upper] of pairs) {
      const [least, most] = [schema[lower], schema[upper]]
      if (least === undefined || most === undefined || least <= most) continue
      const message = `No value fits: ${lower} is ${least}, and ${upper} is ${most}. Correct one of them.`
      yield { path: [...path, lower], message }
    }
}

/** The bodies and replies of XML that is described by a schema. */
function* unreadXml(document: OpenApi): Generator<{ path: Path; message: string }> {
  const model = modelOf(document)
  for (const { kind, node, path } of walk(document)) {
    const { schema }: MediaType = kind === 'mediaType' ? node : {}
    const [name = ''] = path.slice(-1)
    if (!schema || !/[/+]xml *(;|$)/i.test(name) || shapeOf(model, schema).kinds.includes('scalar')) continue
    const form = bodyKind(model, [name, { schema }]) === 'text' ? 'text' : 'bytes'
    if (path.at(-3) === 'requestBody' || path.at(-4) === 'requestBodies')
      yield { path, message: `XML is not read by its schema: the handler gets its ${form}, unchecked.` }
    else if (path.at(-4) === 'responses')
      yield { path, message: 'XML is not written by its schema: the handler gives the text itself.' }
  }
}

function isOf(schema: Schema, value: unknown): boolean {
  const types = typesIn(schema)
  const isOfType = (type: SchemaType) => {
    if (type === 'array') return Array.isArray(value)
    if (type === 'integer') return Number.isInteger(value)
    return type === 'object' ? isObject(value) : typeof value === type
  }
  return value === null
    ? schema.type === undefined || takesNull(schema)
    : types.length === 0 || types.some(isOfType)
}

/** Keywords beside which the type alone tells whether a value fits. */
const decisive = new Set([
  'type',
  'format',
  'title',
  'description',
  'default',
  'example',
  'examples',
  'deprecated',
])

/** Leaves out defaults that do not fit their schemas: nobody could send them. */
function dropUnfitDefaults(document: OpenApi, note: (path: Path, message: string) => void): void {
  const schemas = createSchemas(modelOf(document))
  for (const { schema, path } of schemasIn(document)) {
    const { default: usual, description: _, ...others } = schema
    if (usual === undefined) continue
    const fits = Object.keys(others).every(keyword => decisive.has(keyword))
      ? isOf(schema, usual)
      : schemas.check(others, structuredClone(usual), 'response').length === 0
    if (fits) continue
    note(
      [...path, 'default'],
      `The default ${JSON.stringify(usual)} does not fit its schema: it is not applied.`,
    )
    delete schema.default
  }
}
