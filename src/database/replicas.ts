import { setTimeout as sleep } from 'node:timers/promises'
import { checkServer } from './check-server.ts'
import { mostLag, type Standing, silentAfter, standingOf, watermarks } from './lag.ts'
import { type OpenPool, openPool, type PostgresPlace } from './pool.ts'
import { type Answer, answerAtLast, answered, ownPosition } from './positions.ts'
import type { Runner } from './shared-statements.ts'
import type { Database } from './tables.ts'

/** How often a server is asked how far it is, in ms. */
const askEvery = 100
/** Longest wait of a read for a connection to a replica, in ms. */
const connectWithin = 1_000

/** What is told of replicas. */
export interface ReplicaLog {
  warn(details: object, message: string): void
  info(message: string): void
}

/** What replicas have done, and how many of them are used. */
export interface ReplicasState {
  /** reads that might go to a replica: those that did, those that did not, and those repeated elsewhere after one failed */
  reads: { replica: number; primary: number; repeated: number }
  inUse: number
  leftOut: number
}

/** Databases that follow the primary at a small distance, and are read from in its place. */
export interface Replicas {
  /**
   * How far the primary's log has come, in bytes. All that was committed before this is asked lies before it.
   * @throws Error when the primary does not answer
   */
  position(): Promise<number>
  /**
   * The database as it is read on a replica that is fit to answer, else on the primary; a read that fails there is
   * repeated elsewhere.
   * @param position what the replica must have of the log
   * @param since a moment (`performance.now`): what was committed before it, the replica must have
   */
  choose(position: number, since: number): Database
  state(): ReplicasState
  /** Closes all connections to replicas. */
  close(): Promise<void>
}

interface Replica {
  /** how it is called in the log: an address may tell too much */
  name: string
  connections: OpenPool
  /** the one by which it is asked how far it is */
  asking: OpenPool
  /** as it is read: what fails there runs on the primary */
  db: Database
  standing: Standing
  /** whether it was held against what is needed */
  isChecked: boolean
  /** why it is not read from, as was last told; null: it is; undefined: nothing was told */
  told: string | null | undefined
}

/**
 * Follows replicas from now on. They are asked all the time how far they are, so that a read costs no question; whoever
 * is gone, hangs or is late is left out, and taken in again by itself.
 * @param primary the connections to what they follow
 */
