import fc from 'fast-check'
import { isObject } from 'spec-served-document/pointer'
import type { Endpoint } from '../records/interface.ts'
import type { Draft } from '../records/messages.ts'
import { candidatesFor, leavesRecords } from './candidates.ts'
import { learn, learntAt, type Values } from './learnt.ts'
import { findPreparation } from './preparing.ts'
import type { Session } from './session.ts'
import { inOrder } from './spans.ts'
import { LeftOut, Unreachable } from './summary.ts'
import { Reference } from './values.ts'

/*
 * Rules of a business that no schema says refuse most requests: a text that names a record, a day that is not to come, a
 * number that is large enough. Which values a service takes is found by trial, as its refusals lead.
 */

/** How many requests are tried for an operation, how often, how many changes of one lead on, and how many are sent after it. */
const most = { requests: 60, looks: 4, changes: 6, again: 4 }

/** how often each operation was looked at */
const looks = new WeakMap<Endpoint, number>()

/**
 * Looks for a request that an operation takes, where it refuses what its schemas allow: for values, and for states of the
 * records that it is about. Each change that leads to another refusal is kept.
 * @returns whether a request was taken
 */
export async function reach(session: Session, endpoint: Endpoint): Promise<boolean> {
  const count = (looks.get(endpoint) ?? 0) + 1
  if (count > most.looks) return false
  looks.set(endpoint, most.looks)
  const { contract } = session
  const base = session.simple(endpoint)
  const changes = new Map<string, Values>()
  const seen = new Set<string>()
  let left = most.requests
  const ask = async (key?: string, values?: Values): Promise<Answer> => {
    left--
    if (key !== undefined && values) changes.set(key, values)
    const { reply } = await session
      .quietly(() =>
        session.exchange(
          endpoint,
          inOrder(contract, endpoint, withLearnt(base, changes, session.seed + left), true),
        ),
      )
      .catch((error: unknown) => {
        if (!(error instanceof Unreachable) && !(error instanceof LeftOut)) throw error
        return { reply: { status: 0, text: error.message } }
      })
    return reply
  }
  const isNews = ({ status, text }: Answer) =>
    status > 0 && (status < 300 || (status < 500 && status !== 404 && !seen.has(kindOf(status, text))))

  /** Tries values at one place after the other, until one leads to another reply. */
  async function byValues({ text }: Answer): Promise<Answer | undefined> {
    for (const { of, key, values } of await candidatesFor(session, endpoint, text)) {
      if (left <= 0) return undefined
      const before = learntAt(of, key.split('/'))
      const own = changes.get(key)
      learn(of, key, values)
      const answer = await (of === endpoint ? ask(key, values) : ask())
      if (isNews(answer)) return answer
      learn(of, key, before)
      if (of === endpoint) {
        if (own) changes.set(key, own)
        else changes.delete(key)
      }
    }
    return undefined
  }

  let now = await ask()
  for (let change = 0; change < most.changes && now.status >= 300; change++) {
    seen.add(kindOf(now.status, now.text))
    const byState = () => findPreparation(session, endpoint, isNews, step => reach(session, step))
    const ways = now.status === 409 ? [byState, byValues] : [byValues, byState]
    let next: Answer | undefined
    for (const way of ways) next ??= await way(now)
    if (!next) break
    now = next
  }
  const isTaken = now.status > 0 && now.status < 300
  // A request that was taken at once shows nothing of what others lack.
  if (isTaken && seen.size === 0) looks.set(endpoint, count)
  if (isTaken && changes.size > 0 && !(await isTakenAgain(session, endpoint))) {
    for (const key of changes.keys()) learn(endpoint, key, undefined)
    return false
  }
  if (isTaken) for (const [key, values] of changes) shareName(session, endpoint, key, values)
  return isTaken
}

/** Whether what was found is taken more than once: a name may be taken once alone. */
async function isTakenAgain(session: Session, endpoint: Endpoint): Promise<boolean> {
  for (let attempt = 0; attempt < most.again; attempt++) {
    const { reply } = await session.quietly(() => session.exchange(endpoint, session.simple(endpoint)))
    if (reply.status < 300) return true
  }
  return false
}

/** Operations below one record take its name alike. */
function shareName({ contract }: Session, endpoint: Endpoint, key: string, values: Values): void {
  const [part, name = ''] = key.split('/')
  const prefix = endpoint.path.slice(0, endpoint.path.indexOf(`{${name}}`) + name.length + 2)
  for (const other of part === 'path' ? contract.endpoints : [])
    if (
      other.path.startsWith(prefix) &&
      leavesRecords(contract, other) &&
      !learntAt(other, [part ?? '', name])
    )
      learn(other, key, values)
}

/** The reply to a request; 0 for one that can't be sent, as the records that it names can't be made. */
interface Answer {
  status: number
  text: string
}

/** A request with values at some of its places. */
function withLearnt(draft: Draft, values: ReadonlyMap<string, Values>, seed: number): Draft {
  const put = (node: unknown, [name, ...rest]: readonly string[], value: unknown): unknown => {
    if (name === undefined) return value
    if (name === '*') return (Array.isArray(node) ? node : [undefined]).map(item => put(item, rest, value))
    const holder = isObject(node) && !(node instanceof Reference) ? node : {}
    return { ...holder, [name]: put(holder[name], rest, value) }
  }
  let changed: unknown = draft
  for (const [key, arbitrary] of values)
    changed = put(changed, key.split('/'), fc.sample(arbitrary, { seed, numRuns: 1 })[0])
  return changed as Draft // of the parts of one
}

/** The text of a refusal, whatever values it repeats. */
const kindOf = (status: number, text: string) =>
  `${status} ${text.replaceAll(/"(?:input|value)":\s*(?:"(?:[^"\\]|\\.)*"|[^,}]*)/g, '').replaceAll(/[\w-]*\d[\w.:+-]*/g, '#')}`
