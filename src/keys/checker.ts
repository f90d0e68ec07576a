import type { Holder } from '../engine/access/caller.ts'
import type { Checker } from '../engine/access/callers.ts'
import { secretOf } from '../engine/access/security.ts'
import type { ApiKeyRow } from '../store/api-keys.ts'
import type { KeyDirectory } from '../store/key-directory.ts'
import { hashKey, isWellFormed } from './api-key.ts'

function holderOf({ id, scopes, plan, quotas, banned_until }: ApiKeyRow): Holder {
  return { id, scopes, plan, quotas, bannedUntil: banned_until }
}

/** What is wrong with a key, as the end of a sentence; undefined when it is valid. */
function faultOf(key: ApiKeyRow, now: Date): string | undefined {
  if (key.disabled) return 'is disabled'
  if (key.expires_at && key.expires_at <= now) return 'has expired'
  return undefined
}

/** Checks API keys. One that is malformed or mistyped costs no query. */
export function createKeyChecker(keys: KeyDirectory, now: () => Date): Checker {
  return {
    async find(credential, from) {
      const text = secretOf(credential)
      if (!isWellFormed(text)) return { fault: 'is not well-formed' }
      const key = await keys.find(hashKey(text), from)
      if (!key) return { fault: 'is not known' }
      const fault = faultOf(key, now())
      if (fault !== undefined) return { fault }
      keys.use(key.id)
      return holderOf(key)
    },
    recall(credential) {
      const text = secretOf(credential)
      const key = isWellFormed(text) ? keys.recall(hashKey(text)) : undefined
      return key && faultOf(key, now()) === undefined ? holderOf(key) : undefined
    },
    forget: id => keys.forget(Number(id)),
  }
}
