import type { Redis } from 'ioredis'
import type { Database } from '../database/tables.ts'
import type { Reads } from '../parts.ts'
import { keptFor } from './lag.ts'
import type { Replicas } from './replicas.ts'

/** All servers are back at Redis so long after an outage, in ms; until then reads go to the primary. */
const returnWithin = 3_000
/** A position that no replica reaches: what was written has an unknown one. */
const unknown = Number.MAX_SAFE_INTEGER

/** What a replica must have for the next read of a caller. */
interface Needs {
  /** a position of the primary's log, past what the caller has written */
  position: number
  /** all that was committed before this moment (`performance.now`) */
  since: number
}

/** Remembers how far the primary's log was when a caller had written. */
interface Notes {
  note(caller: string, position: number): unknown
  of(caller: string): Needs | Promise<Needs>
}

/** Has callers read from replicas that have their own writes, whose positions are in Redis, or else in this process. */
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

/** Notes of this process. A replica that has all from before its start has what an earlier process wrote. */
function notesInMemory(): Notes {
  const since = performance.now()
  /** those noted last are last */
  const notes = new Map<string, { position: number; at: number }>()
  return {
    note(caller, position) {
      const at = performance.now()
      const known = notes.get(caller)?.position ?? 0
      notes.delete(caller)
      notes.set(caller, { position: Math.max(known, position), at })
      for (const [caller, note] of notes) {
        if (at - note.at < keptFor) break
        notes.delete(caller)
      }
    },
    of: caller => ({ position: notes.get(caller)?.position ?? 0, since }),
  }
}

/** Keeps the greater of two positions, which two servers may write in any order. */
const noteScript = `
if tonumber(ARGV[1]) > tonumber(redis.call('get', KEYS[1]) or 0) then redis.call('set', KEYS[1], ARGV[1], 'px', ARGV[2]) end`

/** Notes for all servers. After an outage a replica must have all that was written until every server was back at Redis. */
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
