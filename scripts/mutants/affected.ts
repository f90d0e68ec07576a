import { type Model, modelOf } from '../../src/document/model.ts'
import { walk } from '../../src/document/walk.ts'
import { factsOf } from '../../src/engine/facts.ts'
import type { Part } from '../contract/check.ts'

/** What only the page of the docs shows. */
const onPage = ['x-hideTryItPanel', 'tags', 'summary', 'description', 'example', 'examples']

const known = new WeakMap<Model, Model>()

/** A model without what only the page of the docs shows. */
function offPage(model: Model): Model {
  const found = known.get(model)
  if (found) return found
  const document = structuredClone(model.document)
  for (const { node, isReference } of walk(document))
    if (!isReference) for (const name of onPage) Reflect.deleteProperty(node, name)
  const bare = modelOf(document)
  known.set(model, bare)
  return bare
}

/** The part of the interface in which two documents differ. */
export function affectedPart(base: Model, changed: Model): Part {
  const [before, after] = [offPage(base), offPage(changed)]
  const differ = (partOf: (model: Model) => unknown) =>
    text(before, partOf(before)) !== text(after, partOf(after))
  const isEverywhere = differ(({ document }) => [document.security, document.components?.securitySchemes])
  // Each length is that of what some operations do, and which ones no document says.
  const isLongAsEver = !differ(({ document }) => document['x-lifetimes'])
  const affected = after.operations.filter(
    ({ id }) =>
      isEverywhere ||
      !isLongAsEver ||
      differ(model => {
        const { path, method, operation } = model.operation(id) ?? {}
        return [path, method, operation]
      }),
  )
  return {
    operations: new Set(affected.map(({ id }) => id)),
    limits: isEverywhere || differ(({ document }) => document['x-rate-limits']),
    known: base,
  }
}

/**
 * Whether services made from two documents do the same: replies are as the handlers make them, whatever the document
 * says of them; requests and facts make the difference.
 */
export function areServedAlike(base: Model, changed: Model): boolean {
  const [before, after] = [base, changed].map(model => {
    const bare = offPage(model)
    const requests = bare.operations.map(({ parameters, body }) => [parameters, body])
    return [
      JSON.stringify([...factsOf(model)]),
      text(bare, [requests, bare.document['x-rate-limits'], bare.document['x-lifetimes']]),
    ].join()
  })
  return before === after
}

/** Whether two documents differ in nothing but what the page of the docs shows. */
export function differOnPageOnly(base: Model, changed: Model): boolean {
  const { operations, limits } = affectedPart(base, changed)
  return (
    operations.size === 0 && !limits && JSON.stringify(base.document) !== JSON.stringify(changed.document)
  )
}

/** A part of a document as text, with what it refers to in place. */
function text(model: Model, node: unknown, within: readonly unknown[] = []): string {
  if (Array.isArray(node)) return `[${node.map(child => text(model, child, within)).join()}]`
  if (typeof node !== 'object' || node === null) return JSON.stringify(node) ?? ''
  const own = model.resolve(node)
  if (within.includes(own)) return `↑${within.indexOf(own)}`
  return `{${Object.entries(own)
    .map(([key, child]) => `${key}:${text(model, child, [...within, own])}`)
    .join()}}`
}
