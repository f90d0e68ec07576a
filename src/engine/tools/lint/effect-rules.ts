import { isEngineCode } from 'spec-served/internal/errors/refusals'
import {
  codesOf,
  type Model,
  type OperationModel,
  partsOf,
  responseFor,
  valuesIn,
} from 'spec-served-document/model'
import { isObject } from 'spec-served-document/pointer'
import type { Reference, Response, Schema } from 'spec-served-document/types'
import { responsePlace } from './usual.ts'
import { leaveOut, oneOf, type ProjectRule, superfluous, type Violation } from './violation.ts'

/**
 * The rules for the effects of a request on records, besides what its body says. Each name in an effect must be one
 * of the document. Effects must name each refusal of the business.
 */
export const effectRules: Record<string, ProjectRule> = {
  *effects(model) {
    for (const operation of model.operations) {
      const effects: unknown = 'x-effects' in operation.operation ? operation.operation['x-effects'] : []
      const place = [...operation.place, 'x-effects']
      if (!Array.isArray(effects))
        yield {
          place,
          message: 'x-effects is a list.',
          mend: [{ place, value: isObject(effects) ? [effects] : [] }],
        }
      else
        for (const [index, effect] of effects.entries())
          yield* faultsIn(model, operation, effect, [...place, String(index)])
    }
  },

  *'described-effects'(model) {
    for (const located of model.operations) {
      const { description = '' } = located.operation
      const named = new Set<unknown>([...description.matchAll(/`([^`]+)`/g)].map(([, text]) => text))
      const become = [...description.matchAll(/\bbecomes? `([^`]+)`/g)].map(([, text = '']) => text)
      for (const [name, { values, made }] of madeBy(model, located)) {
        const wrong = become.find(text => values.has(text) && !made.has(text))
        const unnamed = [...made].find(text => !named.has(text))
        const isNamed = [...values].some(text => named.has(text))
        if (wrong !== undefined || (isNamed && unnamed !== undefined))
          yield {
            place: [...located.place, 'description'],
            message:
              wrong === undefined
                ? `An effect makes ${name} \`${unnamed}\`, which the text does not say.`
                : `The text says that something becomes \`${wrong}\`, and no effect makes ${name} that.`,
            decide: 'which of them is right, and write it in both.',
          }
      }
    }
  },

  *'told-refusals'(model) {
    if (!model.operations.some(operation => effectsOf(operation).length > 0)) return
    for (const operation of model.operations)
      for (const [status, response] of operation.responses) {
        const untold = status === '409' ? untoldCodes(operation, response) : []
        const place = responsePlace(model, operation, status)
        if (untold.length > 0)
          yield {
            place,
            message: `Nothing says when ${operation.id} is refused with ${untold.join(', ')}.`,
            decide:
              'an effect with `otherwise`, or x-further-rule: true beside x-codes where only its description can say it.',
          }
      }
  },
}

/** The effects of an operation, of whatever form. */
export const effectsOf = ({ operation }: OperationModel): readonly unknown[] =>
  'x-effects' in operation && Array.isArray(operation['x-effects']) ? operation['x-effects'] : []

/** The enumerated properties that an operation's effects give a value, with the values they may have and those it gives. */
function madeBy(model: Model, operation: OperationModel) {
  const found = new Map<string, { values: Set<unknown>; made: Set<string> }>()
  for (const effect of effectsOf(operation)) {
    if (!isObject(effect) || !isObject(effect.of) || !isObject(effect.becomes)) continue
    const [parameter = ''] = Object.keys(effect.of)
    for (const [name, value] of Object.entries(effect.becomes)) {
      const parts = shownOf(model, parameter).get(name) ?? []
      const values = new Set(parts.flatMap(part => valuesIn(part) ?? []))
      if (typeof value !== 'string' || !values.has(value)) continue
      const { made } = found.get(name) ?? { made: new Set() }
      found.set(name, { values, made: made.add(value) })
    }
  }
  return found
}

/** The codes of a refusal that neither the engine, an effect nor the description explains. */
function untoldCodes(operation: OperationModel, response: Response): string[] {
  if ('x-further-rule' in response && response['x-further-rule'] === true) return []
  const codes = new Set(effectsOf(operation).map(effect => isObject(effect) && effect.otherwise))
  return codesOf(response).filter(code => !isEngineCode(code) && !codes.has(code))
}

const parts = new Set(['of', 'when', 'needs', 'without', 'otherwise', 'unless', 'becomes'])

function* faultsIn(
  model: Model,
  operation: OperationModel,
  effect: unknown,
  place: readonly string[],
): Generator<Violation> {
  if (
    !isObject(effect) ||
    !isObject(effect.of) ||
    !isObject(effect.becomes ?? effect.needs ?? effect.without)
  ) {
    yield {
      place,
      message:
        'An effect says `of` which record it is, and what it `becomes`, `needs` to be or must be `without`.',
      decide: 'all three, as { of: { petId: path.petId }, becomes: { status: sold } }.',
    }
    return
  }
  for (const name of Object.keys(effect))
    if (!parts.has(name)) yield superfluous([...place, name], `An effect has no ${name}.`)
  const [[parameter = '', operand] = [], ...others] = Object.entries(effect.of)
  const shown = shownOf(model, parameter)
  if (others.length > 0 || shown.size === 0)
    yield {
      place: [...place, 'of'],
      message: 'An effect is of one path parameter by which records are read.',
      decide: `which, of ${recordsOf(model).join(', ')}, as of: { petId: path.petId }.`,
    }
  const [when, needs, becomes] = [effect.when, effect.needs, effect.becomes].map(part =>
    isObject(part) ? part : {},
  )
  const allowed = {
    body: bodyOf(model, operation),
    path: new Set(operation.parameters.filter(candidate => candidate.in === 'path').map(({ name }) => name)),
    before: shownOf(model, /\{(\w+)\}/.exec(operation.path)?.[1] ?? ''),
    reply: repliedBy(model, operation),
  }
  const fault = (value: unknown): string | undefined => {
    if (isObject(value)) return Object.values(value).map(fault).find(Boolean)
    const [, source, name = ''] = /^(body|path|before|reply)\.(.+)$/.exec(String(value)) ?? []
    const isKnown = !source || allowed[source as keyof typeof allowed].has(name) // of those that the pattern has
    return isKnown ? undefined : `There is no ${value}.`
  }
  const { otherwise } = effect
  const isRefused = [...operation.responses.values()].some(response =>
    codesOf(response).some(code => code === otherwise),
  )
  if (otherwise !== undefined && !isRefused)
    yield {
      place: [...place, 'otherwise'],
      message: `No response of the operation names the code ${otherwise}.`,
      ...oneOf(
        [...place, 'otherwise'],
        otherwise,
        [...operation.responses.values()].flatMap(codesOf),
        'declare a refusal that has it.',
      ),
    }
  const queries: unknown[] = []
  for (const part of ['unless', 'without']) {
    const partValue = effect[part]
    if (partValue === undefined) continue
    const list = isObject(partValue) ? model.operation(String(partValue.list)) : undefined
    if (!list)
      yield {
        place: [...place, part],
        message: `\`${part}\` names an operation as its list.`,
        ...oneOf(
          [...place, part, 'list'],
          isObject(partValue) ? partValue.list : '',
          model.operations.filter(({ method }) => method === 'GET').map(({ id }) => id),
          'add one.',
        ),
      }
    const query = isObject(partValue) && isObject(partValue.with) ? partValue.with : {}
    queries.push(query)
    for (const name of Object.keys(query))
      if (!list?.parameters.some(candidate => candidate.in === 'query' && candidate.name === name))
        yield superfluous(
          [...place, part, 'with', name],
          `${list?.id ?? 'The list'} has no parameter ${name}.`,
        )
  }
  for (const value of [operand, effect.when, ...queries, effect.becomes, ...Object.keys({ ...when })]) {
    const message = fault(value)
    if (message)
      yield {
        place,
        message,
        decide:
          'what is taken: a property of body, before or reply, or a parameter of the path, as body.quantity.',
      }
  }
  for (const name of Object.keys({ ...becomes, ...needs }))
    if (!shown.has(name))
      yield {
        place: [...place, 'becomes', name],
        message: `No operation shows ${name} of {${parameter}}.`,
        ...leaveOut([...place, name in { ...becomes } ? 'becomes' : 'needs', name]),
      }
}

/** The path parameters by which records are read. */
const recordsOf = ({ operations }: Model) =>
  operations.flatMap(({ method, path }) => (method === 'GET' ? (/\/(\{\w+\})$/.exec(path)?.[1] ?? []) : []))

/** The properties that operations show of the records that a path parameter names, with the parts of their schemas. */
function shownOf(model: Model, parameter: string): Map<string, Schema[]> {
  const readers = model.operations.filter(
    ({ method, path }) => method === 'GET' && path.endsWith(`/{${parameter}}`),
  )
  const properties = readers
    .flatMap(reader => Object.values(responseFor(reader, 200)?.content ?? {}))
    .flatMap(({ schema }) => (schema ? partsOf(model, schema) : []))
    .flatMap(part => Object.entries(part.properties ?? {}))
  return new Map(properties.map(([name, property]) => [name, partsOf(model, property)]))
}

/** The properties of an operation's successes. */
const repliedBy = (model: Model, { responses }: OperationModel) =>
  new Set(
    [...responses]
      .filter(([status]) => status.startsWith('2'))
      .flatMap(([, { content = {} }]) => Object.values(content))
      .flatMap(({ schema }) => propertiesOf(model, schema)),
  )

const bodyOf = (model: Model, { body }: OperationModel) =>
  new Set(Object.values(body?.content ?? {}).flatMap(({ schema }) => propertiesOf(model, schema)))

const propertiesOf = (model: Model, schema: Schema | Reference | undefined) =>
  (schema ? partsOf(model, schema) : []).flatMap(({ properties = {} }) => Object.keys(properties))
