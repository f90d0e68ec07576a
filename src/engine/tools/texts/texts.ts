import { docsAddresses, someOrigin } from 'spec-served-document/contract/addresses'
import type { Contract, DocsTexts } from 'spec-served-document/contract/contract'
import type { Model } from 'spec-served-document/model'
import { bodiesOf } from './bodies.ts'
import { sunsetCalendar } from './calendar.ts'
import { rulesOf } from './effects.ts'
import { interfaceInMarkdown, operationInMarkdown } from './markdown.ts'
import { sampleWriter } from './samples.ts'

/** The texts on a document that the docs serve beside it. */
export function docsTextsOf(model: Model, facts: Contract['facts']): DocsTexts {
  const addresses = docsAddresses(model)
  const document = structuredClone(model.document)
  for (const { variables } of document.servers ?? [])
    if (variables?.base_url) variables.base_url.default = someOrigin
  const samplesOf = sampleWriter(model, someOrigin)
  let operations: DocsTexts['operations'] | undefined
  const rules = model.operations.map(
    ({ id, operation }) => [id, rulesOf(operation, facts.get(id)?.codes ?? {})] as const,
  )
  let bodies: DocsTexts['bodies'] | undefined
  return {
    llms: interfaceInMarkdown(document, { model, facts }, addresses),
    sunsets: sunsetCalendar({ model, facts }),
    // When they are first read: they take compiled schemas.
    get operations() {
      operations ??= Object.fromEntries(
        model.operations.map(operation => [
          operation.id,
          operationInMarkdown({ model, facts }, operation, addresses, samplesOf(operation)),
        ]),
      )
      return operations
    },
    get bodies() {
      bodies ??= bodiesOf(model)
      return bodies
    },
    rules: Object.fromEntries(rules.filter(([, ofKind]) => ofKind.length > 0)),
  }
}
