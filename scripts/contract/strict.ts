import fc from 'fast-check'
import { isObject } from '../../src/document/pointer.ts'
import type { Reference, Schema } from '../../src/document/types.ts'
import { body as limits } from './conventions.ts'
import { type Endpoint, shapeOf } from './interface.ts'
import type { WireRequest } from './requests.ts'
import { type Drawing, valuesOf } from './values.ts'

/** A request that a strict reader refuses, or takes, for what is in its bytes. */
export interface Reading {
  name: string
  request: WireRequest
  /** whether it may be taken or declined by a rule, or must be refused with 400; for a body that is too large 413 */
  due: 'read' | 'refused' | 'too large'
  /** the JSON Pointer that the refusal names; undefined where it need not name any */
  at?: string
}

/**
 * The same corpus for each type and place of any document: what lenient readers convert, drop or merge.
 * @param valid a request that is taken as it is
 */
export function* readingsOf(drawing: Drawing, endpoint: Endpoint, valid: WireRequest): Generator<Reading> {
  yield* readingsOfPath(drawing, endpoint, valid)
  yield* readingsOfQuery(drawing, endpoint, valid)
  if (valid.body !== undefined) yield* readingsOfBody(drawing, endpoint, { ...valid, body: valid.body })
}

const refused = (name: string, request: WireRequest, at?: string): Reading => ({
  name,
  request,
  due: 'refused',
  ...(at !== undefined && { at }),
})

/** Ways of writing a number that are not the one of JSON, or not of this number. */
const otherNumbers = ['+1', '-0', '00', '01', '1.0', '1e0', '0x1', '1_000', '１', '1e400', '9007199254740993']
const otherBooleans = ['1', '0', 'True', 'TRUE', 'yes', 'on', 'null', '']

/** Texts, as they stand in a URL, that stand for no value of a type. */
function strangersTo(type: unknown): string[] {
  const padded = ['%20', '%09', '+', '%00', '%FF', '%C0%AF', '%ED%A0%80', '%'] // a number between them is another text
  const around = (value: string) => padded.flatMap(blank => [`${blank}${value}`, `${value}${blank}`])
  if (type === 'integer')
    return [...otherNumbers.map(encodeURIComponent), ...around('1'), '', 'NaN', 'Infinity', 'null']
  if (type === 'boolean') return [...otherBooleans, ...around('true')]
  return ['%FF', 'a%C0%AF', '%ED%A0%80', '%00']
}

