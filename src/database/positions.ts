import { setImmediate, setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import type { OpenPool } from './pool.ts'

/** How long a server may take to say how far it is, in ms; a replica that takes longer is left out. */
const answerWithin = 500
/** The same where there is nobody else to ask, in ms. */
export const answerAtLast = 2_500

const ownTimeline = `substr(pg_walfile_name(pg_current_wal_insert_lsn()), 1, 8)`

const askPosition = sql<Answer>`
  select system_identifier::text || '/' || current_database() as origin, pg_is_in_recovery() as "isReplica",
    case when not pg_is_in_recovery() then ${sql.raw(ownTimeline)} end as timeline,
    pg_wal_lsn_diff(
      case when pg_is_in_recovery() then pg_last_wal_replay_lsn() else pg_current_wal_insert_lsn() end, '0/0'
    )::float8 as position
  from pg_control_system()`

/** The same of the primary alone, to travel with other reads. */
export const ownPosition = {
  statement: {
    text: `
      select ${ownTimeline} as timeline, pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::float8 as position`,
    values: [],
  },
  facts: { isRead: true, isWrite: false, cost: 0.1, slowUntil: 0 },
}

/** What a server says of itself. */
export interface Answer {
  /** the cluster that it belongs to, and the database */
  origin: string
  isReplica: boolean
  /** of a primary: grows when one takes over, and its log goes on as another one's than that of the last */
  timeline: string | null
  /** how far a replica has replayed the log, and a primary has written it, in bytes */
  position: number | null
}

/**
 * What a server answers within its time; else its connection is broken off, as nobody knows when it would.
 * @param connectWithin the time that it has where there is no connection yet, in ms
 * @param isNeeded asked when its time is up: whether it is given more, as there is nobody else
 */
export async function answered(
  asking: OpenPool,
  connectWithin: number,
  isNeeded: () => boolean = () => false,
): Promise<Answer | Error> {
  const inTime = asking.state().open > 0 ? answerWithin : connectWithin
  let answer: Answer | Error | undefined
  const asked = askPosition
    .execute(asking.db)
    .then(({ rows: [row] }) => row ?? new Error('It has no answer'))
    .catch((error: unknown) => (error instanceof Error ? error : new Error(String(error))))
    .then(given => {
      answer = given
    })
  const timer = new AbortController()
  const orAfter = (ms: number) =>
    Promise.race([asked, sleep(ms, undefined, { signal: timer.signal }).catch(() => {})])
  await orAfter(inTime)
  // After a pause of this process the answer may be here, unread; it will be read before this runs.
  if (!answer) await setImmediate()
  if (!answer && isNeeded()) await orAfter(answerAtLast - inTime)
  timer.abort()
  if (answer) return answer
  asking.breakOff()
  return new Error(`it has not answered within ${inTime} ms`)
}
