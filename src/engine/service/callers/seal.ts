import { createHmac } from 'node:crypto'

/** The form in which hashes of keys are stored: plain, or sealed with a pepper that the database does not know. */
export interface Seal {
  /** the beginning of every hash that is sealed with its pepper; undefined: no pepper */
  mark: string | undefined
  /** Returns the form in which a hash is stored. */
  stored(hash: string): string
  /** Returns every form in which a hash may be stored, by this process or before there was a pepper. */
  forms(hash: string): readonly string[]
}

/** The beginning of every sealed hash, whatever the pepper. A hash that is not sealed is hexadecimal. */
export const sealed = 'hmac-sha256:'

/**
 * Seals with HMAC-SHA-256 over a key's SHA-256 (RFC 2104). So stored hashes can be sealed without the keys.
 * A sealed hash begins with a mark of its pepper, an HMAC of a constant. So another pepper is detected.
 */
export function createSeal(pepper?: string): Seal {
  if (pepper === undefined) return { mark: undefined, stored: hash => hash, forms: hash => [hash] }
  const hmac = (text: string) => createHmac('sha256', pepper).update(text).digest('hex')
  const mark = `${sealed}${hmac('name of the pepper').slice(0, 8)}:`
  const stored = (hash: string) => mark + hmac(hash)
  return { mark, stored, forms: hash => [stored(hash), hash] }
}

export const unsealed = createSeal()
