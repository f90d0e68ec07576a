import { partsOf } from 'spec-served-document/model'
import { isObject } from 'spec-served-document/pointer'
import type { Reference, Schema } from 'spec-served-document/types'
import { Unreadable, within } from 'spec-served-document/values/faults'
import { isJson, parseMediaType } from 'spec-served-document/values/media-types'
import type { Schemas } from 'spec-served-document/values/schemas'
import { Misfit, parseStrictJson, SyntaxFault } from 'spec-served-document/values/strict-json'
import { password } from '../records/conventions.ts'
import type { WireReply } from '../records/messages.ts'

/** A reply's body, as the engine's readers read it. */
export interface ReadBody {
  /** a value of JSON, or a text of another media type; undefined for none */
  value: unknown
  /** what is wrong with it whatever its schema says */
  faults: string[]
  /** how a number was written, by the object or list that holds it */
  written: NumberTexts
}

/** How numbers were written that a double can't hold, by the object or list around them and their name in it. */
export type NumberTexts = WeakMap<object, ReadonlyMap<string, string>>

/** A reply is read whatever its size: what bounds requests is no promise of it. */
const wide = { bodyBytes: Infinity, urlCharacters: Infinity, bodyLevels: 5_000, bodyValues: 5_000_000 }

/** Reads a reply's body by its media type. One without a media type is read as JSON, if it is JSON. */
export function readBody({ headers, text }: Pick<WireReply, 'headers' | 'text'>): ReadBody {
  const written: NumberTexts = new WeakMap()
  const { 'content-type': type } = headers
  if (text === '') return { value: undefined, faults: [], written }
  if (type !== undefined && !isJson(parseMediaType(type))) return { value: text, faults: [], written }
  try {
    const value = parseStrictJson(text, wide)
    return { value, faults: [], written }
  } catch (error) {
    if (error instanceof Misfit) {
      const twice = error.faults.filter(({ message }) => message.startsWith('stands twice'))
      const faults = twice.map(({ path, message }) => `the body${path} ${message}`)
      return { value: withNumbers(text, written), faults, written }
    }
    if (!(error instanceof Unreadable)) throw error
    const isSyntax = error instanceof SyntaxFault && type !== undefined
    return {
      value: text,
      faults: isSyntax ? error.faults.map(({ message }) => `the body ${message}`) : [],
      written,
    }
  }
}

/** Parses JSON, and keeps how the integers were written that a double does not hold. */
function withNumbers(text: string, written: NumberTexts): unknown {
  const reader = function (this: object, name: string, value: unknown, ...rest: unknown[]) {
    const [context] = rest
    const source = isObject(context) ? String(context.source) : ''
    if (typeof value === 'number' && !Number.isSafeInteger(value) && /^-?\d+$/.test(source))
      written.set(this, new Map([...(written.get(this) ?? []), [name, source]]))
    return value
  }
  return JSON.parse(text, reader)
}

/** Whether an integer is beyond 64 bits (OpenAPI 3.0.3, 4.4). @param source as it is written */
function isBeyondInt64(source: string): boolean {
  return BigInt.asIntN(64, BigInt(source)) !== BigInt(source)
}

type Node = Schema | Reference

/** The parts of schemas, which many values have: each is looked up once. */
const partsByNode = new WeakMap<Node, readonly Schema[]>()

function partsIn({ model }: Schemas, node: Node): readonly Schema[] {
  const parts = partsByNode.get(node) ?? partsOf(model, node)
  partsByNode.set(node, parts)
  return parts
}

/** The parts of a schema that hold for a value: those of `allOf`, and of the alternatives that it fits. */
function* partsFor(schemas: Schemas, node: Node, value: unknown): Generator<Schema> {
  for (const part of partsIn(schemas, node)) {
    yield part
    for (const alternative of [...(part.oneOf ?? []), ...(part.anyOf ?? [])])
      if (schemas.check(alternative, value, 'response').length === 0)
        yield* partsFor(schemas, alternative, value)
  }
}

/**
 * Yields the faults of a reply's value that validators do not tell: a `writeOnly` property (OpenAPI 3.0.3, 4.7.24.2),
 * an integer beyond its 64 bits, of which a double shows no sign, and in the reply to a success a password.
 */
export function* unseenFaults(
  schemas: Schemas,
  node: Node,
  value: unknown,
  written: NumberTexts,
  isSuccess = true,
  path = '',
): Generator<string> {
  if (typeof value !== 'object' || value === null) return
  const holders = [...partsFor(schemas, node, value)]
  for (const [name, child] of Object.entries(value)) {
    const memberPath = within(path, name)
    const nodes = holders.flatMap(part => memberOf(part, value, name))
    const parts = nodes.flatMap(item => partsIn(schemas, item))
    if (parts.some(({ writeOnly }) => writeOnly === true))
      yield `${memberPath} is writeOnly, and a reply has it`
    if (isSuccess && nodes.length === 0 && password.test(name) && typeof child === 'string' && child !== '')
      yield `${memberPath} is a password that no schema declares, and a reply has it`
    const source = written.get(value)?.get(name)
    if (source !== undefined && parts.some(({ format }) => format === 'int64') && isBeyondInt64(source))
      yield `${memberPath} is ${source}, which is beyond the 64 bits of int64`
    for (const memberNode of new Set(nodes))
      yield* unseenFaults(schemas, memberNode, child, written, isSuccess, memberPath)
  }
}

function memberOf({ properties = {}, additionalProperties, items }: Schema, whole: object, name: string) {
  if (Array.isArray(whole)) return items ? [items] : []
  const propertySchema = Object.hasOwn(properties, name) ? properties[name] : additionalProperties
  return typeof propertySchema === 'object' ? [propertySchema] : []
}
