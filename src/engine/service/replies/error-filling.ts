import { exampleIn, type Model, partsOf, takesNull, typesIn, valuesIn } from 'spec-served-document/model'
import type { Reference, Schema } from 'spec-served-document/types'
import type { WireError } from '../errors/api-error.ts'
import { STATUS_CODES } from '../runtime/node-http.ts'

/** The facts of an error, for a form that a document declares. */
export interface ErrorToFill extends WireError {
  requestId: string
  time: Date
  /** the place of the fault: a JSON Pointer */
  path?: string
}

/** Returns a name without case and punctuation: `errordescription` for `error_description`. */
const plain = (name: string) => name.toLowerCase().replace(/[^a-z0-9]/g, '')

/** Names of properties by their contents, plain. */
const names = {
  message:
    /^(error|user|developer|display|human(readable)?|long|short)?(message|msg|description|details?|reason|text|cause|summary|explanation)$/,
  title: /^(error)?(title|heading|label)$/,
  code: /^(error|app|application|machine)?(code|name|id|key|type|kind|error|slug|identifier|category|errors?code)$/,
  status: /^(http|error)?(status|statuscode|httpcode|code|errorcode|responsecode|httpstatuscode|error)$/,
  statusText: /^(http)?(status|statuscode)$/,
  request: /^(x?request|correlation|trace|transaction|log|incident)(id|uid|uuid)?$/,
  time: /^(timestamp|time|date|datetime|at|occurredat|createdat|errordate)$/,
  list: /(errors?|details?|fields?|violations?|issues?|invalidparams?|faults?|causes?|messages?|problems?)$/,
  wholeList: /^(errors?|messages?|problems?)$/,
  holder: /^(errors?|fault|problem|meta|status|exception|body|data|result|detail)$/,
  place:
    /^(path|field|fieldname|name|pointer|param|parameter|property|source|location|loc|key|attribute|target|in|jsonpath)$/,
  success: /^(success|succeeded|ok|valid)$/,
  failure: /^(error|iserror|failed)$/,
}

/** The plain names of errors in documents by status, besides the status's own name. */
const synonyms: Readonly<Record<number, RegExp>> = {
  400: /^((bad|invalid)(request|requesterror|input|parameter|argument)?|clienterror|validation(error|failed)?)$/,
  401: /^(unauthorized|authentication(error|failed|required)|notauthenticated|invalidcredentials|accessdenied)$/,
  403: /^(forbidden|(permission|access)denied|notauthorized|(permission|authorization)error|insufficientpermissions)$/,
  404: /^(resourcenotfound|notfounderror|missing)$/,
  410: /^(gone|notfound)$/,
  413: /^((request)?(entity|content|payload)toolarge|(bad|invalid)(request)?)$/,
  414: /^(bad|invalid)(request)?$/,
  415: /^(unsupportedmedia|(bad|invalid)(request)?)$/,
  429: /^(toomanyrequests|ratelimit(exceeded|error)?|throttled|(resource|quota)exhausted|quotaexceeded)$/,
  500: /^(internal|(internal)?servererror|apierror|unknown|unexpectederror|error)$/,
  503: /^(serviceunavailable|overloaded|temporarilyunavailable|internal(error)?|servererror)$/,
}

/** The names on the way to a place, which some forms list. */
const stepsOf = (pointer: string) => pointer.split('/').slice(1)

/** The most levels of a schema that are filled. */
const deepest = 6

/**
 * Fills a schema's form with an error, by the names, types and enumerations of its properties.
 * @returns undefined if no property shows the error; the caller still checks the value against the schema
 */
export function fillIn(model: Model, schema: Schema | Reference, error: ErrorToFill): unknown {
  const { value, tells } = filler(model, error)(schema, '', true, 0)
  return tells ? value : undefined
}

interface Filled {
  /** undefined: no value */
  value: unknown
  /** whether it shows the error */
  tells?: boolean
}

