import type { Redis } from 'ioredis'
import type { Reads } from '../parts.ts'
import { keptFor } from './lag.ts'
import type { Replicas } from './replicas.ts'
import type { Database } from './tables.ts'

/** All servers are back at Redis this long after an outage, in ms. Until then reads go to the primary. */
const returnWithin = 3_000
/** A position that no replica reaches, for writes whose position is unknown. */
const unknown = Number.MAX_SAFE_INTEGER

/** The state that a replica must have reached for a caller's next read. */
interface Needs {
  /** a position of the primary's log, past the caller's writes */
  position: number
  /** all commits before this moment (`performance.now`) */
  since: number
}

/** Remembers the position of the primary's log after a caller's write. */
interface Notes {
  note(caller: string, position: number): unknown
  of(caller: string): Needs | Promise<Needs>
}

/** Lets callers read from replicas that have their own writes. Redis, or else this process, keeps the positions. */
export function readOwnWrites(replicas: Replicas, name: string, redis: Redis | undefined): Reads<Database> {
  const notes: Notes = redis ? notesInRedis(redis, name) : notesInMemory()
  return {
    async storeFor({ counter }) {
      const { position, since } = await notes.of(counter)
      return replicas.choose(position, since)
    },
    async wrote({ counter }, isCertain) {
      await notes.note(counter, isCertain ? await replicas.position().catch(() => unknown) : unknown)
    },
  }
}

/** Notes of this process. A replica with all from before its start has what an earlier process wrote. */
function notesInMemory(): Notes {
  const since = performance.now()
  /** the latest notes are last */
  const notes = new Map<string, { position: number; at: number }>()
  return {
    note(caller, position) {
      const now = performance.now()
      const noted = notes.get(caller)?.position ?? 0
      notes.delete(caller)
      notes.set(caller, { position: Math.max(noted, position), at: now })
      for (const [oldCaller, note] of notes) {
        if (now - note.at < keptFor) break
        notes.delete(oldCaller)
      }
    },
    of: caller => ({ position: notes.get(caller)?.position ?? 0, since }),
  }
}

/** Keeps the greater of two positions, which two servers may write in any order. */
const noteScript = `
if tonumber(ARGV[1]) > tonumber(redis.call('get', KEYS[1]) or 0) then redis.call('set', KEYS[1], ARGV[1], 'px', ARGV[2]) end`

/** Notes for all servers. After an outage a replica must have all writes up to the return of every server to Redis. */
function notesInRedis(redis: Redis, name: string): Notes {
  redis.defineCommand('noteWritten', { lua: noteScript, numberOfKeys: 1 })
  const scripts = redis as Redis & { noteWritten(...args: [string, number, number]): Promise<unknown> } // as just defined
  let trustedFrom = performance.now()
  const doubt = (): undefined => {
    trustedFrom = performance.now() + returnWithin
  }
  for (const event of ['close', 'ready', '-node']) redis.on(event, doubt)

  const keyOf = (caller: string) => `${name}:${caller}:written`
  return {
    note: (caller, position) => scripts.noteWritten(keyOf(caller), position, keptFor).catch(doubt),
    async of(caller) {
      const isTrusted = redis.status === 'ready' && performance.now() >= trustedFrom
      const position = isTrusted ? await redis.get(keyOf(caller)).catch(doubt) : undefined
      return position === undefined
        ? { position: unknown, since: 0 }
        : { position: Number(position), since: trustedFrom }
    },
  }
}
