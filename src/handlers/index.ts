// Written by `npm run generate` from the handlers that stand here: one for each operation.
import * as animalsHandlers from './animals.ts'
import * as apiKeysHandlers from './api-keys.ts'
import * as categoriesHandlers from './categories.ts'
import * as inventoryHandlers from './inventory.ts'
import * as ordersHandlers from './orders.ts'
import * as systemHandlers from './system.ts'
import * as usageHandlers from './usage.ts'
import type { Handlers } from './handler.ts'

/** Every operation of the document with what answers it: one missing, one too many or one of a wrong type does not compile. */
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
