import type { Redis } from 'ioredis'
import type { Database } from '../database/tables.ts'
import type { Caller } from '../engine/access/caller.ts'
import type { Reads } from '../engine/stores.ts'
import { keptFor } from './lag.ts'
import type { Replicas } from './replicas.ts'

/** All servers are back at Redis so long after an outage, in ms; until then reads go to the primary. */
const returnWithin = 3_000
/** A position that no replica reaches: what was written has an unknown one. */
const unknown = Number.MAX_SAFE_INTEGER

/** That a caller has written. */
export interface Written {
  caller: string
  /** a position of the primary's log, past what was written */
  position: number
}

/** What a replica must have for the next read of a caller. */
interface Needs {
  position: number
  /** all that was committed before this moment (`performance.now`) */
  since: number
}

/** Reads on replicas, of which each caller sees its own writes. */
export interface OwnWrites extends Reads<Database> {
  /** To be told of what was written through another process. */
  learn(written: Written): void
}

/**
 * Has callers read from replicas that have their own writes. The positions of these are in Redis where there is one, for
 * all servers; else in this process.
 * @param tellOthers tells the other processes of this server, and resolves once they know it
 */
export function readOwnWrites(
  replicas: Replicas,
  name: string,
  redis: Redis | undefined,
  tellOthers: ((written: Written) => Promise<void>) | undefined,
): OwnWrites {
  const here = notesInMemory()
  const notes = redis ? notesInRedis(redis, name) : here
  return {
    learn: here.note,
    async storeFor({ counter }) {
      const { position, since } = await notes.of(counter)
      return replicas.choose(position, since)
    },
    async wrote({ counter }: Caller, isCertain: boolean) {
      const position = isCertain ? await replicas.position().catch(() => unknown) : unknown
      const written = { caller: counter, position }
      await Promise.all([notes.note(written), redis ? undefined : tellOthers?.(written)])
    },
  }
}

/** Notes of this process. A replica that has all from before its start has what an earlier process wrote. */
function notesInMemory() {
  const since = performance.now()
  let recent = new Map<string, number>()
  let older = new Map<string, number>()
  let turnedAt = since
  const positionOf = (caller: string) => Math.max(recent.get(caller) ?? 0, older.get(caller) ?? 0)

  function forgetOld(): void {
    const time = performance.now()
    if (time - turnedAt < keptFor) return
    older = time - turnedAt < 2 * keptFor ? recent : new Map()
    recent = new Map()
    turnedAt = time
  }
  return {
    note({ caller, position }: Written): void {
      forgetOld()
      recent.set(caller, Math.max(recent.get(caller) ?? 0, position))
    },
    of(caller: string): Needs {
      forgetOld()
      return { position: positionOf(caller), since }
    },
  }
}

/** Keeps the greater of two positions, which two servers may write in any order. */
const noteScript = `
if tonumber(ARGV[1]) > tonumber(redis.call('get', KEYS[1]) or 0) then redis.call('set', KEYS[1], ARGV[1], 'px', ARGV[2]) end`

/**
 * Notes for all servers. While Redis is away nothing can be noted, and reads go to the primary. Once it is back, a replica
 * must have all that was written until every server was back at it.
 */
function notesInRedis(redis: Redis, name: string) {
  redis.defineCommand('noteWritten', { lua: noteScript, numberOfKeys: 1 })
  const scripts = redis as Redis & { noteWritten(...args: [string, number, number]): Promise<unknown> } // as just defined
  let trustedFrom = performance.now()
  const doubt = (): undefined => {
    trustedFrom = performance.now() + returnWithin
  }
  for (const event of ['close', 'ready', '-node']) redis.on(event, doubt)

  const keyOf = (caller: string) => `${name}:${caller}:written`
  return {
    async note({ caller, position }: Written): Promise<void> {
      await scripts.noteWritten(keyOf(caller), position, keptFor).catch(doubt)
    },
    async of(caller: string): Promise<Needs> {
      const isTrusted = redis.status === 'ready' && performance.now() >= trustedFrom
      const position = isTrusted ? await redis.get(keyOf(caller)).catch(doubt) : undefined
      return position === undefined
        ? { position: unknown, since: 0 }
        : { position: Number(position), since: trustedFrom }
    },
  }
}
