import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyBaseLogger } from 'fastify'
import { within } from '../runtime/within.ts'

/** A process that the supervisor runs. */
export interface Member {
  /** unique among all members ever started */
  readonly id: number
  readonly pid: number | undefined
  /** Resolves once it accepts requests; rejects when it ends before. */
  readonly ready: Promise<void>
  /** Resolves when it has ended, with the reason: `exit code 1`, `SIGKILL`. */
  readonly ended: Promise<string>
  /** Asks it to finish the requests under way and to end within a time (in ms). */
  stop(timeoutMs: number): void
  kill(): void
}

export interface SupervisorOptions {
  /** the number of members */
  count: number
  start(): Member
  log: Pick<FastifyBaseLogger, 'info' | 'warn' | 'error'>
  /** longest time that a replaced member may take to end, in ms */
  stopWithinMs: number
}

/** Longest time that a member may take to start, in ms. */
const startWithin = 60_000
/** A member that ends sooner after its start has failed; in ms. */
const steadyAfter = 10_000
/** Pause before the start after a failure, in ms. It doubles with each failure, up to the longest. */
const firstPause = 250
const longestPause = 30_000
/** Extra time for a member to end, beyond the time that it got, in ms. */
const grace = 500
/** The normal ends of members that were asked to end. A member that does not serve yet ends by the signal. */
const endsWell = ['exit code 0', 'SIGTERM']

/** Keeps a number of members running. It restarts members that end, after a pause if one ended too soon. */
export function superviseMembers({ count, start, log, stopWithinMs }: SupervisorOptions) {
  const living = new Set<Member>()
  /** members that are restarted when they end */
  const serving = new Set<Member>()
  const ending = new AbortController()
  let replacing = Promise.resolve()
  /** a replacement that waits for the one under way */
  let following: Promise<void> | undefined

  /** @throws Error when the new member ends before it is ready */
  async function begin(failures = 0): Promise<Member> {
    ending.signal.throwIfAborted()
    const member = start()
    living.add(member)
    void member.ended.then(() => living.delete(member))
    const tooLong = setTimeout(() => member.kill(), startWithin)
    await member.ready.finally(() => clearTimeout(tooLong))
    serving.add(member)
    const since = performance.now()
    void member.ended.then(how => {
      if (ending.signal.aborted || !serving.delete(member)) return
      log.error({ worker: member.id, workerPid: member.pid }, `A worker has ended (${how})`)
      void bringBack(performance.now() - since < steadyAfter ? failures + 1 : 0)
    })
    return member
  }

  /** @param failures the number of early ends in a row */
  async function bringBack(failures: number): Promise<void> {
    const pause = failures === 0 ? 0 : Math.min(longestPause, firstPause * 2 ** (failures - 1))
    log.warn({ failures }, `Another worker is started ${pause ? `in ${pause} ms` : 'now'}`)
    try {
      await sleep(pause, undefined, { signal: ending.signal })
      await begin(failures)
    } catch (err) {
      if (ending.signal.aborted) return
      log.error({ err }, 'A worker can’t be started')
      void bringBack(failures + 1)
    }
  }

  /** @returns whether it ended by itself */
  async function end(member: Member, timeoutMs: number): Promise<boolean> {
    serving.delete(member)
    member.stop(timeoutMs)
    const how = await within(timeoutMs + grace, member.ended, undefined)
    if (how !== undefined) return endsWell.includes(how)
    member.kill()
    await member.ended
    return false
  }

  async function replaceAll(): Promise<void> {
    log.info('Replacing the workers one by one')
    try {
      for (const member of [...serving]) {
        if (!serving.has(member)) continue // its replacement is starting
        const next = await begin()
        await end(serving.has(member) ? member : next, stopWithinMs) // it may be running again by now
      }
      log.info('All workers are replaced')
    } catch (err) {
      if (!ending.signal.aborted)
        log.error({ err }, 'A worker can’t be replaced: the others go on as they are')
    }
  }

  /** Ends all members within a time (in ms), and starts no more. @returns whether all ended by themselves */
  async function stop(timeoutMs: number): Promise<boolean> {
    ending.abort()
    const inTime = await Promise.all([...living].map(member => end(member, timeoutMs)))
    return inTime.every(Boolean)
  }

  return {
    /** Starts the members, the first one alone. @throws Error when one ends before it is ready; none is left then */
    async start() {
      try {
        await begin()
        await Promise.all(Array.from({ length: count - 1 }, () => begin()))
      } catch (error) {
        if (!ending.signal.aborted) await stop(0)
        throw error
      }
    },
    /** Kills all members, also those that are ending. */
    kill() {
      for (const member of living) member.kill()
    },
    /**
     * Replaces the members one by one. A new one accepts requests before the old one stops. Calls during a replacement
     * share the one that follows it. Never throws.
     */
    replace() {
      following ??= replacing.then(() => {
        following = undefined
        replacing = replaceAll()
        return replacing
      })
      return following
    },
    stop,
  }
}
