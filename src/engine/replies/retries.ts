import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto'
import type { AnyReply } from '../routes/binding.ts'
import type { RepeatableRequest, ReplyStore, StoredReply } from '../stores.ts'
import { ApiError } from './api-error.ts'

/** A request that its sender may repeat. */
export interface Repeatable extends RepeatableRequest {
  /** the request's path and body */
  payload: string
  /** what only the sender knows, its API key: a reply that holds a secret is sealed with it; undefined: none does */
  secret: string | undefined
}

/** Ends the transaction of a refused request. */
class Refused extends Error {
  readonly reply: AnyReply
  constructor(reply: AnyReply) {
    super('The operation was refused')
    this.reply = reply
  }
}

const inUse = () =>
  new ApiError('idempotency_key_in_use', 'A request with this Idempotency-Key is still running; retry soon.')

const isRefusal = (reply: AnyReply) => Number(reply.status) >= 400

/** Runs an operation in a transaction, which a refusal takes back. */
export async function runInTransaction<Store, Transaction extends Store>(
  store: ReplyStore<Store, Transaction>,
  run: (transaction: Transaction) => Promise<AnyReply>,
): Promise<AnyReply> {
  try {
    return await store.transaction(async transaction => {
      const reply = await run(transaction)
      if (isRefusal(reply)) throw new Refused(reply)
      return reply
    })
  } catch (error) {
    if (error instanceof Refused) return error.reply
    throw error
  }
}

/**
 * Runs an operation once, however often its request is repeated. The reply is stored in the transaction of the write:
 * both are there, or neither. A refusal is stored too; a failure is not, and the next try starts anew.
 * Source: draft-ietf-httpapi-idempotency-key-header.
 * @param db the store outside of a transaction
 * @param running names the requests under way in this service; other processes see the claim in the database
 * @throws ApiError while the same request is running, when the key came with another payload before, or when the reply
 *   was sealed with another secret
 */
export async function runOnce<Store, Transaction extends Store>(
  request: Repeatable,
  store: ReplyStore<Store, Transaction>,
  db: Store,
  now: () => Date,
  running: Set<string>,
  run: (transaction: Transaction) => Promise<AnyReply>,
): Promise<AnyReply> {
  const name = `${request.scope} ${request.key}`
  if (running.has(name)) throw inUse()
  running.add(name)
  const fingerprint = createHash('sha256').update(request.payload).digest('base64url')
  const { scope, key } = request
  const stored = (reply: AnyReply) => ({ fingerprint, reply: write(reply, request) })
  let isRepeated = false
  try {
    const reply = await runInTransaction(store, async transaction => {
      if (!(await store.claim(transaction, { scope, key }))) throw inUse()
      const earlier = await store.find(transaction, { scope, key }, now())
      isRepeated = earlier !== undefined
      if (earlier) return replay(earlier, fingerprint, request)
      const reply = await run(transaction)
      if (!isRefusal(reply)) await store.save(transaction, { scope, key }, stored(reply), now())
      return reply
    })
    if (isRefusal(reply) && !isRepeated) await store.save(db, { scope, key }, stored(reply), now())
    return reply
  } finally {
    running.delete(name)
  }
}

function replay(stored: StoredReply, fingerprint: string, request: Repeatable): AnyReply {
  if (stored.fingerprint !== fingerprint)
    throw new ApiError('idempotency_key_reused', 'This Idempotency-Key was used with another payload.')
  const reply = read(stored.reply, request)
  if (reply === undefined)
    throw new ApiError(
      'idempotent_reply_sealed',
      'This request was done before, with another secret of this key. Its reply holds a secret, which is shown to that one only.',
    )
  return { ...reply, headers: { ...reply.headers, 'Idempotent-Replayed': 'true' } }
}

/** A reply as it is stored: JSON, sealed when it may hold a secret. A refusal holds none. */
function write(reply: AnyReply, { secret, key }: Repeatable): string {
  const text = JSON.stringify(reply)
  return secret === undefined || Number(reply.status) >= 400 ? text : seal(text, sealingKey(secret, key))
}

/** @returns undefined when the reply was sealed with another secret */
function read(text: string, { secret, key }: Repeatable): AnyReply | undefined {
  if (text.startsWith('{')) return JSON.parse(text) // Base64 has no brace
  const json = secret === undefined ? undefined : unseal(text, sealingKey(secret, key))
  return json === undefined ? undefined : JSON.parse(json)
}

function sealingKey(secret: string, key: string): Buffer {
  return createHash('sha256').update(`${secret} ${key}`).digest()
}

/** Encrypts a text (AES-256-GCM; nonce, tag and ciphertext in this order). */
function seal(text: string, key: Buffer): string {
  const nonce = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', key, nonce)
  const sealed = Buffer.concat([cipher.update(text), cipher.final()])
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64')
}

/** Decrypts what `seal` made; undefined with another key. */
function unseal(sealed: string, key: Buffer): string | undefined {
  const bytes = Buffer.from(sealed, 'base64')
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, 12)).setAuthTag(
    bytes.subarray(12, 28),
  )
  try {
    return Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString()
  } catch {
    return undefined
  }
}
