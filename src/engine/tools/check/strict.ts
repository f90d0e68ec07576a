import fc from 'fast-check'
import { toRegExp } from 'spec-served-document/pattern'
import { isObject } from 'spec-served-document/pointer'
import { pointerTo } from 'spec-served-document/reading/nodes'
import type { Reference, Schema } from 'spec-served-document/types'
import { boundsIn, type Endpoint, type Shape, shapeOf } from '../records/interface.ts'
import type { WireRequest } from '../records/messages.ts'
import { type Drawing, valuesOf } from './values.ts'

/** A request that a strict reader refuses, or takes, for what is in its bytes. */
export interface StrictReading {
  name: string
  request: WireRequest
  /** `read`: taken, or refused by a rule between records; `refused`: with 400; `too large`: with 413 */
  due: 'read' | 'refused' | 'too large'
  /** the JSON Pointer that the refusal names; undefined where it need not name any */
  namedPointer?: string | undefined
  /** whether it may not name a part of that place instead */
  isExact?: boolean
}

/** A URL or a body that is to be refused, and the JSON Pointer that the refusal names. */
type Strange = readonly [name: string, text: string, at?: string | undefined, isExact?: boolean]

/** A JSON Pointer (RFC 6901). The engine writes its own. */
const pointer = (...names: string[]) => pointerTo(names).slice(1)

/**
 * The same corpus for each type and place of any document: what lenient readers convert, drop or merge.
 * @param valid a request that is taken as it is
 */
export function* readingsOf(
  drawing: Drawing,
  endpoint: Endpoint,
  valid: WireRequest,
): Generator<StrictReading> {
  const { url, body } = valid
  for (const [name, strange, namedPointer] of [
    ...strangePaths(drawing, endpoint, url),
    ...strangeQueries(drawing, endpoint, url),
  ])
    yield { name, request: { ...valid, url: strange }, due: 'refused', namedPointer }
  if (body === undefined) return
  const pad = ' '.repeat(Math.max(0, boundsIn(drawing.model.document).bodyBytes - Buffer.byteLength(body)))
  for (const [name, text, due] of [
    ['a body of just the greatest length', body + pad, 'read'],
    ['a body of one byte more', `${body}${pad} `, 'too large'],
    ['a body with white space around it', `\r\n\t ${body} \n`, 'read'],
  ] as const)
    yield { name, request: { ...valid, body: text }, due }
  for (const [name, text, namedPointer, isExact = false] of strangeBodies(drawing, endpoint, body))
    if (text !== body)
      yield { name, request: { ...valid, body: text }, due: 'refused', namedPointer, isExact }
}

/** Ways of writing a number that are not the one of JSON, or not of this number. */
const otherNumbers = ['+1', '-0', '00', '01', '1.0', '1e0', '0x1', '1_000', '１', '1e400', '9007199254740993']
const otherBooleans = ['1', '0', 'True', 'TRUE', 'yes', 'on', 'null', '']

/** Texts, as they stand in a URL, that stand for no value of a type. */
function strayTexts(type: unknown): string[] {
  const padded = ['%20', '%09', '+', '%00', '%FF', '%C0%AF', '%ED%A0%80', '%'] // a number between them is another text
  const around = (value: string) => padded.flatMap(blank => [`${blank}${value}`, `${value}${blank}`])
  if (type === 'integer')
    return [...otherNumbers.map(encodeURIComponent), ...around('1'), '', 'NaN', 'Infinity', 'null']
  if (type === 'boolean') return [...otherBooleans, ...around('true')]
  return ['%FF', 'a%C0%AF', '%ED%A0%80', '%00']
}

function* strangePaths(
  { model }: Drawing,
  { path, parameters }: Endpoint,
  valid: string,
): Generator<Strange> {
  const segments = valid.split('?')[0]?.split('/') ?? []
  for (const [index, part] of path.split('/').entries()) {
    const parameter = parameters.find(
      ({ in: place, name: candidate }) => place === 'path' && part === `{${candidate}}`,
    )
    if (!parameter) continue
    const { name, schema = {} } = parameter
    for (const text of strayTexts(shapeOf(model, schema).type))
      if (text !== '')
        yield [`the path parameter ${name} as ${text}`, segments.with(index, text).join('/'), `/path/${name}`]
  }
}

