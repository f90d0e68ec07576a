import { createCipheriv, createDecipheriv, hash, randomBytes } from 'node:crypto'
import type { Json } from 'spec-served-document/values/exact-json'
import { type AnyReply, ApiError, type Outcome } from '../errors/api-error.ts'
import type { RepeatableRequest, ReplyStore, StoredReply } from '../parts.ts'

/** A request that its sender may repeat. */
export interface Repeatable extends RepeatableRequest {
  /** the request's path and body */
  payload: string
  /** a secret of the sender, its API key, which seals a reply that holds a secret; undefined: no reply does */
  secret: string | undefined
  /** whether its work may be rolled back and run once more */
  mayRunAgain: boolean
  /** writes and reads its reply */
  json: Json
}

/** Returns a function that runs an operation once, however often its request is repeated. */
export function createIdempotency<Transaction>(store: ReplyStore<Transaction>, now: () => Date) {
  /** Requests under way in this process. Other processes see the claim in the database. */
  const running = new Set<string>()

  /**
   * Runs an operation in a transaction, and stores its reply there. An error rolls it back. A handler's refusal is kept
   * too, but a failure is not: the next try starts again. Source: draft-ietf-httpapi-idempotency-key-header.
   * @throws ApiError for a request that is running, a key of another payload, and a reply sealed with another secret
   */
  return async (request: Repeatable, run: (transaction: Transaction) => Promise<AnyReply>) => {
    const { scope, key, payload, mayRunAgain } = request
    const name = `${scope} ${key}`
    if (running.has(name)) throw inUse()
    running.add(name)
    const fingerprint = hash('sha256', payload, 'base64url')
    const replay = (earlier: StoredReply): Settled => ({
      outcome: outcomeIn(earlier, fingerprint, request),
      headers: replayed,
    })

    async function claim(transaction: Transaction): Promise<StoredReply | undefined> {
      const { isClaimed, earlier } = await store.claim(transaction, { scope, key }, now())
      if (!isClaimed) throw inUse()
      return earlier
    }
    /** Claims the request, and returns its stored outcome. If there is none, the work's outcome is stored. */
    const settle = (work: (transaction: Transaction) => Promise<Outcome>, isRepeatable: boolean) =>
      store.transaction<Settled>(async (transaction, claimsAlong) => {
        const along = claimsAlong ? store.claimAlong?.(transaction, { scope, key }, now()) : undefined
        const earlier = along ? undefined : await claim(transaction)
        if (earlier) return replay(earlier)
        const outcome = await work(transaction)
        if (along && !(await along())) throw inUse()
        const stored = { fingerprint, reply: write(outcome, request) }
        await store.save(transaction, { scope, key }, stored, now(), along !== undefined)
        return { outcome, headers: {} }
      }, isRepeatable)

    async function settleOnce(): Promise<Settled> {
      const earlier = mayRunAgain ? await store.find?.({ scope, key }, now()) : undefined
      if (earlier) return replay(earlier)
      try {
        return await settle(async transaction => ({ reply: await run(transaction) }), mayRunAgain)
      } catch (error) {
        const refused = error instanceof ApiError ? error.outcome : undefined
        if (!refused) throw error
        // The rollback has ended the claim. Another server may have carried the request out since then.
        return settle(async () => refused, false)
      }
    }
    try {
      return replyOf(await settleOnce())
    } finally {
      running.delete(name)
    }
  }
}

/** An outcome, with the header fields that it gets besides. */
interface Settled {
  outcome: Outcome
  headers: Record<string, string>
}

const inUse = () =>
  new ApiError('idempotency_key_in_use', 'A request with this Idempotency-Key is still running; retry soon.')

const replayed = { 'Idempotent-Replayed': 'true' }

/** @throws ApiError for a refusal in words */
function replyOf({ outcome, headers }: Settled): AnyReply {
  if ('refusal' in outcome) throw ApiError.of(outcome, headers)
  const { reply } = outcome
  return { ...reply, headers: { ...reply.headers, ...headers } }
}

function outcomeIn(stored: StoredReply, fingerprint: string, request: Repeatable): Outcome {
  if (stored.fingerprint !== fingerprint)
    throw new ApiError('idempotency_key_reused', 'This Idempotency-Key was used with another payload.')
  const outcome = read(stored.reply, request)
  if (outcome !== undefined) return outcome
  throw new ApiError(
    'idempotent_reply_sealed',
    'This request was done before, with another secret of this key. Its reply holds a secret, which is shown to that one only.',
  )
}

/** Returns an outcome as JSON, sealed if it may hold a secret. A refusal holds none. */
function write(outcome: Outcome, { secret, key, json }: Repeatable): string {
  const text = json.stringify('reply' in outcome ? inJson(outcome.reply) : outcome)
  const isOpen = 'refusal' in outcome || Number(outcome.reply.status) >= 400
  return secret === undefined || isOpen ? text : seal(text, `${secret} ${key}`)
}

/** @returns undefined when the reply was sealed with another secret */
function read(text: string, { secret, key, json }: Repeatable): Outcome | undefined {
  const open = text.startsWith('{') ? text : secret && unseal(text, `${secret} ${key}`) // Base64 has no brace
  if (open === undefined) return undefined
  const stored = json.parse(open) as object // `write` stored it
  if ('refusal' in stored) return stored as Outcome // `write` stored it
  const { bytes, ...reply } = stored as AnyReply & { bytes?: string } // likewise
  return { reply: bytes === undefined ? reply : { ...reply, body: Buffer.from(bytes, 'base64') } }
}

function inJson({ body, ...reply }: AnyReply): object {
  if (!(body instanceof Uint8Array)) return { ...reply, body }
  return { ...reply, bytes: Buffer.from(body).toString('base64') }
}

const keyOf = (secret: string) => hash('sha256', secret, 'buffer')

/** Encrypts a text (AES-256-GCM; nonce, tag and ciphertext in this order). */
function seal(text: string, secret: string): string {
  const nonce = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', keyOf(secret), nonce)
  const sealed = Buffer.concat([cipher.update(text), cipher.final()])
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64')
}

/** Decrypts a text from `seal`. Returns undefined for another secret. */
function unseal(sealed: string, secret: string): string | undefined {
  const bytes = Buffer.from(sealed, 'base64')
  const decipher = createDecipheriv('aes-256-gcm', keyOf(secret), bytes.subarray(0, 12)).setAuthTag(
    bytes.subarray(12, 28),
  )
  try {
    return Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString()
  } catch {
    return undefined
  }
}
