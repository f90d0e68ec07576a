import { type Model, type OperationModel, partsOf } from 'spec-served-document/model'
import { type Path, pathOf } from 'spec-served-document/pointer'
import type { Link } from 'spec-served-document/reading/nodes'
import type { Reference, Response, Schema } from 'spec-served-document/types'
import { leaveOut, oneOf, type Violation, write } from './violation.ts'

/** Yields the faults of a link that leads nowhere, or takes a value that does not exist (OpenAPI 3.0.3, 4.7.20). */
export function* linkFaults(
  model: Model,
  from: OperationModel,
  response: Response,
  { operationId, operationRef, parameters = {}, requestBody, server }: Link,
  place: Path,
): Generator<Violation> {
  const ids = model.operations.map(({ id }) => id)
  if ((operationId === undefined) === (operationRef === undefined)) {
    yield {
      place,
      message: 'A link leads to one operation: by operationId, or by operationRef.',
      ...(operationId === undefined
        ? { decide: `where it leads, as operationId: ${ids[0]}.` }
        : leaveOut([...place, 'operationRef'])),
    }
    return
  }
  const target =
    operationId === undefined ? operationAt(model, operationRef ?? '') : model.operation(operationId)
  if (!target) {
    yield {
      place,
      message: `There is no operation ${operationId ?? operationRef}.`,
      ...(operationId === undefined
        ? { decide: `where it leads, as operationId: ${ids[0]} in its place.` }
        : oneOf([...place, 'operationId'], operationId, ids, 'leave the link out.')),
    }
    return
  }
  if (server)
    yield {
      place,
      message: 'All operations are served at one place: a link has no server.',
      ...leaveOut([...place, 'server']),
    }
  for (const name of Object.keys(parameters)) {
    const [, location, parameterName = name] = /^(path|query|header|cookie)\.(.+)$/.exec(name) ?? []
    const isKnown = target.parameters.some(
      parameter => parameter.name === parameterName && (location === undefined || parameter.in === location),
    )
    if (!isKnown)
      yield {
        place,
        message: `${target.id} has no parameter ${name}.`,
        ...leaveOut([...place, 'parameters', name]),
      }
  }
  const missing = target.parameters.filter(
    parameter =>
      parameter.required &&
      !Object.hasOwn(parameters, parameter.name) &&
      !Object.hasOwn(parameters, `${parameter.in}.${parameter.name}`),
  )
  for (const { name } of missing) {
    const source = sourceOf(model, from, response, name)
    yield {
      place,
      message: `${target.id} needs ${name}: the link says where it comes from.`,
      ...(source === undefined
        ? { decide: `what it is, under parameters, as ${name}: $response.body#/id.` }
        : write([...place, 'parameters'], { [name]: source })),
    }
  }
  if (requestBody !== undefined && !target.body)
    yield { place, message: `${target.id} takes no body.`, ...leaveOut([...place, 'requestBody']) }
  for (const value of [...Object.values(parameters), requestBody])
    if (typeof value === 'string' && value.startsWith('$')) {
      const fault = expressionFault(model, from, response, value)
      if (fault)
        yield {
          place,
          message: fault,
          decide: 'what is taken: $request.path.NAME, $response.header.NAME or $response.body#/NAME.',
        }
    }
}

/** Returns the source of a parameter's value: the same parameter, or the property of the reply with its name. */
function sourceOf(
  model: Model,
  from: OperationModel,
  { content = {} }: Response,
  name: string,
): string | undefined {
  if (from.parameters.some(parameter => parameter.in === 'path' && parameter.name === name))
    return `$request.path.${name}`
  const has = (candidate: string) =>
    Object.values(content).some(({ schema }) => schema && hasPath(model, schema, [candidate]))
  const property = [name, 'id'].find(has)
  return property && `$response.body#/${property}`
}

/** Returns the fault in a runtime expression (OpenAPI 3.0.3, 4.7.20.4). */
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
      ? parameters.some(parameter => parameter.in === place && parameter.name === name)
      : place === 'header' &&
        Object.keys(headers).some(candidate => candidate.toLowerCase() === name.toLowerCase())
  return isKnown
    ? undefined
    : `${expression}: ${side === 'request' ? id : 'the response'} has no such ${place}${place === 'header' ? '' : ' parameter'}.`
}

/** Whether values of a schema have something at the end of a way. */
function hasPath(model: Model, schema: Schema | Reference, [first, ...rest]: readonly string[]): boolean {
  if (first === undefined) return true
  return partsOf(model, schema).some(({ properties = {}, items, oneOf: choices = [], anyOf = [] }) => {
    const next = Object.hasOwn(properties, first)
      ? properties[first]
      : /^\d+$/.test(first)
        ? items
        : undefined
    return (
      (next && hasPath(model, next, rest)) ||
      [...choices, ...anyOf].some(candidate => hasPath(model, candidate, [first, ...rest]))
    )
  })
}

/** The operation that a reference to one leads to. */
function operationAt(model: Model, reference: string): OperationModel | undefined {
  const path = reference.startsWith('#') ? pathOf(reference.slice(1)) : undefined
  return model.operations.find(({ place }) => place.join('\0') === path?.join('\0'))
}