export function openReplicas(
  primary: OpenPool,
  place: PostgresPlace,
  urls: readonly string[],
  log: ReplicaLog,
): Replicas {
  const marks = watermarks()
  const closing = new AbortController()
  const begun = performance.now()
  const reads = { replica: 0, primary: 0, repeated: 0 }
  const alone = { poolSize: 1, statementTimeoutMs: answerAtLast }
  const askPrimary = openPool({ ...place, ...alone }, () => {})
  const isSilent = () => performance.now() - marks.lastAt() > silentAfter
  /**
   * Reads on the primary; once more where that fails at once although the primary answers: another has just taken over, and
   * the connection was one to the last.
   */
  const onPrimary: Runner = {
    run(statement, facts) {
      const begun = performance.now()
      return primary.reads.run(statement, facts).catch((error: unknown) => {
        if (isSilent() || performance.now() - begun > silentAfter) throw error
        return primary.reads.run(statement, facts)
      })
    },
  }
  const primaryDb = primary.readBy(onPrimary)
  let origin: string | undefined
  let timeline: string | undefined
  let next = 0

  const replicas = urls.map((url, index): Replica => {
    const connectTimeoutMs = Math.min(place.connectTimeoutMs, connectWithin)
    const connections = openPool({ ...place, url, connectTimeoutMs }, () => {}, {
      failsWhenLost: true,
      mayBeReplica: true,
    })
    const replica: Replica = {
      name: `Replica ${index + 1}`,
      connections,
      asking: openPool({ ...place, url, ...alone }, () => {}, { mayBeReplica: true }),
      db: primary.readBy({
        run: (statement, facts) =>
          connections.reads.run(statement, facts).catch(() => {
            reads.repeated++
            return insteadOf(replica).run(statement, facts)
          }),
      }),
      standing: standingOf(marks),
      isChecked: false,
      told: undefined,
    }
    return replica
  })

  /** Where a read goes on that has failed on a replica: on another one that has as much of the log, else on the primary. */
  function insteadOf({ standing }: Replica): Runner {
    const { replayed, freshAt } = standing.reachedSoFar()
    const other = replicas.find(each => each.standing !== standing && each.standing.has(replayed, freshAt))
    if (!other) return onPrimary
    const { reads: there } = other.connections
    return {
      run: (statement, facts) => there.run(statement, facts).catch(() => onPrimary.run(statement, facts)),
    }
  }

  /** Asks again and again until all is closed. */
  async function goOnAsking(ask: () => Promise<void>): Promise<void> {
    while (!closing.signal.aborted) {
      const begun = performance.now()
      await ask()
      const pause = Math.max(askEvery / 2, begun + askEvery - performance.now())
      await sleep(pause, undefined, { signal: closing.signal, ref: false }).catch(() => {})
    }
  }

  async function followPrimary(): Promise<void> {
    const begun = performance.now()
    const answer = await answered(askPrimary, place.connectTimeoutMs)
    if (answer instanceof Error || answer.isReplica || answer.position === null) return
    origin = answer.origin
    followTimeline(answer.timeline, answer.position)
    marks.add(begun, answer.position)
  }

  /** A new primary goes on from where its own log ended: a replica may have more of the former one's. */
  function followTimeline(now: string | null, position: number): void {
    if (timeline !== undefined && now !== timeline)
      for (const { standing } of replicas) standing.doubt(position)
    timeline = now ?? undefined
  }

  async function follow(replica: Replica): Promise<void> {
    // Nobody else has an answer for callers while the primary is gone: a slow one is better than none.
    const answer = await answered(replica.asking, place.connectTimeoutMs, isSilent)
    // What was learnt of the primary meanwhile counts.
    const fault = (answer instanceof Error ? undefined : await check(replica)) ?? faultOf(answer)
    // What waits there fails, and runs elsewhere.
    if (answer instanceof Error) replica.connections.breakOff()
    if (fault !== undefined || answer instanceof Error || answer.position === null) replica.standing.leave()
    else replica.standing.reached(answer.position)
    tell(replica, fault)
  }

  /** Holds a replica against what is needed, once. @returns what it lacks */
  async function check(replica: Replica): Promise<string | undefined> {
    if (replica.isChecked) return undefined
    try {
      const { isPooler } = await checkServer(replica.connections.pool)
      if (isPooler) replica.connections.relyOnNoSession()
      replica.isChecked = true
      return undefined
    } catch (error) {
      return (error as Error).message // it throws Errors, as pg does
    }
  }

  /** Why an answer is none of a replica of this database. */
  function faultOf(answer: Answer | Error): string | undefined {
    if (answer instanceof Error) return answer.message
    if (origin !== undefined && answer.origin !== origin) return 'it is of another database'
    if (!answer.isReplica && !isNewPrimary(answer)) return 'it is no replica'
    return undefined
  }

  /** Whether a server has taken over from a primary that is gone, and DATABASE_URL does not lead to it yet. */
  const isNewPrimary = ({ timeline: its }: Answer): boolean =>
    isSilent() && timeline !== undefined && its !== null && its > timeline

  function tell(replica: Replica, fault: string | undefined): void {
    const isIn = replica.standing.isFresh()
    const reason = isIn ? null : (fault ?? `it is more than ${mostLag / 1_000} s late`)
    if (closing.signal.aborted || reason === replica.told) return
    // At first it may only not be known how far the primary is.
    if (!isIn && !fault && performance.now() - begun < mostLag) return
    replica.told = reason
    if (isIn) log.info(`${replica.name} is read from.`)
    else log.warn({ reason }, `${replica.name} is left out: the primary is read from until it is back.`)
  }

  for (const replica of replicas) void goOnAsking(() => follow(replica))
  void goOnAsking(followPrimary)

  return {
    async position() {
      const { statement, facts } = ownPosition
      const { rows } = await primary.reads.run(statement, facts)
      const [row] = rows as { timeline: string; position: number }[]
      if (!row) return Number.POSITIVE_INFINITY
      followTimeline(row.timeline, row.position)
      return row.position
    },
    choose(position, since) {
      for (let i = 0; i < replicas.length; i++) {
        const replica = replicas[(next + i) % replicas.length]
        if (!replica?.standing.has(position, since)) continue
        next = (next + i + 1) % replicas.length
        reads.replica++
        return replica.db
      }
      reads.primary++
      return primaryDb
    },
    state() {
      const inUse = replicas.filter(({ standing }) => standing.isFresh()).length
      return { reads: { ...reads }, inUse, leftOut: replicas.length - inUse }
    },
    async close() {
      closing.abort()
      const opened = [askPrimary, ...replicas.flatMap(({ connections, asking }) => [connections, asking])]
      await Promise.all(opened.map(({ close }) => close()))
    },
  }
}
