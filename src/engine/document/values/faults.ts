import type { ErrorObject } from 'ajv'
import { isExactNumber } from '../decimals.ts'
import { likest } from '../spelling.ts'

/** A fault of a value in a request, with its place: a JSON Pointer (RFC 6901), `/query/limit` for a parameter. */
export interface Fault {
  path: string
  message: string
}

/** Thrown for a text that can't be read as a value. */
export class Unreadable extends Error {
  readonly faults: readonly Fault[]
  constructor(...faults: readonly Fault[]) {
    super(faults[0]?.message)
    this.faults = faults
  }
}

/** @returns undefined for a text that can't be read; its faults are added with their paths */
export function attempt<T>(read: () => T, path: string, faults: Fault[]): T | undefined {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error
    faults.push(...error.faults.map(fault => ({ path: path + fault.path, message: fault.message })))
    return undefined
  }
}

/** The most characters that are repeated of one text from a caller. */
const excerptLimit = 200
/** The most allowed values that a fault names. */
const listedAtMost = 50

/** Returns the beginning of a caller's text in well-formed Unicode, so that a reply can repeat it. */
export function excerpt(text: string): string {
  return (text.length > excerptLimit ? `${text.slice(0, excerptLimit)}…` : text).toWellFormed()
}

/** Escapes a name for a JSON Pointer (RFC 6901, section 3). */
export const escapePointer = (name: string): string => name.replaceAll('~', '~0').replaceAll('/', '~1')

/** Returns the pointer to a named member. The name is cut early, as it may be as long as a body. */
export const within = (path: string, name: string): string => `${path}/${escapePointer(excerpt(name))}`

/** Returns why some databases can't store a text faithfully; PGlite drops the byte order mark as it reads. */
export function badText(text: string): string | undefined {
  if (text.includes('\0')) return 'must not hold a NUL character'
  if (text.startsWith('\ufeff')) return 'must not begin with a byte order mark (U+FEFF)'
  return text.isWellFormed() ? undefined : 'must not hold a lone surrogate'
}

/** Returns the faults of all texts in a value, and of all names in it. */
export function badTexts(value: unknown, path: string): Fault[] {
  if (typeof value === 'string') {
    const message = badText(value)
    return message ? [{ path, message }] : []
  }
  if (Array.isArray(value)) return value.flatMap((item, i) => badTexts(item, `${path}/${i}`))
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, child]) => {
    const where = within(path, name)
    return [...badTexts(name, where), ...badTexts(child, where)]
  })
}

/** The most unknown names of a request with a suggestion, because a suggestion costs time. */
const guessesLimit = 3

/** Returns the fault of an unknown name. @param index the number of unknown names before it */
export function unknownName(name: string, names: Iterable<string>, index: number): string {
  const meant = index < guessesLimit ? likest(name, names) : undefined
  return meant === undefined ? 'is not known' : `is not known: did you mean \`${meant}\`?`
}

/** Returns the faults of unknown names by path. Each of several alternatives knows other names. */
function unknownNames(errors: readonly ErrorObject[]): ReadonlyMap<string, string> {
  const ofNames = errors.filter(({ params }) => params.additionalProperty !== undefined)
  const byPath = Map.groupBy(ofNames, error => within(error.instancePath, error.params.additionalProperty))
  const faults = [...byPath].map(([path, group], index) => {
    const names = group.flatMap(({ parentSchema }) => Object.keys(parentSchema?.properties ?? {}))
    return [path, unknownName(group[0]?.params.additionalProperty, names, index)] as const
  })
  return new Map(faults)
}

/** Returns Ajv's errors as faults, in words that state the requirement. Several alternatives may state the same one. */
export function describe(errors: readonly ErrorObject[]): readonly Fault[] {
  const unknown = unknownNames(errors)
  const faults = errors.flatMap(({ instancePath: path, keyword, params, message = 'is not valid', data }) => {
    if (keyword === 'if') return [] // the branch has its own error
    if (keyword === 'required') return { path: within(path, params.missingProperty), message: 'is required' }
    if (params.additionalProperty !== undefined) {
      const where = within(path, params.additionalProperty)
      return { path: where, message: unknown.get(where) ?? message }
    }
    if (keyword === 'propertyNames')
      return { path: within(path, params.propertyName), message: 'has a name that is not allowed' }
    if (keyword === 'dependentRequired')
      return { path: within(path, params.missingProperty), message: `is required beside ${params.property}` }
    if (keyword === 'type' && isRounded(data, params.type))
      return { path, message: `${wanted.type?.(params)} ${exactly}` }
    return { path, message: wanted[keyword]?.(params) ?? message }
  })
  return [...new Map(faults.map(fault => [`${fault.path} ${fault.message}`, fault])).values()]
}

