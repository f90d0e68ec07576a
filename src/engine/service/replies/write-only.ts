import { Readable } from 'node:stream'
import { type OperationModel, partsOf, responseFor, schemaKeywords } from 'spec-served-document/model'
import { type Matcher, matcherOf } from 'spec-served-document/pattern'
import { isObject } from 'spec-served-document/pointer'
import type { Reference, Schema } from 'spec-served-document/types'
import { exact } from 'spec-served-document/values/exact-json'
import { isJson, parseMediaType } from 'spec-served-document/values/media-types'
import type { Schemas } from 'spec-served-document/values/schemas'
import type { AnyReply } from '../errors/api-error.ts'

type Node = Schema | Reference

/**
 * Returns a function that takes `writeOnly` properties out of an operation's replies (OpenAPI 3.0.3, 4.7.24.2);
 * undefined if no reply can have one. It changes no object of the handler's.
 */
export function withholderOf(schemas: Schemas, operation: OperationModel) {
  const bodies = [...operation.responses.values()].flatMap(({ content = {} }) => Object.values(content))
  if (!bodies.some(({ schema }) => schema && holdsSecret(schemas, schema))) return undefined

  const { parse, stringify } = schemas.model.hasBigints ? exact : JSON

  return (reply: AnyReply): AnyReply => {
    const { body, headers } = reply
    const { content = {} } = responseFor(operation, Number(reply.status)) ?? {}
    const declared = Object.values(content).flatMap(({ schema }) => (schema ? [schema] : []))
    if (typeof body === 'string') {
      const type = Object.entries(headers ?? {}).find(([name]) => name.toLowerCase() === 'content-type')?.[1]
      const isText = type !== undefined && isJson(parseMediaType(String(type)))
      return isText ? { ...reply, body: stringify(withheld(schemas, declared, parse(body))) } : reply
    }
    if (typeof body !== 'object' || body === null) return reply
    if (body instanceof Readable || ArrayBuffer.isView(body)) return reply
    if (Symbol.asyncIterator in body && !Array.isArray(body)) {
      const items = body as AsyncIterable<unknown> // it has an iterator
      return { ...reply, body: withheldEach(schemas, declared, items) }
    }
    return { ...reply, body: withheld(schemas, declared, body) }
  }
}

async function* withheldEach(schemas: Schemas, itemSchemas: readonly Node[], items: AsyncIterable<unknown>) {
  for await (const item of items) {
    const [kept] = withheld(schemas, itemSchemas, [item]) as unknown[] // a list stays one
    yield kept
  }
}

/** A value as JSON has it, without what is `writeOnly`. */
function withheld(schemas: Schemas, nodes: readonly Node[], value: unknown): unknown {
  const { parse, stringify } = schemas.model.hasBigints ? exact : JSON
  const copy: unknown = parse(stringify(value))
  for (const schema of nodes) withhold(schemas, schema, copy)
  return copy
}

const isSecret = ({ model }: Schemas, property: Node) => partsOf(model, property).some(part => part.writeOnly)

/** Takes the properties out of a value. Of alternatives those count that the value fits, or else all. */
function withhold(schemas: Schemas, node: Node, value: unknown): void {
  const list = Array.isArray(value)
  if (!(list || isObject(value)) || !holdsSecret(schemas, node)) return
  for (const part of partsOf(schemas.model, node)) {
    const { oneOf = [], anyOf = [], then, else: otherwise, dependentSchemas = {} } = part
    for (const alternatives of [oneOf, anyOf]) {
      const fitting = alternatives.filter(
        alternative => schemas.check(alternative, value, 'response').length === 0,
      )
      for (const alternative of fitting.length > 0 ? fitting : alternatives)
        withhold(schemas, alternative, value)
    }
    for (const other of [then, otherwise, ...Object.values(dependentSchemas)])
      if (other) withhold(schemas, other, value)
    for (const [name, child] of Object.entries(value))
      for (const below of childrenOf(part, name, list))
        if (!list && isSecret(schemas, below)) Reflect.deleteProperty(value, name)
        else withhold(schemas, below, child)
  }
}

/** The schemas that a part has for an item or a property. */
function childrenOf(part: Schema, name: string, isItem: boolean): Node[] {
  const { items, prefixItems = [], properties = {}, additionalProperties } = part
  const item = prefixItems[Number(name)] ?? items
  if (isItem) return item ? [item] : []
  const propertySchema = Object.hasOwn(properties, name) ? properties[name] : undefined
  const matching = patternedIn(part).flatMap(([matcher, schema]) => (matcher.test(name) ? [schema] : []))
  if (propertySchema || matching.length > 0) return [...(propertySchema ? [propertySchema] : []), ...matching]
  return typeof additionalProperties === 'object' ? [additionalProperties] : []
}

/** Matchers of names with their schemas, by schema. Each schema belongs to one document. */
const patterned = new WeakMap<Schema, (readonly [Matcher, Node])[]>()

function patternedIn(part: Schema): (readonly [Matcher, Node])[] {
  const all = Object.entries(part.patternProperties ?? {})
  const matchers =
    patterned.get(part) ?? all.map(([pattern, schema]) => [matcherOf(pattern), schema] as const)
  patterned.set(part, matchers)
  return matchers
}

/** Results by schema. Each schema belongs to one document. */
const results = new WeakMap<Schema, boolean>()

/** Whether a schema, or one that it is made of, has a `writeOnly` property. */
function holdsSecret(schemas: Schemas, node: Node): boolean {
  const root = schemas.model.resolve<Schema>(node)
  const before = results.get(root)
  if (before !== undefined) return before
  const seen = new Set<Schema>()
  const visit = (candidate: Node): boolean => {
    const schema = schemas.model.resolve<Schema>(candidate)
    if (seen.has(schema)) return false
    seen.add(schema)
    const { properties = {}, patternProperties = {}, additionalProperties: others } = schema
    const children = [...Object.values(properties), ...Object.values(patternProperties)]
    if (typeof others === 'object') children.push(others)
    if (children.some(child => isSecret(schemas, child))) return true
    const below = [
      ...schemaKeywords.one.map(keyword => schema[keyword]),
      ...[...schemaKeywords.list, ...schemaKeywords.map].flatMap(keyword =>
        Object.values(schema[keyword] ?? {}),
      ),
    ]
    return below.some(child => typeof child === 'object' && child !== null && visit(child as Node)) // by the keywords
  }
  const holds = visit(root)
  results.set(root, holds)
  return holds
}
