import { STATUS_CODES } from 'node:http'
import { type Model, partsOf } from '../../document/model.ts'
import type { Reference, Schema } from '../../document/types.ts'
import type { WireError } from './api-error.ts'
import { names, plain, synonyms } from './error-words.ts'

/** What an error says, to be put into a form that a document declares. */
export interface Told extends WireError {
  requestId: string
  time: Date
}

/** Levels of a schema that are filled at most. */
const deepest = 6

/** What a schema's place is for; an `undefined` value: nothing is to be put there. */
interface Filled {
  value: unknown
  /** whether it says what went wrong */
  tells: boolean
}

const nothing: Filled = { value: undefined, tells: false }

/**
 * Puts an error into a schema's form by the names, types and enumerations of its properties. What is not required and not
 * known by its name stays out.
 * @returns undefined where nothing of the form says what went wrong; whether the value fits the schema is another question
 */
export function fillIn(model: Model, schema: Schema | Reference, told: Told): unknown {
  const { value, tells } = fill(model, schema, told, '', true, 0)
  return tells ? value : undefined
}

function fill(
  model: Model,
  declared: Schema | Reference,
  told: Told,
  name: string,
  required: boolean,
  level: number,
): Filled {
  if (level > deepest) return nothing
  const parts = partsOf(model, declared)
  for (const { oneOf, anyOf } of parts)
    for (const one of oneOf ?? anyOf ?? []) {
      const own = fill(
        model,
        merged([
          ...parts.map(part => ({ ...part, oneOf: undefined, anyOf: undefined })),
          ...partsOf(model, one),
        ]),
        told,
        name,
        required,
        level + 1,
      )
      if (own.tells) return own
    }
  const schema = merged(parts)
  const { type, properties, items } = schema
  if (type === 'array' || items) return fillList(model, schema, told, name, required, level)
  if (type === 'object' || properties) return fillObject(model, schema, told, name, required, level)
  return fillScalar(schema, told, name, required)
}

/** The parts of a schema as one. */
function merged(parts: readonly object[]): Schema {
  const all = parts as readonly Schema[]
  const properties = Object.assign({}, ...all.map(part => part.properties))
  const required = [...new Set(all.flatMap(part => part.required ?? []))]
  return {
    ...Object.assign({}, ...all),
    properties: Object.keys(properties).length > 0 ? properties : undefined,
    required,
  }
}

function fillObject(
  model: Model,
  { properties = {}, required: needed = [] }: Schema,
  told: Told,
  name: string,
  required: boolean,
  level: number,
): Filled {
  const isHolder = level === 0 || required || names.holder.test(plain(name))
  if (!isHolder) return nothing
  const value: Record<string, unknown> = {}
  let tells = false
  for (const [key, property] of Object.entries(properties)) {
    const own = fill(model, property, told, key, needed.includes(key), level + 1)
    if (own.value !== undefined) value[key] = own.value
    tells ||= own.tells
  }
  return tells || required ? { value, tells } : nothing
}

function fillList(
  model: Model,
  { items = {}, minItems = 0 }: Schema,
  told: Told,
  name: string,
  required: boolean,
  level: number,
): Filled {
  if (!names.list.test(plain(name)) && level > 0) {
    // What else must be there has at least what its schema says by itself.
    const { value } = required && minItems > 0 ? fill(model, items, told, '', true, level + 1) : nothing
    return required
      ? { value: value === undefined ? [] : Array(minItems).fill(value), tells: false }
      : nothing
  }
  const details = told.details ?? []
  // A list called `errors` is where its readers look; others only hold what is more.
  const isAll = level === 0 || /^(errors?|messages?|problems?)$/.test(plain(name))
  const faults =
    details.length > 0 ? details : isAll || minItems > 0 ? [{ path: '', message: told.message }] : []
  const filled = faults.map(({ path, message }) => {
    const item = fill(
      model,
      items,
      { ...told, message, details: [] },
      isText(model, items) ? 'message' : 'error',
      true,
      level + 1,
    )
    return { ...item, value: withPlace(model, items, item.value, path) }
  })
  if (filled.some(({ tells }) => !tells)) return required ? { value: [], tells: false } : nothing
  return { value: filled.map(({ value }) => value), tells: filled.length > 0 && isAll }
}

