import { setTimeout as sleep } from 'node:timers/promises'
import type { Answer, Send } from '../support/http.ts'

/** The results that callers have met. */
export interface Met {
  answered: number
  /** answers of another status than 200, or 201 to a POST, and requests without an answer, in words */
  failures: string[]
  /** the longest wait for an answer, in ms */
  longest: number
}

/** Callers who go on until they are told to end. */
export interface Calling {
  /** Returns the results so far. */
  met(): Met
  /** The same, from which on they count again. */
  take(): Met
  end(): Promise<Met>
}

type Call = readonly [method: 'GET' | 'POST', path: string, body?: unknown]

const nothing = (): Met => ({ answered: 0, failures: [], longest: 0 })

/**
 * Has each caller send one request after the other.
 * @param callOf the call of a caller, from 0 on, in its turn, from 0 on
 * @param pauseMs between an answer and the next request
 */
export function keepCalling(
  callers: readonly Send[],
  callOf: (caller: number, turn: number) => Call,
  pauseMs = 0,
): Calling {
  let met = nothing()
  let isOver = false

  function note(answer: Answer | string, method: string, path: string): void {
    if (typeof answer === 'string') {
      met.failures.push(`${method} ${path}: ${answer}`)
      return
    }
    met.answered++
    met.longest = Math.max(met.longest, answer.took)
    if (answer.status !== (method === 'POST' ? 201 : 200))
      met.failures.push(`${method} ${path} was answered ${answer.status} ${answer.text}`)
  }

  const all = callers.map(async (send, caller) => {
    for (let turn = 0; !isOver; turn++) {
      const [method, path, body] = callOf(caller, turn)
      note(await send(method, path, { body }).catch((error: unknown) => String(error)), method, path)
      if (pauseMs > 0) await sleep(pauseMs)
    }
  })
  return {
    met: () => met,
    take() {
      const until = met
      met = nothing()
      return until
    },
    async end() {
      isOver = true
      await Promise.all(all)
      return met
    },
  }
}