/** Whether a text of a URL can be decoded: with a path that can't, it belongs to no operation. */
export function isEncoded(text: string): boolean {
  try {
    decodeURIComponent(text)
    return true
  } catch {
    return false
  }
}

function* strangeQueries(
  { model }: Drawing,
  { parameters, method }: Endpoint,
  valid: string,
): Generator<Strange> {
  const start = `${valid.split('?')[0]}?`
  for (const { in: place, name, schema = {}, explode = true } of parameters) {
    if (place !== 'query') continue
    const shape = shapeOf(model, schema)
    const namedPointer = `/query/${name}`
    const isList = shape.type === 'array'
    const { type, enum: values = [] } = isList ? shapeOf(model, shape.items ?? {}) : shape
    const plain = values.length > 0 ? String(values[0]) : type === 'boolean' ? 'true' : '1'
    // A value that can't be decoded has no name in the error.
    for (const text of strayTexts(type))
      yield [`?${name}=${text}`, `${start}${name}=${text}`, isEncoded(text) ? namedPointer : undefined]
    if (type !== 'string' || values.length > 0)
      yield [`?${name}= with white space`, `${start}${name}=%20${encodeURIComponent(plain)}`, namedPointer]
    yield [`?${name} without a value`, `${start}${name}`, namedPointer]
    if (!isList) {
      yield [`?${name} twice`, `${start}${name}=${plain}&${name}=${plain}`, namedPointer]
      if (type !== 'string') yield [`?${name} as a list`, `${start}${name}=${plain},${plain}`, namedPointer]
      yield [`?${name}[]`, `${start}${name}[]=${plain}`]
    } else if (!explode && type === 'integer')
      for (const list of ['1,,2', ',1', '1,', '1;2', '1,%202', '1,2,x'])
        yield [`?${name}=${list}`, `${start}${name}=${list}`, namedPointer]
    const other = name === name.toUpperCase() ? name.toLowerCase() : name.toUpperCase()
    yield [`?${other}`, `${start}${other}=${plain}`, `/query/${other}`]
  }
  for (const name of method === 'GET' ? ['__proto__', 'constructor', 'a~b/c', ''] : [])
    yield [`?${name}=1`, `${start}${encodeURIComponent(name)}=1`, pointer('query', name)]
}

function* strangeBodies(drawing: Drawing, endpoint: Endpoint, body: string): Generator<Strange> {
  yield ['no body', '']
  yield ['half a body', body.slice(0, -1)]
  yield ['two bodies', body + body]
  yield ['a body with a comma too many', body.replace(/[}\]]$/, ',$&')]
  yield ['a comment', `/**/${body}`]
  yield ['text in other quotation marks', body.replaceAll('"', "'")]
  yield ['NaN', 'NaN']
  // Properties can be added to the body or, if it is a list, to its second item.
  const schema = endpoint.request.properties.body ?? {}
  const value: unknown = JSON.parse(body)
  const whole: unknown = Array.isArray(value) ? value[0] : value
  if (!isObject(whole)) return
  const { items = {} } = shapeOf(drawing.model, schema)
  const shape = shapeOf(drawing.model, Array.isArray(value) ? items : schema)
  for (const [name, text, namedPointer] of strangeObjects(drawing, shape, whole))
    yield Array.isArray(value)
      ? [name, `[${JSON.stringify(whole)},${text}]`, namedPointer && `/1${namedPointer}`]
      : [name, text, namedPointer]
  const { bodyLevels, bodyValues } = boundsIn(drawing.model.document)
  /** The body with one more property, and the place of that. */
  const within = (text: string) => {
    const changed = written(whole, 'deep', text)
    return Array.isArray(value) ? `[${JSON.stringify(whole)},${changed}]` : changed
  }
  const namedPointer = Array.isArray(value) ? '/1/deep' : '/deep'
  const levels = bodyLevels - namedPointer.split('/').length + 1
  const values = bodyValues - valuesIn(JSON.parse(within('[]')))
  const nested = (count: number) => within('['.repeat(count) + ']'.repeat(count))
  const listed = (count: number) => within(`[${Array(count).fill(0)}]`)
  // Up to the bound it is the property that is refused.
  yield ['the most levels', nested(levels), namedPointer, true]
  yield ['a level more', nested(levels + 1), `${namedPointer}/0`]
  yield ['the most values', listed(values), namedPointer, true]
  yield ['a value more', listed(values + 1), '', true]
}

