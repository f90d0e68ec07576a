// Generated from src/handlers by `npm run generate`: a handler for each operation.
import * as animalsHandlers from '../handlers/animals.ts'
import * as apiKeysHandlers from '../handlers/api-keys.ts'
import * as categoriesHandlers from '../handlers/categories.ts'
import * as inventoryHandlers from '../handlers/inventory.ts'
import * as ordersHandlers from '../handlers/orders.ts'
import * as systemHandlers from '../handlers/system.ts'
import * as usageHandlers from '../handlers/usage.ts'
import type { Handlers } from '../handlers/handler.ts'

/** The handler of each operation. A missing one, a surplus one or one of a wrong type does not compile. */
export const handlers = {
  'listPets': animalsHandlers.listPets,
  'createPet': animalsHandlers.createPet,
  'createPets': animalsHandlers.createPets,
  'getPet': animalsHandlers.getPet,
  'replacePet': animalsHandlers.replacePet,
  'updatePet': animalsHandlers.updatePet,
  'deletePet': animalsHandlers.deletePet,
  'listCategories': categoriesHandlers.listCategories,
  'createCategory': categoriesHandlers.createCategory,
  'getCategory': categoriesHandlers.getCategory,
  'replaceCategory': categoriesHandlers.replaceCategory,
  'updateCategory': categoriesHandlers.updateCategory,
  'deleteCategory': categoriesHandlers.deleteCategory,
  'listOrders': ordersHandlers.listOrders,
  'placeOrder': ordersHandlers.placeOrder,
  'getOrder': ordersHandlers.getOrder,
  'updateOrder': ordersHandlers.updateOrder,
  'cancelOrder': ordersHandlers.cancelOrder,
  'listInventory': inventoryHandlers.listInventory,
  'getInventoryItem': inventoryHandlers.getInventoryItem,
  'updateInventory': inventoryHandlers.updateInventory,
  'getUsage': usageHandlers.getUsage,
  'listApiKeys': apiKeysHandlers.listApiKeys,
  'createApiKey': apiKeysHandlers.createApiKey,
  'getApiKey': apiKeysHandlers.getApiKey,
  'updateApiKey': apiKeysHandlers.updateApiKey,
  'revokeApiKey': apiKeysHandlers.revokeApiKey,
  'rotateApiKey': apiKeysHandlers.rotateApiKey,
  'getHealth': systemHandlers.getHealth,
} satisfies Handlers
