import type { Redis } from 'ioredis'
import { keptFor } from '../database/lag.ts'
import type { Replicas } from '../database/replicas.ts'
import type { Database } from '../database/tables.ts'
import type { Caller } from '../engine/access/caller.ts'
import type { Later } from '../engine/later.ts'
import type { Reads } from '../engine/stores.ts'

/** How long all servers may need to be back at Redis after an outage, in ms; until then reads go to the primary. */
const returnWithin = 3_000

/** That a caller has written. */
export interface Written {
  caller: string
  /** a position of the primary's log, past what was written; null: nobody knows it */
  position: number | null
}

/** What the next read of a caller must see. */
interface Needs {
  position: number
  /** all that was committed before this moment (`performance.now`) */
  since: number
}

/** Keeps what callers have written lately. */
interface Notes {
  note(written: Written): Later<void>
  /** undefined: can't be told */
  of(caller: string): Later<Needs | undefined>
}

/** Reads on replicas, of which each caller sees what it has written itself. */
export interface OwnWrites extends Reads<Database> {
  /** To be told of what was written through another process. */
  learn(written: Written): void
}

/**
 * Has callers read from replicas that have what these callers have written. What they have written is kept in Redis where
 * there is one, for all servers; else in this process, which can tell others of it.
 * @param tellOthers tells the other processes, and is there once they know it
 */
export function readOwnWrites(
  replicas: Replicas,
  name: string,
  redis: Redis | undefined,
  tellOthers: ((written: Written) => Promise<void>) | undefined,
): OwnWrites {
  const here = notesInMemory()
  const notes = redis ? notesInRedis(redis, `${name}:`) : here
  const choose = ({ position, since }: Needs = nowhere): Database => replicas.choose(position, since)

  return {
    learn: here.note,
    storeFor({ counter }) {
      const needs = notes.of(counter)
      return needs instanceof Promise ? needs.then(choose) : choose(needs)
    },
    async wrote({ counter }: Caller, isCertain: boolean) {
      const position = isCertain ? await replicas.position().catch(() => null) : null
      const written = { caller: counter, position }
      await Promise.all([notes.note(written), redis ? undefined : tellOthers?.(written)])
    },
  }
}

/** Where a caller whose writes nobody can place reads: nowhere but on the primary. */
const nowhere: Needs = { position: Number.POSITIVE_INFINITY, since: 0 }

/** Notes of this process. What an earlier one has noted is in every replica that has all from before this one's begin. */
function notesInMemory() {
  const since = performance.now()
  const none: Needs = { position: 0, since }
  let recent = new Map<string, number>()
  let older = new Map<string, number>()
  let turnedAt = since

  /** Forgets what was noted more than twice the time ago that it is to be kept. */
  function turn(): void {
    const time = performance.now()
    if (time - turnedAt < keptFor) return
    older = time - turnedAt < 2 * keptFor ? recent : new Map()
    recent = new Map()
    turnedAt = time
  }
  return {
    note({ caller, position }: Written): void {
      turn()
      recent.set(caller, Math.max(recent.get(caller) ?? 0, position ?? nowhere.position))
    },
    of(caller: string): Needs {
      turn()
      const position = Math.max(recent.get(caller) ?? 0, older.get(caller) ?? 0)
      return position === 0 ? none : { position, since }
    },
  }
}

/** Keeps the greater of two positions, which two servers may write in any order, and for how long. */
const noteScript = `
if ARGV[1] == '' then redis.call('set', KEYS[2], 1, 'px', ARGV[2])
elseif tonumber(ARGV[1]) > tonumber(redis.call('get', KEYS[1]) or 0) then redis.call('set', KEYS[1], ARGV[1], 'px', ARGV[2])
end`

interface NoteCommand {
  noteWritten(positions: string, unknown: string, position: number | '', keptFor: number): Promise<unknown>
}

/**
 * Notes for all servers. While Redis is away nothing can be noted or told, and reads go to the primary. Once it is back, a
 * replica must have all that was written until every server was back at it.
 */
function notesInRedis(redis: Redis, prefix: string): Notes {
  redis.defineCommand('noteWritten', { lua: noteScript, numberOfKeys: 2 })
  const scripts = redis as Redis & NoteCommand // as just defined
  let trustedFrom = performance.now()
  const doubt = () => {
    trustedFrom = performance.now() + returnWithin
  }
  for (const event of ['close', 'ready', '-node']) redis.on(event, doubt)

  // Braces make a Redis Cluster keep both of a caller on one node.
  const keysOf = (caller: string) => [`${prefix}{${caller}}:written`, `${prefix}{${caller}}:unknown`] as const
  return {
    async note({ caller, position }) {
      await scripts.noteWritten(...keysOf(caller), position ?? '', keptFor).catch(doubt)
    },
    async of(caller) {
      if (redis.status !== 'ready' || performance.now() < trustedFrom) return undefined
      try {
        const [position, unknown] = await redis.mget(...keysOf(caller))
        if (unknown) return nowhere
        return { position: Number(position ?? 0), since: trustedFrom }
      } catch {
        doubt()
        return undefined
      }
    },
  }
}
