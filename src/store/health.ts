import { sql } from 'kysely'
import type { Db } from '../database/tables.ts'
import type { DependencyState } from '../engine/context.ts'
import { within } from '../engine/within.ts'

/** Longest wait for a sign of life, in ms. */
const answerWithin = 1_000

/** Asks the database for a sign of life; answers within a second and never throws. */
export type HealthCheck = () => Promise<DependencyState>

/**
 * One question at a time: whoever asks meanwhile shares its answer, and a question that hangs is not repeated, so that
 * a flood costs little. After a failure the connections of `db` must have shown life before all is well: they may hang
 * although a new one works.
 * @param probe reaches the database whatever `db` waits for
 */
export function createHealthCheck(probe: Db, db: Db): HealthCheck {
  let question: { until: number; isAnswered: Promise<boolean> } | undefined
  let isDoubtful = false

  async function ask(): Promise<boolean> {
    try {
      await sql`select 1`.execute(probe)
      if (isDoubtful) await sql`select 1`.execute(db)
      isDoubtful = false
      return true
    } catch {
      isDoubtful = true
      return false
    } finally {
      question = undefined
    }
  }

  return async () => {
    question ??= { until: performance.now() + answerWithin, isAnswered: ask() }
    const { until, isAnswered } = question
    return (await within(until - performance.now(), isAnswered, false))
      ? { name: 'database', status: 'ok' }
      : { name: 'database', status: 'unavailable', message: 'The database does not answer.' }
  }
}