/** The fault of a number that a double would change. */
export const inexact = 'must be a number that a double holds without a change'

const exactly = 'that a double holds without a change, as those up to 2^53 − 1 (9007199254740991)'

/** Whether a text is a number that a double would change. */
const isRounded = (data: unknown, type: unknown) =>
  typeof data === 'string' &&
  /^(integer|number)$/.test(String(type)) &&
  (type === 'integer' ? /^-?[1-9]\d*$/ : /^-?\d+(\.\d+)?(e[+-]?\d+)?$/i).test(data) &&
  !isExactNumber(data)

const noForm = 'must have one of the forms that are allowed here'

/** The requirements of a schema's keywords on a value, in words. */
const wanted: Record<string, (params: ErrorObject['params']) => string> = {
  type: ({ type }) => `must be ${[type].flat().join(' or ')}`,
  const: ({ allowedValue }) => `must be ${listOf([allowedValue])}`,
  contains: ({ minContains, maxContains }) =>
    `must hold ${maxContains === undefined ? 'at least' : `${minContains} to`} ${maxContains ?? minContains} of the items that are wanted`,
  'false schema': () => 'must not be there',
  enum: ({ allowedValues }) => `must be one of ${listOf(allowedValues)}`,
  minLength: ({ limit }) => `must have at least ${countOf(limit, 'character')}`,
  maxLength: ({ limit }) => `must have at most ${countOf(limit, 'character')}`,
  minItems: ({ limit }) => `must have at least ${countOf(limit, 'item')}`,
  maxItems: ({ limit }) => `must have at most ${countOf(limit, 'item')}`,
  minProperties: ({ limit }) => `must have at least ${countOf(limit, 'property', 'properties')}`,
  maxProperties: ({ limit }) => `must have at most ${countOf(limit, 'property', 'properties')}`,
  minimum: ({ limit }) => `must be at least ${limit}`,
  maximum: ({ limit }) => `must be at most ${limit}`,
  exclusiveMinimum: ({ limit }) => `must be more than ${limit}`,
  exclusiveMaximum: ({ limit }) => `must be less than ${limit}`,
  pattern: ({ pattern }) => (notBlank.has(pattern) ? 'must not be blank' : `must have the form ${pattern}`),
  format: ({ format }) => `must be ${formats[format] ?? `of the format ${format}`}`,
  oneOf: ({ passingSchemas }) =>
    passingSchemas ? 'must have just one of the forms that are allowed here, and has several' : noForm,
  anyOf: () => noForm,
  not: () => 'must not have the form that is excluded here',
}

const countOf = (limit: number, singular: string, many = `${singular}s`) =>
  `${limit} ${limit === 1 ? singular : many}`

/** Lists values in words: texts as they are, others as JSON. Of many values it lists the first. */
function listOf(values: readonly unknown[]): string {
  const listed = values.slice(0, listedAtMost)
  const texts = listed.map(value => (typeof value === 'string' ? value : JSON.stringify(value)))
  return [...texts, ...(values.length > listedAtMost ? ['…'] : [])].join(', ')
}

/** Patterns that only require a character other than white space. */
const notBlank = new Set(['\\S', '\\S+', '.*\\S.*', '^.*\\S.*$', '[^\\s]', '^(?!\\s*$)', '^(?!\\s*$).+'])

/** Descriptions of the formats that are checked. */
const formats: Record<string, string> = {
  date: 'a date (YYYY-MM-DD)',
  'date-time': 'a date and time (RFC 3339, as 2026-01-31T12:00:00Z)',
  time: 'a time with its offset (RFC 3339, as 12:00:00Z)',
  duration: 'a duration (ISO 8601, as P1DT12H)',
  email: 'an email address',
  hostname: 'a host name',
  ipv4: 'an IPv4 address',
  ipv6: 'an IPv6 address',
  uri: 'a URI with its scheme',
  url: 'a URL with its scheme',
  'uri-reference': 'a URI or a reference to one',
  'uri-template': 'a URI template (RFC 6570)',
  uuid: 'a UUID',
  regex: 'a regular expression',
  'json-pointer': 'a JSON Pointer (RFC 6901)',
  byte: 'text in base64',
  int32: 'a whole number of 32 bits',
  float: 'a number that 32 bits hold',
}