function filler(model: Model, error: ErrorToFill) {
  function fill(declared: Schema | Reference, name: string, required: boolean, level: number): Filled {
    if (level > deepest) return { value: undefined }
    const parts = partsOf(model, declared)
    const schema = merged(parts)
    const { oneOf: _, anyOf: __, ...common } = schema
    for (const alternative of parts.flatMap(({ oneOf, anyOf }) => oneOf ?? anyOf ?? [])) {
      const whole = merged([common, ...partsOf(model, alternative)])
      const filled = fill(whole, name, required, level + 1)
      if (filled.tells) return filled
    }
    const key = plain(name)
    const types = typesIn(schema)
    if (types.includes('array') || schema.items) return list(schema, key, required, level)
    if (types.includes('object') || schema.properties) return object(schema, key, required, level)
    const values = valuesIn(schema)
    const value = values ? choice(values, key) : scalar(schema, key)
    return value ?? { value: required ? placeholder(schema) : undefined }
  }

  function object(schema: Schema, name: string, required: boolean, level: number): Filled {
    if (!required && !names.holder.test(name)) return { value: undefined }
    const entries = Object.entries(schema.properties ?? {}).map(([key, property]) => ({
      key,
      ...fill(property, key, schema.required?.includes(key) ?? false, level + 1),
    }))
    // Faults in a list of further ones show an error, too, where nothing else does.
    if (!entries.some(entry => entry.tells))
      for (const entry of entries) {
        const property = merged(partsOf(model, schema.properties?.[entry.key] ?? {}))
        const isList = typesIn(property).includes('array') || property.items !== undefined
        if (isList && names.list.test(plain(entry.key)))
          Object.assign(entry, list(property, plain(entry.key), true, level + 1, true))
      }
    const tells = entries.some(entry => entry.tells)
    const filled = entries.filter(({ value: entryValue }) => entryValue !== undefined)
    const value = Object.fromEntries(filled.map(entry => [entry.key, entry.value]))
    return { value: tells || required ? value : undefined, tells }
  }

  // Readers look for faults in a list called `errors`. Other lists only hold further faults.
  function list(
    { items = {}, minItems = 0 }: Schema,
    name: string,
    required: boolean,
    level: number,
    isWhole = level === 0 || names.wholeList.test(name),
  ): Filled {
    const { details = [], message, path } = error
    if (path && names.place.test(name)) return { value: stepsOf(path) }
    const nothing = { value: required ? [] : undefined }
    if (!isWhole && !names.list.test(name)) return nothing
    const whole = isWhole || minItems > 0 ? [{ message, path: '' }] : []
    const filled = (details.length > 0 ? details : whole).map(fault =>
      filler(model, { ...error, ...fault, details: [] })(items, '', true, level + 1),
    )
    if (filled.length === 0 || filled.some(({ tells }) => !tells)) return nothing
    return { value: filled.map(({ value }) => value), tells: isWhole }
  }

  /** Returns the enumeration's value with the meaning of the error's code, or its only value. */
  function choice(values: readonly unknown[], name: string): Filled | undefined {
    const { code, status } = error
    if (values.includes(status) && names.status.test(name)) return { value: status }
    const meant = [code, STATUS_CODES[status] ?? '', String(status)].map(plain)
    const means = (isMeant: (word: string) => boolean | undefined) =>
      values.find(value => isMeant(plain(String(value))))
    const found = means(word => meant.includes(word)) ?? means(word => synonyms[status]?.test(word))
    if (found !== undefined) return { value: found, tells: true }
    return values.length === 1 ? { value: values[0] } : undefined
  }

  /** Returns a value by a property's name, type and format. */
  function scalar(schema: Schema, name: string): Filled | undefined {
    const { type = 'string', format, maxLength = Number.POSITIVE_INFINITY } = schema
    const { code, message, path, requestId, status, time } = error
    const isFailure = names.failure.test(name)
    if (type === 'boolean') return isFailure || names.success.test(name) ? { value: isFailure } : undefined
    if (type !== 'string') return names.status.test(name) ? { value: status } : undefined
    if (format === 'date-time' || (names.time.test(name) && !format)) return { value: time.toISOString() }
    if (names.request.test(name)) return { value: requestId }
    if (/^ur[il]/.test(format ?? '') && name === 'type') return { value: 'about:blank' }
    if (format !== undefined && format !== 'string') return undefined
    if (path && names.place.test(name)) return { value: path }
    if (name === '' || names.message.test(name)) return { value: message.slice(0, maxLength), tells: true }
    const title = (STATUS_CODES[status] ?? code).slice(0, maxLength)
    if (names.title.test(name)) return { value: title, tells: true }
    if (names.statusText.test(name)) return { value: String(status) }
    return names.code.test(name) && code.length <= maxLength ? { value: code, tells: true } : undefined
  }

  /** Returns a placeholder for a required value of unknown meaning. */
  function placeholder(schema: Schema): unknown {
    const { default: usual, minimum = 0 } = schema
    if (usual !== undefined || valuesIn(schema)) return usual
    const ofType = { boolean: false, integer: minimum, number: minimum, string: error.code }
    const [type = ''] = typesIn(schema)
    return takesNull(schema) ? null : (exampleIn(schema) ?? ofType[type as 'string'] ?? {})
  }
  return fill
}

function merged(parts: readonly Schema[]): Schema {
  const { allOf: _, ...schema }: Schema = Object.assign({}, ...parts)
  if (schema.properties) schema.properties = Object.assign({}, ...parts.map(({ properties }) => properties))
  return { ...schema, required: parts.flatMap(({ required = [] }) => required) }
}
