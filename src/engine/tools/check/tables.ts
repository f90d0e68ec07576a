import type { ShownTables } from 'spec-served'

/** The engine's own tables. No schema is taken for one of them unless the project says so in its `shownTables`. */
export const engineTables: ShownTables = {
  api_keys: 'told by the command `keys`',
  idempotent_replies: 'whole replies, as they were sent',
  limit_windows: 'counts of callers, told in header fields',
  address_bans: 'bans of addresses, told by refusals',
  deprecated_calls: 'counts, told by the command `deprecations`',
  holder_calls: 'counts, told by the command `deprecations`',
}
