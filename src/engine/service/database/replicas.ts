import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Log } from '../runtime/batch-writer.ts'
import { Statement } from './connections.ts'
import { causeOf } from './failures.ts'
import { mostLag, silentAfter, standingOf, watermarks } from './lag.ts'
import { type OpenPool, openPool, type PostgresPlace } from './pool.ts'
import type { Database } from './tables.ts'

/** How often a server is asked for its position, in ms. */
const askEvery = 100
/** A server that takes longer to report its position is left out, in ms. */
const answerWithin = 500
/** Longest wait of a read for a connection to a replica, in ms. */
const connectWithin = 1_000

export type Replicas = ReturnType<typeof openReplicas>

/** A server's answer about itself. */
interface Answer {
  /** its cluster and database */
  origin: string
  isReplica: boolean
  /** the timeline of a primary, which grows when another one takes over */
  timeline: string | null
  /** the log that a replica has replayed, or a primary has written, in bytes */
  position: number | null
}

const timeline = `substr(pg_walfile_name(pg_current_wal_insert_lsn()), 1, 8)`
const ownPosition = `
  select ${timeline} as timeline, pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::float8 as position`
const ask = sql<Answer>`
  select system_identifier::text || '/' || current_database() as origin, pg_is_in_recovery() as "isReplica",
    case when not pg_is_in_recovery() then ${sql.raw(timeline)} end as timeline,
    pg_wal_lsn_diff(
      case when pg_is_in_recovery() then pg_last_wal_replay_lsn() else pg_current_wal_insert_lsn() end, '0/0'
    )::float8 as position
  from pg_control_system()`

async function answerOf({ db }: OpenPool): Promise<Answer | Error> {
  const asked = ask.execute(db).catch((error: unknown) => ({ rows: [causeOf(error) as Error] })) // pg throws Errors
  return (await asked).rows[0] ?? new Error('it has no answer')
}

/** Follows replicas. Each is asked for its position all the time, and left out while it is gone, hangs or is late. */
export function openReplicas(primary: OpenPool, place: PostgresPlace, urls: readonly string[], log: Log) {
  const marks = watermarks()
  const closing = new AbortController()
  const begun = performance.now()
  const reads = { replica: 0, primary: 0, repeated: 0 }
  const openAsking = (url: string) =>
    openPool({ ...place, url, poolSize: 1, statementTimeoutMs: answerWithin }, () => {}, {
      mayBeReplica: true,
      more: { query_timeout: answerWithin },
    })
  const askingPrimary = openAsking(place.url)
  const isSilent = () => performance.now() - marks.lastAt() > silentAfter
  let origin: string | undefined
  let ownTimeline: string | null | undefined
  let next = 0

  /** the last logged reason why each is left out; null: reads use it */
  const logged = new Map<Replica, string | null>()
  type Replica = (typeof replicas)[number]
  const replicas = urls.map((url, index) => {
    const connectTimeoutMs = Math.min(place.connectTimeoutMs, connectWithin)
    const connections = openPool({ ...place, url, connectTimeoutMs }, () => {}, { mayBeReplica: true })
    return {
      /** the name in the log, because its URL may hold a password */
      name: `Replica ${index + 1}`,
      connections,
      /** the connection that asks for its position */
      asking: openAsking(url),
      /** the database whose reads it runs; the primary runs those that fail there */
      db: primary.readBy(async statement => {
        try {
          return await connections.runRead(statement)
        } catch {
          reads.repeated++
          return primary.runRead(statement)
        }
      }),
      standing: standingOf(marks),
    }
  })

  async function followPrimary(): Promise<void> {
    const askedAt = performance.now()
    const answer = await answerOf(askingPrimary)
    if (answer instanceof Error || answer.isReplica || answer.position === null) return
    origin = answer.origin
    followTimeline(answer.timeline, answer.position)
    marks.add(askedAt, answer.position)
  }

  /** A new primary goes on from the end of its own log. A replica may have more of the former primary's. */
  function followTimeline(now: string | null, position: number): void {
    if (ownTimeline !== undefined && now !== ownTimeline)
      for (const { standing } of replicas) standing.doubt(position)
    ownTimeline = now
  }

  async function follow(replica: Replica): Promise<void> {
    const answer = await answerOf(replica.asking)
    const fault = faultOf(answer)
    if (answer instanceof Error) replica.connections.breakOff() // its waiting reads fail, and run on the primary
    if (fault !== undefined || answer instanceof Error || answer.position === null) replica.standing.leave()
    else replica.standing.reached(answer.position)
    logChange(replica, fault)
  }

  function faultOf(answer: Answer | Error): string | undefined {
    if (answer instanceof Error) return answer.message
    if (origin !== undefined && answer.origin !== origin) return 'it is of another database'
    if (!answer.isReplica && !isNewPrimary(answer)) return 'it is no replica'
    return undefined
  }

  /** Whether a server took over from a primary that is gone, while DATABASE_URL does not lead to it yet. */
  const isNewPrimary = ({ timeline: answered }: Answer): boolean =>
    isSilent() && !!ownTimeline && answered !== null && answered > ownTimeline

  function logChange(replica: Replica, fault: string | undefined): void {
    const isIn = replica.standing.isFresh()
    const reason = isIn ? null : (fault ?? `it is more than ${mostLag / 1_000} s late`)
    if (closing.signal.aborted || reason === logged.get(replica)) return
    // At first the position of the primary may be unknown.
    if (!isIn && !fault && performance.now() - begun < mostLag) return
    logged.set(replica, reason)
    if (isIn) log.info(`${replica.name} is read from.`)
    else log.warn({ reason }, `${replica.name} is left out: the primary is read from until it is back.`)
  }

  async function untilClosed(work: () => Promise<void>): Promise<void> {
    while (!closing.signal.aborted) {
      await work()
      await sleep(askEvery, undefined, { signal: closing.signal, ref: false }).catch(() => {})
    }
  }
  for (const replica of replicas) void untilClosed(() => follow(replica))
  void untilClosed(followPrimary)

  return {
    /** Returns the length of the primary's log in bytes, all commits included. @throws Error when it does not answer */
    async position(): Promise<number> {
      const { rows } = await primary.runRead(new Statement(ownPosition))
      const [row] = rows as Pick<Answer, 'timeline' | 'position'>[]
      if (!row?.position) throw new Error('The primary does not say its position')
      followTimeline(row.timeline, row.position)
      return row.position
    },
    /**
     * Returns a replica that has the log up to a position, else the primary, as a database for reads.
     * @param since the replica must have all commits before this moment (`performance.now`)
     */
    choose(position: number, since: number): Database {
      const turn = next++
      const replica = replicas
        .map((_, i) => replicas[(turn + i) % replicas.length])
        .find(each => each?.standing.has(position, since))
      reads[replica ? 'replica' : 'primary']++
      return replica?.db ?? primary.db
    },
    /** Returns reads by place (`repeated`: on the primary, after a replica failed), and replicas by use. */
    state() {
      const inUse = replicas.filter(({ standing }) => standing.isFresh()).length
      return { reads: { ...reads }, inUse, leftOut: replicas.length - inUse }
    },
    /** Closes all connections to replicas. */
    async close(): Promise<void> {
      closing.abort()
      const opened = [askingPrimary, ...replicas.flatMap(({ connections, asking }) => [connections, asking])]
      await Promise.all(opened.map(({ close }) => close()))
    },
  }
}
