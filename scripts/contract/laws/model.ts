import { isObject } from '../../../src/document/pointer.ts'
import { changedByUse, codeIn, fields, identifier } from '../conventions.ts'
import type { Endpoint, Interface } from '../interface.ts'
import { shapeOf, shapeOfSuccess } from '../interface.ts'
import type { Draft } from '../requests.ts'
import type { WireReply } from '../wire.ts'
import {
  type Effect,
  effectsOf,
  holds,
  type List,
  operandOf,
  type Scope,
  type State,
  stateAfter,
  stateFaults,
} from './effects.ts'

/** One record of those that a path parameter names. */
interface Named {
  parameter: string
  id: unknown
}

/** The records that a write may touch, as they were before it. */
export interface Before {
  scope: Scope
  effects: readonly Effect[]
  /** those of them whose needs were not met */
  lacking: ReadonlySet<Effect>
  records: ReadonlyMap<string, Named & { state: State }>
  /** what was wrong by then */
  early: readonly string[]
}

/** Foretells what a write does to records by its body and the document's `x-effects`, and holds the service to it. */
export interface RecordModel {
  before(endpoint: Endpoint, draft: Draft): Promise<Before>
  /** What is otherwise than foretold after a write that has succeeded. */
  faults(endpoint: Endpoint, before: Before, reply: WireReply): AsyncGenerator<string>
  /** What is not so of a refusal, by the code that it has. */
  refusalFaults(before: Before, reply: WireReply): Generator<string>
}

