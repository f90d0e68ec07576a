import { decodeOr } from '../contract/path-templates.ts'
import type { Model, OperationModel } from '../model.ts'
import type { MediaType, Parameter, Place } from '../types.ts'
import { bytesIn } from '../values/media-types.ts'
import { shapeOf } from '../values/values.ts'
import { decoded } from './files.ts'
import { sequenceOf } from './sequences.ts'
import {
  type Form,
  type Forms,
  typeOf,
  type Writing,
  withoutReserved,
  writeBody,
  writeCookies,
  writeHeaders,
  writePath,
  writeQuery,
} from './writing.ts'

/** How the requests of an operation are written, where that is not as usual. */
export function writingOf(model: Model, { parameters, body }: OperationModel): Writing {
  const content = Object.entries(body?.content ?? {})
  const places = (['path', 'query', 'header', 'cookie'] as const).flatMap(place => {
    const forms = formsOf(
      parameters
        .filter(parameter => parameter.in === place)
        .map(parameter => [parameter.name, formOf(parameter)]),
    )
    return Object.keys(forms).length > 0 ? [[place, forms] as const] : []
  })
  const isUsual = content.every(([name]) => name === 'application/json')
  return {
    ...Object.fromEntries(places),
    ...(!isUsual && {
      body: Object.fromEntries(content.map(([name, media]) => [name, fieldsOf(model, media)])),
    }),
  }
}

const formsOf = (forms: readonly [name: string, form: Form | undefined][]): Forms =>
  Object.fromEntries(forms.flatMap(([name, form]) => (form ? [[name, form]] : [])))

const usual: Record<Place, Form> = {
  path: { style: 'simple', explode: false },
  query: { style: 'form', explode: true },
  header: { style: 'simple', explode: false },
  cookie: { style: 'form', explode: true },
}

function formOf({ in: place, style = '', explode = false, content = {} }: Parameter): Form | undefined {
  const [type] = Object.keys(content)
  if (type !== undefined) return { type }
  return style === usual[place].style && explode === usual[place].explode ? undefined : { style, explode }
}

/** How the fields of a form are written, and the parts of one: by their encoding (OpenAPI 3.0.3, 4.7.15). */
function fieldsOf(model: Model, { schema, encoding = {} }: MediaType): Forms {
  const { properties } = shapeOf(model, schema ?? {})
  const names = new Set([...properties.keys(), ...Object.keys(encoding)])
  return formsOf(
    [...names].map(name => {
      const { style, explode, contentType } = (Object.hasOwn(encoding, name) && encoding[name]) || {}
      const { items } = shapeOf(model, properties.get(name) ?? {})
      const [bytes] = [properties.get(name) ?? {}, items].flatMap(node => bytesIn(model, node) ?? [])
      const types = (contentType ?? bytes)?.split(',').map(typeText => typeText.trim())
      const type =
        types?.find(candidate => !candidate.includes('*')) ??
        (bytes && !contentType ? 'application/octet-stream' : undefined)
      const form = {
        ...(style && { style }),
        ...(explode !== undefined && { explode }),
        ...(type && { type }),
      }
      return [name, Object.keys(form).length > 0 ? form : undefined]
    }),
  )
}

/** Values by the names of parameters, in each of their places. */
export type Values = Record<Place, Record<string, unknown>>

/** Returns the URL of a request, and its header fields by lower-case name. @throws PathRefused */
export function writeHead(model: Model, operation: OperationModel, values: Values) {
  const forms = writingOf(model, operation)
  const fields = Object.entries(writeHeaders(values.header, forms.header))
  const headers = Object.fromEntries(fields.map(([name, text]) => [name.toLowerCase(), text]))
  const cookie = writeCookies(values.cookie, forms.cookie)
  if (cookie) headers.cookie = cookie
  return { url: writeUrl(operation, values.path, values.query, forms), headers }
}

/** Returns the body of a request. @param value of JSON's types, or a Blob for bytes */
export function writeContent(
  model: Model,
  type: string,
  media: MediaType,
  value: unknown,
): string | FormData | Blob {
  const sequence = Array.isArray(value) ? sequenceOf(type) : undefined
  if (sequence)
    return [value]
      .flat()
      .map(item => sequence.write(item))
      .join('')
  return writeBody(value, type, fieldsOf(model, media)) as string | FormData | Blob // of such a value comes one of these
}

/** The URL of a request, with the values of its path and its query. @throws PathRefused */
function writeUrl({ url }: OperationModel, path: object, query: object, forms: Writing): string {
  const template = url.split(/(\{[^{}]+\})/).map(piece => {
    const isName = piece.startsWith('{')
    return isName ? piece : encodeURI(decodeOr(piece)).replace(/[?#]/g, encodeURIComponent)
  })
  const filled = writePath(template.join(''), path, forms.path)
  const written = withoutReserved(writeQuery(query, forms.query))
  return written ? `${filled}?${written}` : filled
}

/** The path of a request, and its other parts as `Request` takes them. */
interface Written {
  path: string
  init: { method: string; headers: Headers; body?: string | FormData | Blob }
}

/**
 * Writes a request.
 * @param value of the body, with each of its files in base64; undefined: it has none
 * @throws Error for a value that can't be written
 */
export function writeRequest(
  model: Model,
  operation: OperationModel,
  values: Values,
  type: string,
  value: unknown,
  files: ReadonlySet<string>,
): Written {
  const { method, body: { content = {} } = {} } = operation
  const { url: path, headers: fields } = writeHead(model, operation, values)
  const headers = new Headers(fields)
  if (value === undefined) return { path, init: { method, headers } }
  const body = writeContent(model, type, content[type] ?? {}, decoded(value, files))
  const declaredType = typeOf(body, type, value) // null for a form: Request chooses its boundary
  if (declaredType) headers.set('content-type', declaredType)
  return { path, init: { method, headers, body } }
}