function* readingsOfPath(
  { model }: Drawing,
  { path, parameters }: Endpoint,
  valid: WireRequest,
): Generator<Reading> {
  const [, ...own] = valid.url.split('?')[0]?.split('/') ?? []
  for (const [index, part] of path.split('/').slice(1).entries()) {
    const name = /^\{(\w+)\}$/.exec(part)?.[1]
    const parameter = parameters.find(one => one.in === 'path' && one.name === name)
    if (!parameter) continue
    for (const text of strangersTo(shapeOf(model, parameter.schema ?? {}).type)) {
      if (text === '') continue // another path
      const url = `/${own.with(index, text).join('/')}`
      yield refused(`the path parameter ${name} as ${text}`, { ...valid, url }, `/path/${name}`)
    }
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

function* readingsOfQuery(
  { model }: Drawing,
  { parameters, method }: Endpoint,
  valid: WireRequest,
): Generator<Reading> {
  const [path = ''] = valid.url.split('?')
  const url = (query: string): WireRequest => ({ ...valid, url: `${path}?${query}` })
  for (const { in: place, name, schema = {}, explode = true } of parameters) {
    if (place !== 'query') continue
    const shape = shapeOf(model, schema)
    const at = `/query/${name}`
    const isList = shape.type === 'array'
    const { type, enum: values = [] } = isList ? shapeOf(model, shape.items ?? {}) : shape
    const plain = values.length > 0 ? String(values[0]) : type === 'boolean' ? 'true' : '1'
    // What can't be decoded has no name.
    for (const text of strangersTo(type))
      yield refused(`?${name}=${text}`, url(`${name}=${text}`), isEncoded(text) ? at : undefined)
    if (type !== 'string' || values.length > 0)
      yield refused(`?${name}= with white space`, url(`${name}=%20${encodeURIComponent(plain)}`), at)
    yield refused(`?${name} without a value`, url(name), at)
    if (!isList) {
      yield refused(`?${name} twice`, url(`${name}=${plain}&${name}=${plain}`), at)
      if (type !== 'string') yield refused(`?${name} as a list`, url(`${name}=${plain},${plain}`), at)
      yield refused(`?${name}[]`, url(`${name}[]=${plain}`))
    } else if (!explode && type === 'integer')
      for (const list of ['1,,2', ',1', '1,', '1;2', '1,%202', '1,2,x'])
        yield refused(`?${name}=${list}`, url(`${name}=${list}`), at)
    const other = name === name.toUpperCase() ? name.toLowerCase() : name.toUpperCase()
    yield refused(`?${other}`, url(`${other}=${plain}`), `/query/${other}`)
  }
  if (method === 'GET')
    for (const name of ['__proto__', 'constructor', 'a~b/c', ''])
      yield refused(`?${name}=1`, url(`${encodeURIComponent(name)}=1`), `/query/${escaped(name)}`)
}

const escaped = (name: string) => name.replaceAll('~', '~0').replaceAll('/', '~1')

type WithBody = WireRequest & { body: string }

/** Where in a body a property can be added: in the object that it is, or in the second item of the list that it is. */
function* readingsOfBody(drawing: Drawing, endpoint: Endpoint, valid: WithBody): Generator<Reading> {
  const { body } = valid
  const value: unknown = JSON.parse(body)
  const pad = ' '.repeat(Math.max(0, limits.bytes - Buffer.byteLength(body)))
  yield { name: 'a body of just the greatest length', request: { ...valid, body: body + pad }, due: 'read' }
  yield { name: 'a body of one byte more', request: { ...valid, body: `${body}${pad} ` }, due: 'too large' }
  yield {
    name: 'a body with white space around it',
    request: { ...valid, body: `\r\n\t ${body} \n` },
    due: 'read',
  }
  for (const [name, text] of Object.entries({
    'no body': '',
    'half a body': body.slice(0, -1),
    'two bodies': body + body,
    'a body with a comma too many': body.replace(/[}\]]$/, ',$&'),
    'a comment': `/**/${body}`,
    'text in other quotation marks': body.replaceAll('"', "'"),
    NaN: 'NaN',
  }))
    if (text !== body) yield refused(name, { ...valid, body: text })
  const { type, items } = shapeOf(drawing.model, endpoint.request.properties.body ?? {})
  const second =
    type === 'array' && Array.isArray(value) && isObject(value[0]) ? [value[0], value[0]] : undefined
  const whole = second ? second[0] : value
  if (!isObject(whole)) return
  const prefix = second ? '/1' : ''
  const schema = second ? (items ?? {}) : (endpoint.request.properties.body ?? {})
  const inWhole = (text: string) => (second ? `[${JSON.stringify(second[0])},${text}]` : text)
  const members = Object.entries(whole).map(([name, one]) => `${JSON.stringify(name)}:${JSON.stringify(one)}`)
  const send = (extra: readonly string[], without?: string): WireRequest => {
    const kept = members.filter(
      member => without === undefined || !member.startsWith(`${JSON.stringify(without)}:`),
    )
    return { ...valid, body: inWhole(`{${[...kept, ...extra].join()}}`) }
  }
  for (const name of ['__proto__', 'constructor', 'toString', 'a~b/c', '', '~1'])
    yield refused(`the property ${name}`, send([`${JSON.stringify(name)}:1`]), `${prefix}/${escaped(name)}`)
  yield refused('levels too many', send([`"deep":${'['.repeat(limits.levels)}${']'.repeat(limits.levels)}`]))
  yield refused('values too many', { ...valid, body: `[${'0,'.repeat(limits.values)}0]` })
  yield* readingsOfProperties(drawing, schema, whole, prefix, send)
}

function* readingsOfProperties(
  drawing: Drawing,
  schema: Schema | Reference,
  whole: Record<string, unknown>,
  prefix: string,
  send: (extra: readonly string[], without?: string) => WireRequest,
): Generator<Reading> {
  const { model } = drawing
  const { properties = {} } = shapeOf(model, schema)
  for (const [name, property] of Object.entries(properties)) {
    const { type, minimum = 0, enum: values, format, pattern } = shapeOf(model, property)
    const at = `${prefix}/${escaped(name)}`
    const write = (text: string) => send([`${JSON.stringify(name)}:${text}`], name)
    if (name in whole) {
      const text = `${JSON.stringify(name)}:${JSON.stringify(whole[name])}`
      yield refused(`${name} twice`, send([text]), at)
    }
    if (type === 'integer') {
      // Numbers that change when they are read as doubles; `1.0` is the number 1.
      for (const text of [
        '1e400',
        '-1e400',
        '9007199254740993',
        '1.00000000000000000001',
        '1.5',
        '"1"',
        'true',
        '[1]',
      ])
        yield refused(`${name} as ${text}`, write(text), at)
      if (Number(minimum) > 0) yield refused(`${name} as -0`, write('-0'), at)
    }
    if (type === 'string') {
      for (const text of ['"\\ud800"', '"a\\udc00b"', '"a\\u0000b"', '"\\ufeffa"', '1', 'true', '["a"]'])
        yield refused(`${name} as ${text}`, write(text), at)
      const fit = values ?? (format === 'date-time' ? ['2030-01-01T00:00:00Z'] : [])
      if (pattern === undefined && typeof fit[0] === 'string')
        yield refused(`${name} with white space`, write(JSON.stringify(` ${fit[0]}`)), at)
    }
    if (type === 'object') {
      const [inner] = fc.sample(valuesOf(drawing, property, ['body', name]), { seed: 1, numRuns: 1 })
      for (const [key, value] of isObject(inner) ? Object.entries(inner) : []) {
        const text = `${JSON.stringify(key)}:${JSON.stringify(value)}`
        const all = JSON.stringify(inner)
        yield refused(`${name} with ${key} twice`, write(`{${text},${all.slice(1)}`), `${at}/${escaped(key)}`)
      }
    }
    if (type === 'boolean')
      for (const text of ['"true"', '1', '0', '"false"']) yield refused(`${name} as ${text}`, write(text), at)
  }
}
