import type { Model } from '../../document/model.ts'
import type { ShownTables } from '../../index.ts'

/** Returns the parts of the engine's own tables that a document shows. */
export const engineTables = ({ document }: Model): ShownTables => ({
  api_keys: document.components?.schemas?.ApiKey
    ? {
        schemas: ['ApiKey'],
        hidden: { hash: 'a secret’s', previous_hash: 'a secret’s' },
        named: { 'ApiKey.previousSecretExpiresAt': 'previous_expires_at' },
        open: ['plan', 'scopes'],
      }
    : 'told by the command `keys`',
  idempotent_replies: 'whole replies, as they were sent',
  limit_windows: 'counts of callers, told in header fields',
  address_bans: 'bans of addresses, told by refusals',
  deprecated_calls: 'counts, told by the command `deprecations`',
  holder_calls: 'counts, told by the command `deprecations`',
})
