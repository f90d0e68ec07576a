import type { Checker, Found } from '../engine/access/callers.ts'
import { secretOf } from '../engine/access/security.ts'
import { andThen } from '../engine/later.ts'
import type { KnownKey } from '../store/api-keys.ts'
import type { KeyDirectory } from '../store/key-directory.ts'
import { hashKey, isWellFormed } from './api-key.ts'

/** What is wrong with a key, as the end of a sentence; undefined when it is valid. */
function faultOf(key: KnownKey, now: () => Date): string | undefined {
  if (key.disabled) return 'is disabled'
  if (key.expires_at && key.expires_at <= now()) return 'has expired'
  return undefined
}

/**
 * Checks API keys; what is known of a key says who holds it. One that is malformed or mistyped costs no query, nor does
 * one that is known.
 */
export function createKeyChecker(keys: KeyDirectory, now: () => Date): Checker {
  const judge = (key: KnownKey | undefined): Found => {
    if (!key) return { fault: 'is not known' }
    const fault = faultOf(key, now)
    if (fault !== undefined) return { fault }
    keys.use(key)
    return key
  }
  /** The valid key that came last over each connection, whose last request Node holds anyway, and its hash. */
  const lastOver = new WeakMap<object, { text: string; hash: string }>()
  return {
    find(credential, from, over) {
      const text = secretOf(credential)
      const last = over && lastOver.get(over)
      const isSame = last?.text === text
      const hash = isSame ? last.hash : hashKey(text)
      // One that is known has its form.
      const known = keys.known(hash)
      if (known) {
        if (over && !isSame) lastOver.set(over, { text, hash })
        return judge(known)
      }
      return isWellFormed(text) ? andThen(keys.find(hash, from), judge) : { fault: 'is not well-formed' }
    },
    recall(credential) {
      const text = secretOf(credential)
      const key = isWellFormed(text) ? keys.recall(hashKey(text)) : undefined
      return key && faultOf(key, now) === undefined ? key : undefined
    },
    forget: id => keys.forget([Number(id)]),
  }
}
