import { sealHashes } from '../store/key-seals.ts'
import { Misuse } from './failures.ts'
import type { Command } from './tools.ts'

/** Keys in one answer. */
export const pageSize = 100

/** The parts of an input that is not known yet. */
export const partsOf = (input: unknown): Record<string, unknown> =>
  typeof input === 'object' && input !== null ? { ...input } : {}

/** The key that an input names by its number. @throws Misuse */
export function checkId(input: unknown): { id: number } {
  const { id } = partsOf(input)
  if (!Number.isSafeInteger(id) || Number(id) < 1) throw new Misuse('A key is named by its number')
  return { id: Number(id) }
}

/** Where a list of keys goes on, where an input says so. */
export function checkCursor(input: unknown): { cursor?: string } {
  const { cursor } = partsOf(input)
  return typeof cursor === 'string' ? { cursor } : {}
}

/** Stores the hashes of all keys with the pepper. */
export const pepper: Command<Record<never, never>, { peppered: number }> = {
  check: () => ({}),
  async run(_, { db, seal }) {
    if (!seal.isPeppered) throw new Error('There is no pepper: set API_KEY_PEPPER or API_KEY_PEPPER_FILE')
    return { peppered: await sealHashes(db, seal) }
  },
}
