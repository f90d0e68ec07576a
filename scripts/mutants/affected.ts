import type { Model } from '../../src/document/model.ts'
import { factsOf } from '../../src/engine/facts.ts'
import type { Part } from '../contract/check.ts'

/** What only the page of the docs shows. */
const onPage = new Set(['x-hideTryItPanel', 'tags', 'summary', 'description', 'example', 'examples'])

/** The part of the interface in which two documents differ. */
export function affectedPart(base: Model, changed: Model): Part {
  const [was, is] = [base.document, changed.document]
  const operations = changed.operations.filter(({ id, path, method, operation }) => {
    const known = base.operation(id)
    return (
      !known ||
      known.path !== path ||
      known.method !== method ||
      text(base, known.operation) !== text(changed, operation)
    )
  })
  const isEverywhere =
    text(base, [was.security, was.components?.securitySchemes]) !==
    text(changed, [is.security, is.components?.securitySchemes])
  const affected = isEverywhere ? changed.operations : operations
  return {
    operations: new Set(affected.map(({ id }) => id)),
    limits: isEverywhere || text(base, was['x-rate-limits']) !== text(changed, is['x-rate-limits']),
    known: base,
  }
}

/**
 * Whether services made from two documents do the same: replies are as the handlers make them, whatever the document
 * says of them; requests and facts make the difference.
 */
export function areServedAlike(base: Model, changed: Model): boolean {
  const requests = ({ operations }: Model) => operations.map(({ parameters, body }) => [parameters, body])
  return (
    JSON.stringify([...factsOf(base)]) === JSON.stringify([...factsOf(changed)]) &&
    text(base, base.document['x-rate-limits']) === text(changed, changed.document['x-rate-limits']) &&
    text(base, requests(base)) === text(changed, requests(changed))
  )
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
  const isProperties = within.length > 0 && !('type' in own) && Object.values(own).every(isSchema)
  return `{${Object.entries(own)
    .filter(([key]) => isProperties || !onPage.has(key))
    .map(([key, child]) => `${key}:${text(model, child, [...within, own])}`)
    .join()}}`
}

const isSchema = (value: unknown) =>
  typeof value === 'object' && value !== null && ['$ref', 'type', 'allOf', 'schema'].some(key => key in value)
