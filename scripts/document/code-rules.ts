import { type Model, type OperationModel, partsOf } from '../../src/document/model.ts'
import type { Response } from '../../src/document/types.ts'
import { codesOf } from '../../src/engine/extensions.ts'
import type { Breach, ProjectRule } from './fact-rules.ts'

/** Refusals are named by codes, from which their statuses follow. */
export const codeRules: Record<string, ProjectRule> = {
  *'error-codes'(model) {
    for (const operation of model.operations) yield* faultsIn(model, operation)
  },
}

function* faultsIn(model: Model, { at, responses }: OperationModel): Generator<Breach> {
  const statuses = new Map<string, string>()
  for (const [status, response] of responses) {
    const place = [...at, 'responses', status]
    const known = knownCodes(model, response)
    const codes = codesOf(response)
    if (known && codes.length === 0)
      yield { at: place, message: 'x-codes names the codes of the error that this response can carry.' }
    if (!known && 'x-codes' in response)
      yield { at: place, message: 'x-codes stands where the body is an error with an enumeration of codes.' }
    for (const code of codes) {
      if (known && !known.includes(code))
        yield { at: place, message: `x-codes has ${code}, which is no code of the error.` }
      const other = statuses.get(code)
      if (other !== undefined)
        yield {
          at: place,
          message: `The code ${code} stands for ${other} already: a status follows from a code.`,
        }
      statuses.set(code, status)
    }
  }
}

/** The codes of a response's errors; undefined where its body is no error that has such. */
function knownCodes(model: Model, { content = {} }: Response): unknown[] | undefined {
  for (const { schema } of Object.values(content))
    for (const { properties = {}, required = [] } of schema ? partsOf(model, schema) : [])
      if (properties.code && required.includes('code') && required.includes('message'))
        for (const part of partsOf(model, properties.code)) if (part.enum) return part.enum
  return undefined
}