/** @param read reads a URL, and takes up what of the reply contradicts what was read before */
export function createRecordModel(
  contract: Interface,
  read: (url: string, faults: string[]) => Promise<WireReply>,
): RecordModel {
  const { endpoints, makers, model } = contract

  /** A record with all properties that any operation shows of it; undefined where there is none. */
  async function stateOf({ parameter, id }: Named, faults: string[]): Promise<State | undefined> {
    const state: Record<string, unknown> = {}
    let isThere = false
    for (const { method, record, path, success } of endpoints) {
      if (method !== 'GET' || record !== parameter) continue
      const { status, body } = await read(
        path.replace(`{${parameter}}`, encodeURIComponent(String(id))),
        faults,
      )
      if (status !== success || !isObject(body)) continue
      isThere = true
      // What two operations show of one record is the same.
      const due = { ...body, ...Object.fromEntries(Object.entries(state).filter(([name]) => name in body)) }
      faults.push(...stateFaults(`{${parameter}} ${id}, by ${path},`, body, due, body))
      for (const [name, value] of Object.entries(body)) if (!changedByUse.has(name)) state[name] = value
    }
    return isThere ? state : undefined
  }

  /** The records that an object's properties name. */
  const namedIn = (endpoint: Endpoint, state: State): Named[] =>
    Object.entries(state).flatMap(([name, id]) => {
      const parameter = contract.referenceIn(endpoint, name)
      const isOther = parameter !== undefined && makers.has(parameter) && name !== identifier.one
      return isOther && /^(string|number)$/.test(typeof id) ? [{ parameter, id }] : []
    })

  const keyOf = ({ parameter, id }: Named) => `{${parameter}} ${id}`

  return {
    async before(endpoint, draft) {
      const path = draft.path
      const body = isObject(draft.body) ? draft.body : {}
      const early: string[] = []
      const records = new Map<string, Named & { state: State }>()
      const add = async (named: Named) => {
        const state = records.has(keyOf(named)) ? undefined : await stateOf(named, early)
        if (state) records.set(keyOf(named), { ...named, state })
        return state
      }
      const [[parameter, id] = []] = Object.entries(path)
      const own = parameter !== undefined && makers.has(parameter) ? await add({ parameter, id }) : undefined
      const scope: Scope = { body, path, before: own ?? {} }
      const effects = effectsOf(endpoint)
      for (const named of [...namedIn(endpoint, body), ...namedIn(endpoint, own ?? {})]) await add(named)
      for (const { of } of effects)
        for (const [parameter, operand] of Object.entries(of)) {
          const id = operandOf(operand, scope)
          if (id !== undefined) await add({ parameter, id })
        }
      const lacking = new Set<Effect>()
      for (const effect of effects) if (await isLacking(effect, scope, records)) lacking.add(effect)
      return { scope, effects, lacking, records, early }
    },

    *refusalFaults({ scope, effects, lacking, records }, reply) {
      const code = codeIn(reply.body)
      const own = effects.filter(({ otherwise }) => otherwise !== undefined && otherwise === code)
      if (own.length === 0 || own.some(effect => lacking.has(effect))) return
      const known = JSON.stringify([...records.values()].map(({ state }) => state))
      yield `it is refused with ${code}, and nothing that this code stands for is so: ${JSON.stringify(
        own.map(({ needs, without }) => needs ?? without),
      )} of ${known}, for ${JSON.stringify(scope.body)}`
    },

    async *faults(endpoint, { scope: earlier, effects, lacking, records: touched, early }, reply) {
      yield* early
      const isReplay = reply.headers[fields.replayed] === 'true'
      const scope = { ...earlier, ...(isObject(reply.body) && { reply: reply.body }) }
      for (const effect of isReplay ? [] : lacking)
        yield `it is taken, although ${JSON.stringify(effect.of)} lacks what it needs: ${JSON.stringify(effect.needs ?? effect.without)}`
      const records = new Map(touched)
      // What was just made was nothing before.
      for (const { of } of isReplay ? [] : effects)
        for (const [parameter, operand] of Object.entries(of))
          if (String(operand).startsWith('reply.')) {
            const named = { parameter, id: operandOf(operand, scope) }
            const state = named.id === undefined ? undefined : await stateOf(named, [])
            if (state) records.set(keyOf(named), { ...named, state })
          }
      for (const { parameter, id, state } of records.values()) {
        const mismatches: string[] = []
        const found = await stateOf({ parameter, id }, mismatches)
        yield* mismatches
        if (!found) continue // that it is gone is seen elsewhere
        let due: State = state
        for (const effect of isReplay ? [] : effects) {
          const [name = '', operand = null] = Object.entries(effect.of)[0] ?? []
          const isOf = name === parameter && String(operandOf(operand, scope)) === String(id)
          if (!isOf || !holds(effect.when ?? {}, state, scope)) continue
          if (effect.unless && (await isListed(effect.unless, scope))) continue
          due = stateAfter(effect, { ...state, ...due }, scope)
        }
        const isOwn = parameter in scope.path && String(scope.path[parameter]) === String(id)
        if (isOwn && !isReplay) due = withBody(endpoint, due, scope, effects)
        yield* stateFaults(`{${parameter}} ${id}`, state, due, found)
      }
    },
  }

  /** Whether a request lacks what an effect needs, as things are before it. */
  async function isLacking(effect: Effect, scope: Scope, records: Before['records']): Promise<boolean> {
    if (!effect.needs && !effect.without) return false
    const [[parameter = '', operand = null] = []] = Object.entries(effect.of)
    const id = operandOf(operand, scope)
    if (id === undefined) return false
    const state = records.get(keyOf({ parameter, id }))?.state
    // What is not there has no property that is needed; that it must be there is for the code to say.
    if (state && !holds(effect.when ?? {}, state, scope)) return false
    if (!state) return effect.needs !== undefined && effect.otherwise !== undefined
    if (effect.needs && !holds(effect.needs, state, scope)) return true
    return effect.without !== undefined && (await isListed(effect.without, scope))
  }

  async function isListed({ list, with: query }: List, scope: Scope): Promise<boolean> {
    const path = model.operation(list)?.path ?? ''
    const search = new URLSearchParams()
    for (const [name, operand] of Object.entries(query)) search.set(name, String(operandOf(operand, scope)))
    const { body } = await read(`${path}?${search}`, [])
    return Array.isArray(body) && body.length > 0
  }

  /** A record with what the body of a request says of it: a patch changes what it names, a replacement all (RFC 5789). */
  function withBody(endpoint: Endpoint, record: State, { body }: Scope, effects: readonly Effect[]): State {
    const shape = shapeOf(model, endpoint.request.properties.body ?? {})
    const due: Record<string, unknown> = { ...record }
    const spoken = new Set(effects.flatMap(({ becomes = {} }) => Object.keys(becomes)))
    for (const name of Object.keys(shape.properties ?? {})) {
      if (name in body) {
        if (body[name] === null) delete due[name]
        else if (name in record || isShown(endpoint, name)) due[name] = body[name]
      } else if (endpoint.method === 'PUT' && !spoken.has(name)) delete due[name]
    }
    return due
  }

  /** Whether the record that an operation changes has such a property. */
  function isShown({ record, path }: Endpoint, name: string): boolean {
    const reader = endpoints.find(
      other => other.method === 'GET' && other.record === record && other.path === path,
    )
    return reader !== undefined && name in (shapeOfSuccess(model, reader).properties ?? {})
  }
}
