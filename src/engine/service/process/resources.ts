import type { Contract } from 'spec-served-document/contract/contract'
import { administerKeys } from '../callers/administration.ts'
import { keyForm } from '../callers/api-key.ts'
import { createKeyCache, createKeyChecker } from '../callers/key-cache.ts'
import type { KeyTools } from '../callers/keys.ts'
import type { EngineCheckers } from '../callers/scheme.ts'
import { type Seal, unsealed } from '../callers/seal.ts'
import type { TokenSettings } from '../callers/tokens.ts'
import { isDatabaseUnavailable, unavailableText } from '../database/failures.ts'
import { createHealthCheck } from '../database/health.ts'
import type { Replicas } from '../database/replicas.ts'
import type { Database, Db } from '../database/tables.ts'
import { countDeprecatedCalls, removeOldCalls } from '../lifecycle/lifecycle.ts'
import { type BanNews, openBans } from '../limits/bans.ts'
import { connectRedis } from '../limits/connect-redis.ts'
import { openMemoryStore } from '../limits/memory-store.ts'
import type { Counting } from '../limits/shared-memory.ts'
import { banStore, removeEndedBans, removeEndedWindows, windowStore } from '../limits/windows.ts'
import type { OtherWorkers } from '../parts.ts'
import { removeOldReplies, replyStore } from '../replies/stored-replies.ts'
import { type Log, silent } from '../runtime/batch-writer.ts'

/** How often expired rows are removed, in ms. */
const cleanEvery = 600_000
const removals = [removeOldReplies, removeEndedWindows, removeEndedBans, removeOldCalls]

/** The parts that the server uses and its caller opens and closes. */
export type Resources = Awaited<ReturnType<typeof openResources>>

export interface ResourceOptions {
  /** the service's name in challenges and in shared stores */
  name?: string
  redisUrl?: string | undefined
  /** the longest waits for Redis, in ms; absent: as in production */
  redisWaits?: { connectTimeout: number; commandTimeout: number } | undefined
  /** the form in which hashes of keys are stored; absent: without a pepper */
  seal?: Seal | undefined
  now?: (() => Date) | undefined
  /** the log for failures of background work, and for their ends */
  log?: Log | undefined
  /** the same database, reachable whatever `db` waits for */
  probe?: Db | undefined
  /** the same database, for transactions that wait for a lock */
  waiting?: Database | undefined
  /** Makes room of what was removed; absent: the database does so itself */
  maintain?: (() => Promise<void>) | undefined
  /** replicas that reads may use in place of `db` */
  replicas?: Replicas | undefined
  /** the settings of tokens; absent: no tokens */
  tokens?: TokenSettings | undefined
  /** links to the other workers of this machine; absent: this process is no worker */
  workers?: { counting: Counting; bans: OtherWorkers<BanNews>; changedKeys: OtherWorkers<number> } | undefined
}

/** Opens the server's resources besides a migrated database. */
export async function openResources(
  { rateLimits, lifetimes }: Pick<Contract, 'rateLimits' | 'lifetimes'>,
  db: Database,
  options: ResourceOptions = {},
) {
  const { name = 'service', now = () => new Date(), log = silent, probe = db } = options
  const { redisUrl, seal = unsealed, replicas, workers } = options
  const time = options.now ? () => now().getTime() : Date.now
  const tokens =
    options.tokens &&
    (await import('../callers/tokens.ts')).createTokenChecker(
      ...[options.tokens, rateLimits, time, log],
      address => bans.ofAddress(address) !== null,
    )
  const form = keyForm(name)
  const health = createHealthCheck(probe, db)
  await health.ask() // an open connection can detect a database that hangs
  const keys = createKeyCache(db, time, log, seal)
  const longestBan = (rateLimits?.ban.seconds ?? 0) * 1_000
  const bans = await openBans(longestBan, banStore(db, keys), now, log, workers?.bans)
  const memory =
    rateLimits && !workers ? await openMemoryStore(rateLimits, windowStore(db), time, log) : undefined
  const sharedMemory =
    rateLimits && workers
      ? await (await import('../limits/shared-memory.ts')).joinSharedMemory(
          ...[rateLimits, workers.counting, windowStore(db), time],
        )
      : undefined
  const deprecatedCalls = countDeprecatedCalls(db, lifetimes, time, log)
  let isClosing = false
  /** Removes expired rows, as also happens every ten minutes; never throws. */
  async function clean(): Promise<void> {
    // The next removal also takes what a failed one left.
    const fail = (err: unknown) => log.warn({ err }, 'Not all that has ended could be removed.')
    for (const remove of removals) if (!isClosing) await remove(db, now(), lifetimes).catch(fail)
    const left = (err: unknown) => log.warn({ err }, 'The room of what was removed is not free yet.')
    if (!isClosing) await options.maintain?.().catch(left)
  }
  const cleaning = setInterval(clean, cleanEvery).unref()
  const { redis, fault: redisFault } =
    redisUrl === undefined ? {} : await connectRedis(redisUrl, options.redisWaits)
  const reads = replicas && (await import('../database/own-writes.ts')).readOwnWrites(replicas, name, redis)
  const ApiKey = createKeyChecker(keys, time, form, workers?.changedKeys)
  return {
    name,
    now,
    time,
    db,
    /** undefined: no replicas */
    reads,
    /** the form in which hashes of keys are stored */
    seal,
    /** the form of the keys */
    form,
    /** those of the engine */
    checkers: { ApiKey, tokens } satisfies EngineCheckers,
    bans,
    memory,
    machine: sharedMemory?.place,
    redis,
    /** why Redis was away when it was opened, if known */
    redisFault,
    deprecatedCalls,
    replies: replyStore(db, lifetimes, options.waiting),
    keys: (store: Database, tools: Omit<KeyTools, 'seal' | 'form'>) =>
      administerKeys(store, { ...tools, seal, form }),
    dependencies: async () => [await health.ask()],
    isUnavailable(error: unknown) {
      health.failed(error) // every failure that callers meet comes here
      return isDatabaseUnavailable(error)
    },
    unavailableText,
    clean,
    /** Writes the calls that are counted but not stored yet. */
    settle: deprecatedCalls.flush,
    /** Stops the background work and writes its notes. The database stays open. */
    async close(): Promise<void> {
      isClosing = true
      clearInterval(cleaning)
      redis?.disconnect()
      await Promise.all([keys, bans, memory, sharedMemory, deprecatedCalls].map(part => part?.close()))
    },
  }
}
