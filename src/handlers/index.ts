import type { Seal } from '../keys/seal.ts'
import { createPet, createPets, deletePet, getPet, listPets, replacePet, updatePet } from './animals.ts'
import { getApiKey, issuing, listApiKeys, revokeApiKey, updateApiKey } from './api-keys.ts'
import {
  createCategory,
  deleteCategory,
  getCategory,
  listCategories,
  replaceCategory,
  updateCategory,
} from './categories.ts'
import type { Handlers } from './handler.ts'
import { getInventoryItem, listInventory, updateInventory } from './inventory.ts'
import { cancelOrder, getOrder, listOrders, placeOrder, updateOrder } from './orders.ts'
import { getHealth } from './system.ts'
import { getUsage } from './usage.ts'

/**
 * Every operation of the document with what answers it: one missing, one too many or one of a wrong type does not compile.
 * @param seal how keys are stored
 */
export function handlersWith(seal: Seal) {
  const { createApiKey, rotateApiKey } = issuing(seal)
  return {
    listPets,
    createPet,
    createPets,
    getPet,
    replacePet,
    updatePet,
    deletePet,
    listCategories,
    createCategory,
    getCategory,
    replaceCategory,
    updateCategory,
    deleteCategory,
    listOrders,
    placeOrder,
    getOrder,
    updateOrder,
    cancelOrder,
    listInventory,
    getInventoryItem,
    updateInventory,
    getUsage,
    listApiKeys,
    createApiKey,
    getApiKey,
    updateApiKey,
    revokeApiKey,
    rotateApiKey,
    getHealth,
  } satisfies Handlers
}
