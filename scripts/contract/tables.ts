import type { ShownTable } from './database.ts'

const name_key = 'by which names are compared'
const version = 'told as the ETag'

/** Each table of the database, and what the document shows of it; a text where it shows nothing: the reason. */
export const tables: Readonly<Record<string, ShownTable | string>> = {
  categories: { schemas: ['Category'], hidden: { name_key, version } },
  pets: {
    schemas: ['Pet', 'InventoryItem'],
    hidden: {
      name_key,
      version,
      stock_version: version,
      open_orders: 'told by listOrders',
    },
    named: { 'InventoryItem.petId': 'id', 'InventoryItem.quantity': 'stock' },
  },
  orders: { schemas: ['Order'], hidden: { version } },
  api_keys: {
    schemas: ['ApiKey'],
    hidden: { hash: 'a secret’s', previous_hash: 'a secret’s' },
    named: { 'ApiKey.previousSecretExpiresAt': 'previous_expires_at' },
    open: ['plan', 'scopes'],
  },
  idempotent_replies: 'whole replies, as they were sent',
  limit_windows: 'counts of callers, told in header fields',
  address_bans: 'bans of addresses, told by refusals',
  deprecated_calls: 'counts, told by getUsage',
}
