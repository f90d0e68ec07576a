import { type Model, type OperationModel, partsOf } from '../../src/document/model.ts'
import { pathOf } from '../../src/document/pointer.ts'
import type { Link, Reference, Response, Schema } from '../../src/document/types.ts'

/** Where a link leads nowhere, or takes what is not there (OpenAPI 3.0.3, 4.7.20). */
export function* linkFaults(
  model: Model,
  from: OperationModel,
  response: Response,
  { operationId, operationRef, parameters = {}, requestBody, server }: Link,
): Generator<string> {
  if ((operationId === undefined) === (operationRef === undefined)) {
    yield 'A link leads to one operation: by operationId, or by operationRef.'
    return
  }
  const target =
    operationId === undefined ? operationAt(model, operationRef ?? '') : model.operation(operationId)
  if (!target) {
    yield `There is no operation ${operationId ?? operationRef}.`
    return
  }
  if (server) yield 'All operations are served at one place: a link has no server.'
  for (const name of Object.keys(parameters)) {
    const [, place, own = name] = /^(path|query|header|cookie)\.(.+)$/.exec(name) ?? []
    const isKnown = target.parameters.some(
      one => one.name === own && (place === undefined || one.in === place),
    )
    if (!isKnown) yield `${target.id} has no parameter ${name}.`
  }
  const given = target.parameters.filter(
    one =>
      one.required &&
      !Object.hasOwn(parameters, one.name) &&
      !Object.hasOwn(parameters, `${one.in}.${one.name}`),
  )
  for (const { name } of given) yield `${target.id} needs ${name}: the link says where it comes from.`
  if (requestBody !== undefined && !target.body) yield `${target.id} takes no body.`
  for (const value of [...Object.values(parameters), requestBody])
    if (typeof value === 'string' && value.startsWith('$')) {
      const fault = expressionFault(model, from, response, value)
      if (fault) yield fault
    }
}

/** What is wrong with a runtime expression (OpenAPI 3.0.3, 4.7.20.4). */
function expressionFault(
  model: Model,
  { id, parameters, body }: OperationModel,
  { headers = {}, content = {} }: Response,
  expression: string,
): string | undefined {
  if (['$url', '$method', '$statusCode'].includes(expression)) return undefined
  const [, side, place = '', name = ''] =
    /^\$(request|response)\.(path|query|header|body)(?:[.#](.*))?$/.exec(expression) ?? []
  if (!side) return `${expression} is no runtime expression.`
  if (place === 'body') {
    const shapes = Object.values(side === 'request' ? (body?.content ?? {}) : content).flatMap(
      ({ schema }) => (schema ? [schema] : []),
    )
    const path = pathOf(name) ?? []
    return shapes.some(schema => hasPath(model, schema, path))
      ? undefined
      : `${expression} is nothing that the body has.`
  }
  const isKnown =
    side === 'request'
      ? parameters.some(one => one.in === place && one.name === name)
      : place === 'header' && Object.keys(headers).some(one => one.toLowerCase() === name.toLowerCase())
  return isKnown
    ? undefined
    : `${expression}: ${side === 'request' ? id : 'the response'} has no such ${place}${place === 'header' ? '' : ' parameter'}.`
}

/** Whether values of a schema have something at the end of a way. */
function hasPath(model: Model, schema: Schema | Reference, [first, ...rest]: readonly string[]): boolean {
  if (first === undefined) return true
  return partsOf(model, schema).some(({ properties = {}, items, oneOf = [], anyOf = [] }) => {
    const next = Object.hasOwn(properties, first)
      ? properties[first]
      : /^\d+$/.test(first)
        ? items
        : undefined
    return (
      (next && hasPath(model, next, rest)) ||
      [...oneOf, ...anyOf].some(one => hasPath(model, one, [first, ...rest]))
    )
  })
}

/** The operation that a reference to one leads to. */
function operationAt(model: Model, reference: string): OperationModel | undefined {
  const path = reference.startsWith('#') ? pathOf(reference.slice(1)) : undefined
  return model.operations.find(({ at }) => at.join('\0') === path?.join('\0'))
}