const isText = (model: Model, schema: Schema | Reference) =>
  partsOf(model, schema).some(({ type }) => type === 'string')

/** Says of a fault of the input where it is, if the form has a property for that. */
function withPlace(model: Model, schema: Schema | Reference, value: unknown, path: string): unknown {
  if (typeof value !== 'object' || value === null || path === '') return value
  const texts = partsOf(model, schema).flatMap(({ properties = {} }) =>
    Object.entries(properties).filter(
      ([key, property]) => names.place.test(plain(key)) && isText(model, property),
    ),
  )
  const [place] = texts.map(([key]) => key)
  return place === undefined ? value : { ...value, [place]: path }
}

function fillScalar(schema: Schema, told: Told, name: string, required: boolean): Filled {
  const key = plain(name)
  const { type, enum: values, nullable } = schema
  if (values) return fillEnum(schema, values, told, key, required)
  if (type === 'boolean') {
    if (/^(success|succeeded|ok|valid)$/.test(key)) return { value: false, tells: false }
    if (/^(error|iserror|failed)$/.test(key)) return { value: true, tells: false }
    return required ? { value: schema.default ?? false, tells: false } : nothing
  }
  if (type === 'integer' || type === 'number') {
    if (names.status.test(key)) return { value: told.status, tells: false }
    if (!required) return nothing
    return {
      value: nullable ? null : (schema.default ?? schema.example ?? schema.minimum ?? 0),
      tells: false,
    }
  }
  const text = type === 'string' || type === undefined ? textFor(schema, told, key) : undefined
  if (text !== undefined) return text
  if (!required) return nothing
  if (nullable) return { value: null, tells: false }
  return { value: schema.default ?? schema.example ?? (type === undefined ? {} : told.code), tells: false }
}

/** The text that a property's name and format ask for. */
function textFor(schema: Schema, told: Told, key: string): Filled | undefined {
  const { format, maxLength = Number.POSITIVE_INFINITY } = schema
  const cut = (text: string) => (text.length > maxLength ? text.slice(0, maxLength) : text)
  if (format === 'date-time' || (names.time.test(key) && format === undefined))
    return { value: told.time.toISOString(), tells: false }
  if (names.request.test(key)) return { value: told.requestId, tells: false }
  if (format === 'uri' || format === 'uri-reference' || format === 'url')
    return key === 'type' ? { value: 'about:blank', tells: false } : undefined
  if (format !== undefined && format !== 'string') return undefined
  if (key === '' || names.message.test(key)) return { value: cut(told.message), tells: true }
  if (names.title.test(key)) return { value: cut(STATUS_CODES[told.status] ?? told.code), tells: true }
  if (/^(http)?(status|statuscode)$/.test(key)) return { value: String(told.status), tells: false }
  if (names.code.test(key)) {
    const [code] = [told.code, String(told.status)].filter(text => text.length <= maxLength)
    return code === undefined ? undefined : { value: code, tells: code === told.code }
  }
  return undefined
}

/** The value of an enumeration that means what the error's code does; the only one where there is no other. */
function fillEnum(
  schema: Schema,
  values: readonly unknown[],
  told: Told,
  key: string,
  required: boolean,
): Filled {
  if (values.includes(told.status) && names.status.test(key)) return { value: told.status, tells: false }
  const meant = [
    told.code,
    STATUS_CODES[told.status] ?? '',
    String(told.status),
    ...(synonyms[told.code] ?? []),
  ].map(plain)
  const fitting = meant.flatMap(word => values.find(value => plain(String(value)) === word) ?? [])
  const [found = values.length === 1 ? values[0] : undefined] = fitting
  if (found !== undefined) return { value: found, tells: fitting.length > 0 && names.code.test(key) }
  return required && schema.default !== undefined ? { value: schema.default, tells: false } : nothing
}
