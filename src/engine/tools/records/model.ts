import { isObject } from 'spec-served-document/pointer'
import { changedByUse, codeIn, fields, identifier } from './conventions.ts'
import {
  conditionsHold,
  type Effect,
  effectsOf,
  type List,
  operandOf,
  type Scope,
  type State,
  stateAfter,
  stateFaults,
} from './effects.ts'
import { type Endpoint, type Interface, recordUrl } from './interface.ts'
import type { Draft, WireReply } from './messages.ts'

/** One record of those that a path parameter names. */
export interface Named {
  parameter: string
  id: unknown
}

/** The replies that were read, by URL. */
export type Seen = ReadonlyMap<string, WireReply>

/** The records that a write may touch, as they were before it. */
export interface Before {
  scope: Scope
  named: readonly Named[]
  seen: Seen
  /** the effects whose needs were not met */
  lacking: ReadonlySet<Effect>
}

/** Combines a record from all operations that show it. */
export function createRecordModel(contract: Interface, read: (url: string) => Promise<WireReply>) {
  const { model } = contract

  /**
   * A record with all properties that any operation shows of it; undefined where there is none.
   * @param contradictions takes up where two operations show one property otherwise
   */
  function stateIn(seen: Seen, { parameter, id }: Named, contradictions: string[] = []): State | undefined {
    let state: State | undefined
    for (const reader of contract.readers(parameter)) {
      const { status, body } = seen.get(recordUrl(reader, id)) ?? {}
      if (status !== reader.success || !isObject(body)) continue
      const due = {
        ...body,
        ...Object.fromEntries(Object.entries(state ?? {}).filter(([name]) => name in body)),
      }
      contradictions.push(...stateFaults(`{${parameter}} ${id}, by ${reader.path},`, body, due, body))
      const lasting = Object.entries(body).filter(([name]) => !changedByUse.has(name))
      state = { ...state, ...Object.fromEntries(lasting) }
    }
    return state
  }

  /** The records that an object's properties name. */
  const namedIn = (endpoint: Endpoint, state: object): Named[] =>
    Object.entries(state).flatMap(([name, id]) => {
      const parameter = contract.referenceIn(endpoint, name)
      return parameter !== undefined && /^(string|number)$/.test(typeof id) ? [{ parameter, id }] : []
    })

  /** The records that a request names. */
  const namedBy = (endpoint: Endpoint, { path, body }: Draft) =>
    namedIn(endpoint, { ...path, ...(isObject(body) && body) })

  /** The records that effects name, as far as operands are known. */
  const namedByEffects = (endpoint: Endpoint, scope: Scope): Named[] =>
    effectsOf(endpoint)
      .flatMap(({ of }) => Object.entries(of))
      .map(([parameter, operand]) => ({ parameter, id: operandOf(operand, scope) }))
      .filter(({ id }) => id !== undefined)

  /** @param look reads records at all their URLs */
  async function before(
    endpoint: Endpoint,
    draft: Draft,
    look: (named: readonly Named[]) => Promise<Seen>,
  ): Promise<Before> {
    const body = isObject(draft.body) ? draft.body : {}
    const first = namedBy(endpoint, draft)
    const [[parameter = '', id] = []] = Object.entries(draft.path)
    const seen = await look(first)
    const state = stateIn(seen, { parameter, id }) ?? {}
    const scope: Scope = { body, path: draft.path, before: state }
    const { [identifier.one]: _, ...others } = state
    const more = [...namedIn(endpoint, others), ...namedByEffects(endpoint, scope)]
    const all = new Map([...seen, ...(await look(more))])
    const lacking = new Set<Effect>()
    for (const effect of effectsOf(endpoint)) if (await isLacking(effect, scope, all)) lacking.add(effect)
    return { scope, named: [...first, ...more], seen: all, lacking }
  }

  /** Yields the claims of a refusal's code that are not true. */
  function* refusalFaults(endpoint: Endpoint, { scope, lacking, seen }: Before, reply: WireReply) {
    const code = codeIn(reply.body)
    const effects = effectsOf(endpoint).filter(
      ({ otherwise }) => otherwise !== undefined && otherwise === code,
    )
    if (effects.length === 0 || effects.some(effect => lacking.has(effect))) return
    const needs = effects.map(effect => effect.needs ?? effect.without)
    yield `it is refused with ${code}, and nothing that this code stands for is so: ${JSON.stringify(needs)} of ${JSON.stringify(
      [...seen.values()].map(({ body }) => body),
    )}, for ${JSON.stringify(scope.body)}`
  }

  /** Yields deviations from the foretold state of the records that a successful write may have touched. */
  async function* faults(
    endpoint: Endpoint,
    { scope: earlier, named, seen, lacking }: Before,
    reply: WireReply,
    look: (named: readonly Named[]) => Promise<Seen>,
  ): AsyncGenerator<string> {
    const effects = reply.headers[fields.replayed] === 'true' ? [] : effectsOf(endpoint)
    for (const effect of effects.filter(candidate => lacking.has(candidate)))
      yield `it is taken, although ${JSON.stringify(effect.of)} lacks what it needs: ${JSON.stringify(effect.needs ?? effect.without)}`
    const scope = { ...earlier, ...(isObject(reply.body) && { reply: reply.body }) }
    const touched = [...named, ...(effects.length > 0 ? namedByEffects(endpoint, scope) : [])]
    const byName = new Map(touched.map(item => [`{${item.parameter}} ${item.id}`, item]))
    const after = await look([...byName.values()])
    for (const [name, record] of byName) {
      const mismatches: string[] = []
      const found = stateIn(after, record, mismatches)
      yield* mismatches
      if (!found) continue // that it is gone is seen elsewhere
      const was = stateIn(seen, record) ?? found // what was just made was nothing before
      const due = await dueAfter(endpoint, record, was, scope, reply.headers[fields.replayed] === 'true')
      yield* stateFaults(name, was, due, found)
    }
  }

  /** Returns the state of a record after a successful request, by the effects in the document and the body. */
  async function dueAfter(endpoint: Endpoint, record: Named, was: State, scope: Scope, isReplay = false) {
    let due = was
    for (const effect of isReplay ? [] : effectsOf(endpoint)) {
      const [parameter = '', operand = null] = Object.entries(effect.of)[0] ?? []
      const isOf = parameter === record.parameter && String(operandOf(operand, scope)) === String(record.id)
      if (!isOf || !conditionsHold(effect.when ?? {}, was, scope)) continue
      if (effect.unless && (await isListed(effect.unless, scope))) continue
      due = stateAfter(effect, due, scope)
    }
    const isOwn = String(scope.path[record.parameter]) === String(record.id)
    return isOwn && !isReplay ? withBody(endpoint, due, scope) : due
  }

  /** Whether a request lacks what an effect needs, as things are before it. */
  async function isLacking(effect: Effect, scope: Scope, seen: Seen): Promise<boolean> {
    const { needs, without, when = {}, otherwise, of } = effect
    const [[parameter = '', operand = null] = []] = Object.entries(of)
    const id = operandOf(operand, scope)
    if (id === undefined) return false
    const state = stateIn(seen, { parameter, id })
    // A missing record has no property that is needed. The code says that the record must exist.
    if (!state) return needs !== undefined && otherwise !== undefined
    if (!conditionsHold(when, state, scope)) return false
    if (needs && !conditionsHold(needs, state, scope)) return true
    return without !== undefined && (await isListed(without, scope))
  }

  async function isListed({ list, with: query }: List, scope: Scope): Promise<boolean> {
    const search = new URLSearchParams()
    for (const [name, operand] of Object.entries(query)) search.set(name, String(operandOf(operand, scope)))
    const { body } = await read(`${model.operation(list)?.path}?${search}`)
    return Array.isArray(body) && body.length > 0
  }

  /** A record after a request: a patch changes the properties in its body, a replacement all (RFC 5789). */
  function withBody(endpoint: Endpoint, record: State, { body }: Scope): State {
    const { properties = {} } = endpoint.takes
    const due: Record<string, unknown> = { ...record }
    const spoken = new Set(effectsOf(endpoint).flatMap(({ becomes = {} }) => Object.keys(becomes)))
    const { gives } = contract.endpointFor('GET', endpoint.path) ?? endpoint
    const shown = gives.properties ?? {}
    for (const name of Object.keys(properties)) {
      // The path names the record, whatever its body says.
      if (name === identifier.one || name === endpoint.record) continue
      if (name in body) {
        if (body[name] === null) delete due[name]
        else if (name in record || name in shown) due[name] = body[name]
      } else if (endpoint.method === 'PUT' && !spoken.has(name)) delete due[name]
    }
    return due
  }

  return { namedBy, namedByEffects, before, dueAfter, refusalFaults, faults }
}
