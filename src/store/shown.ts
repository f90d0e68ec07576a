import type { ShownTables } from 'spec-served'

const name_key = 'by which names are compared'
const version = 'sent as the ETag'

export const shownTables: ShownTables = {
  categories: { schemas: ['Category'], hidden: { name_key, version } },
  pets: {
    schemas: ['Pet', 'InventoryItem'],
    hidden: {
      name_key,
      version,
      stock_version: version,
      open_orders: 'shown by listOrders',
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
}
