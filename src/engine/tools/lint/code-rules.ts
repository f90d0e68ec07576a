import { codesOf, type Model, type OperationModel, partsOf } from 'spec-served-document/model'
import { isObject, type Path } from 'spec-served-document/pointer'
import { schemasIn } from 'spec-served-document/reading/walk'
import type { Response, Schema } from 'spec-served-document/types'
import { responsePlace } from './usual.ts'
import { leaveOut, oneOf, type ProjectRule, superfluous, type Violation, write } from './violation.ts'

/** Refusals are named by codes, from which their statuses follow. */
export const codeRules: Record<string, ProjectRule> = {
  *'error-codes'(model) {
    for (const operation of model.operations) yield* faultsIn(model, operation)
  },
}

function* faultsIn(model: Model, operation: OperationModel): Generator<Violation> {
  const statuses = new Map<string, string>()
  for (const [status, response] of operation.responses) {
    const place = responsePlace(model, operation, status)
    const declaredCodes = knownCodes(model, response)
    const codes = codesOf(response)
    if (declaredCodes && codes.length === 0) {
      const usual = usualCodes(model, status)
      yield {
        place,
        message: 'x-codes names the codes of the error that this response can carry.',
        ...(usual.length > 0
          ? write(place, { 'x-codes': usual })
          : { decide: `which, as x-codes: [${declaredCodes[0]}], of ${declaredCodes.join(', ')}.` }),
      }
    }
    if (!declaredCodes && 'x-codes' in response)
      yield {
        place,
        message: 'x-codes stands where the body is an error with an enumeration of codes.',
        ...leaveOut([...place, 'x-codes']),
      }
    for (const { value, path } of examplesIn(response))
      if (
        isObject(value) &&
        typeof value.code === 'string' &&
        codes.length > 0 &&
        !codes.includes(value.code)
      )
        yield {
          place: [...place, ...path],
          message: `The example has the code ${value.code}, which x-codes does not have.`,
          ...oneOf([...place, ...path, 'code'], value.code, codes, 'write it into x-codes.'),
        }
    for (const [index, code] of codes.entries()) {
      if (declaredCodes && !declaredCodes.includes(code))
        yield {
          place,
          message: `x-codes has ${code}, which is no code of the error.`,
          ...oneOf(
            [...place, 'x-codes', String(index)],
            code,
            declaredCodes.map(String).filter(candidate => !codes.includes(candidate)),
            'write it into the enumeration of codes.',
          ),
        }
      const other = statuses.get(code)
      if (other !== undefined)
        yield {
          place,
          message: `The code ${code} stands for ${other} already: a status follows from a code.`,
          decide: `which of ${other} and ${status} it is; give the other a code of its own.`,
        }
      statuses.set(code, status)
    }
  }
}

/** The examples of a response, with their places in it. */
function examplesIn({ content = {} }: Response): { value: unknown; path: Path }[] {
  return Object.entries(content).flatMap(([type, { example, examples = {} }]) => [
    { value: example, path: ['content', type, 'example'] },
    ...Object.entries(examples).map(([name, named]) => ({
      value: 'value' in named ? named.value : undefined,
      path: ['content', type, 'examples', name, 'value'],
    })),
  ])
}

/** The codes that another operation has for a status, of those that have most of them. */
function usualCodes({ operations }: Model, status: string): readonly string[] {
  const found = operations.map(({ responses }) => codesOf(responses.get(status) ?? { description: '' }))
  return found.sort((a, b) => b.length - a.length)[0] ?? []
}

/** The codes of a response's errors; undefined where its body is no error that has such. */
function knownCodes(model: Model, { content = {} }: Response): unknown[] | undefined {
  for (const { schema } of Object.values(content))
    for (const { properties = {}, required = [] } of schema ? partsOf(model, schema) : [])
      if (properties.code && required.includes('code') && required.includes('message'))
        for (const part of partsOf(model, properties.code)) if (part.enum) return part.enum
  return undefined
}

/** The rule that `x-enum-descriptions` says for each error code what it means and what to do. */
export const codeDescriptionRules: Record<string, ProjectRule> = {
  *'code-descriptions'(model) {
    const listed = new Map<Schema, true>()
    for (const { responses } of model.operations)
      for (const { content = {}, ...response } of responses.values())
        for (const { schema } of 'x-codes' in response ? Object.values(content) : [])
          for (const { properties = {} } of schema ? partsOf(model, schema) : [])
            for (const part of properties.code ? partsOf(model, properties.code) : [])
              if (part.enum) listed.set(part, true)
    for (const { schema, path } of schemasIn(model.document)) {
      if ('x-enum-descriptions' in schema || listed.has(schema)) yield* descriptionFaults(schema, path)
    }
  },
}

function* descriptionFaults(schema: Schema, path: readonly string[]): Generator<Violation> {
  const place = [...path, 'x-enum-descriptions']
  const written: unknown = 'x-enum-descriptions' in schema ? schema['x-enum-descriptions'] : undefined
  const described = new Map(typeof written === 'object' && written !== null ? Object.entries(written) : [])
  const values = (schema.enum ?? []).map(String)
  for (const value of values) {
    const text: unknown = described.get(value)
    const [why = '', what = ''] = typeof text === 'string' ? text.split(/\n\s*\n/) : []
    if (!why.trim() || !what.trim())
      yield {
        place: described.has(value) ? [...place, value] : path,
        message: `x-enum-descriptions says when and why ${value} comes, and in a second paragraph what to do.`,
        decide: `the words, as ${value}: |- with two paragraphs below it.`,
      }
  }
  for (const name of described.keys())
    if (!values.includes(name)) yield superfluous([...place, name], `${name} is no value of the enumeration.`)
}
