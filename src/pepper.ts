import type { Db } from './database/tables.ts'
import type { Seal } from './keys/seal.ts'
import { countSeals } from './store/key-seals.ts'

/**
 * Holds the pepper against the keys that are stored: with a wrong one they would all be refused, and nobody would know why.
 * @returns a warning where keys are stored without it
 * @throws Error where keys are stored with another one
 */
export async function checkPepper(db: Db, seal: Seal): Promise<string | undefined> {
  const { plain, foreign } = await countSeals(db, seal)
  if (foreign > 0)
    throw new Error(
      seal.isPeppered
        ? `${foreign} API keys are hashed with another pepper than API_KEY_PEPPER: set that one, or replace these keys first (npm run keys -- rotate)`
        : `${foreign} API keys are hashed with a pepper: set API_KEY_PEPPER to it`,
    )
  if (!seal.isPeppered || plain === 0) return undefined
  return `${plain} API keys are stored without the pepper: once every server has it, run \`npm run keys -- pepper\`.`
}
