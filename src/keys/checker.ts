import type { Checker } from '../engine/access/security.ts'
import type { KnownKey } from '../store/api-keys.ts'
import type { KeyCache } from '../store/key-cache.ts'
import { hashKey, isWellFormed } from './api-key.ts'

/** Checks API keys; what is known of a key says who holds it. One that is malformed or mistyped costs no query. */
export function createKeyChecker(keys: KeyCache, now: () => Date): Checker {
  /** What is wrong with a key, as the end of a sentence; undefined when it is valid. */
  function faultOf(key: KnownKey): string | undefined {
    if (key.disabled) return 'is disabled'
    return key.expires_at && key.expires_at <= now() ? 'has expired' : undefined
  }
  return {
    async find(credential, from) {
      const text = credential.value
      if (!isWellFormed(text)) return { fault: 'is not well-formed' }
      const key = await keys.find(hashKey(text), from)
      if (!key) return { fault: 'is not known' }
      const fault = faultOf(key)
      if (fault !== undefined) return { fault }
      keys.use(key)
      return key
    },
    recall(credential) {
      const text = credential.value
      const key = isWellFormed(text) ? keys.recall(hashKey(text)) : undefined
      return key && faultOf(key) === undefined ? key : undefined
    },
    forget: id => keys.forget([Number(id)]),
  }
}