/** A text with characters that have a meaning only elsewhere: the mark of a byte order, and the end of a line in scripts. */
export const oddText = 'a\ufeff\u2028😀b'

/** Returns the properties of a body that may hold the odd text, as they may hold any. */
export function oddProperties({ model }: Drawing, endpoint: Endpoint): string[] {
  const { properties = {} } = shapeOf(model, endpoint.request.properties.body ?? {})
  return Object.entries(properties).flatMap(([name, property]) => {
    const { type, format, enum: values, maxLength = Infinity, ...shape } = shapeOf(model, property)
    const isFree = type === 'string' && !format && !values && !shape['x-further-rule']
    const isOdd = maxLength > oddText.length && toRegExp(shape.pattern ?? '')?.test(oddText) === true
    return isFree && isOdd ? [name] : []
  })
}

/** How many values a value is, with those in it. */
const valuesIn = (value: unknown): number =>
  Object.values(typeof value === 'object' && value !== null ? value : {}).reduce(
    (sum: number, part) => sum + valuesIn(part),
    1,
  )

/** An object with one more property, in place of what had its name. */
function written(whole: Record<string, unknown>, name: string, text: string): string {
  const others = Object.entries(whole).filter(([other]) => other !== name)
  return `{${[...others.map(item => member(...item)), `${JSON.stringify(name)}:${text}`].join()}}`
}

const member = (name: string, value: unknown) => `${JSON.stringify(name)}:${JSON.stringify(value)}`

/** Objects like one that is taken, with what may not be in it. */
function* strangeObjects(
  drawing: Drawing,
  { properties = {} }: Shape,
  whole: Record<string, unknown>,
): Generator<Strange> {
  const write = (name: string, text: string) => written(whole, name, text)
  for (const name of ['__proto__', 'constructor', 'toString', 'a~b/c', '', '~1'])
    yield [`the property ${name}`, write(name, '1'), pointer(name)]
  for (const [name, property] of Object.entries(properties)) {
    const namedPointer = pointer(name)
    if (name in whole) {
      const value = JSON.stringify(whole[name])
      const escaped = name.replace(/^./, first => `\\u${first.charCodeAt(0).toString(16).padStart(4, '0')}`)
      yield [`${name} twice`, write(name, `${value},${JSON.stringify(name)}:${value}`), namedPointer]
      yield [`${name} twice, once as ${escaped}`, write(name, `${value},"${escaped}":${value}`), namedPointer]
    }
    for (const text of strangeTexts(shapeOf(drawing.model, property)))
      yield [`${name} as ${text}`, write(name, text), namedPointer]
    yield* twiceWithin(drawing, name, property, text => write(name, text))
  }
}

/** Returns texts that the type of a property does not allow. */
function strangeTexts({ type, minimum = 0, enum: values, format, pattern }: Shape): string[] {
  if (type === 'boolean') return ['"true"', '1', '0', '"false"']
  if (type === 'integer') {
    // Numbers that change when they are read as doubles; `1.0` is the number 1.
    const numbers = ['1e400', '-1e400', '9007199254740993', '1.00000000000000000001', '1.5']
    return [...numbers, '"1"', 'true', '[1]', ...(Number(minimum) > 0 ? ['-0'] : [])]
  }
  if (type !== 'string') return []
  const [fit] = values ?? (format === 'date-time' ? ['2030-01-01T00:00:00Z'] : [])
  const spaced = pattern === undefined && typeof fit === 'string' ? [JSON.stringify(` ${fit}`)] : []
  return ['"\\ud800"', '"a\\udc00b"', '"a\\u0000b"', '"\\ufeffa"', '1', 'true', '["a"]', ...spaced]
}

/** An object within with one of its properties twice. */
function* twiceWithin(
  drawing: Drawing,
  name: string,
  property: Schema | Reference,
  write: (text: string) => string,
): Generator<Strange> {
  if (shapeOf(drawing.model, property).type !== 'object') return
  const [inner] = fc.sample(valuesOf(drawing, property, ['body', name]), { seed: 1, numRuns: 1 })
  for (const [key, value] of isObject(inner) ? Object.entries(inner) : []) {
    const text = `{${member(key, value)},${JSON.stringify(inner).slice(1)}`
    yield [`${name} with ${key} twice`, write(text), pointer(name, key)]
  }
}
