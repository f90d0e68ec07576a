import type { Part } from '../contract/check.ts'
import type { GeneratedFiles } from '../document/emit.ts'
import { type OpenApi, operationsOf, resolve } from '../document/model.ts'

/** What only the page of the docs shows. */
const onPage = new Set(['x-hideTryItPanel', 'tags', 'summary', 'description', 'example', 'examples'])

/** The part of the interface in which two documents differ. */
export function affectedPart(base: OpenApi, changed: OpenApi): Part {
  const before = new Map(operationsOf(base).map(located => [located.operation.operationId, located]))
  const operations = operationsOf(changed).filter(({ path, method, operation }) => {
    const known = before.get(operation.operationId)
    return (
      !known ||
      known.path !== path ||
      known.method !== method ||
      text(base, known.operation) !== text(changed, operation)
    )
  })
  const isEverywhere =
    text(base, [base.security, base.components?.securitySchemes]) !==
    text(changed, [changed.security, changed.components?.securitySchemes])
  const affected = isEverywhere ? operationsOf(changed) : operations
  return {
    operations: new Set(affected.map(({ operation }) => operation.operationId)),
    limits: isEverywhere || text(base, base['x-rate-limits']) !== text(changed, changed['x-rate-limits']),
    known: base,
  }
}

/**
 * Whether services made from two documents do the same: replies are as the handlers make them, whatever the document
 * says of them; requests and facts make the difference.
 */
export function areServedAlike(
  [base, before]: readonly [OpenApi, GeneratedFiles],
  [changed, after]: readonly [OpenApi, GeneratedFiles],
): boolean {
  const requests = (document: OpenApi) =>
    operationsOf(document).map(({ operation: { parameters, requestBody } }) => [parameters, requestBody])
  return (
    before.get('operations.ts') === after.get('operations.ts') &&
    text(base, requests(base)) === text(changed, requests(changed))
  )
}

/** Whether two documents differ in nothing but what the page of the docs shows. */
export function differOnPageOnly(base: OpenApi, changed: OpenApi): boolean {
  const { operations, limits } = affectedPart(base, changed)
  return operations.size === 0 && !limits && JSON.stringify(base) !== JSON.stringify(changed)
}

/** A part of a document as text, with what it refers to in place. */
function text(document: OpenApi, node: unknown, within: readonly unknown[] = []): string {
  if (Array.isArray(node)) return `[${node.map(child => text(document, child, within)).join()}]`
  if (typeof node !== 'object' || node === null) return JSON.stringify(node) ?? ''
  const own = resolve(document, node)
  if (within.includes(own)) return `↑${within.indexOf(own)}`
  const isProperties = within.length > 0 && !('type' in own) && Object.values(own).every(isSchema)
  return `{${Object.entries(own)
    .filter(([key]) => isProperties || !onPage.has(key))
    .map(([key, child]) => `${key}:${text(document, child, [...within, own])}`)
    .join()}}`
}

const isSchema = (value: unknown) =>
  typeof value === 'object' && value !== null && ['$ref', 'type', 'allOf', 'schema'].some(key => key in value)
